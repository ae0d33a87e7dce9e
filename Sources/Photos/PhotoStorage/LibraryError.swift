// SPDX-License-Identifier: MIT
// The errors of a library.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapThreads

/// An error of a photo library that a user can act on. Each has a `message`, and a `hint` about what to do next.
public enum LibraryError: ExplainedError, Hashable, Sendable {
    /// There is no library, and creating one was not allowed.
    case noLibrary(String)
    /// The path leads to something that is not a livecap library, for the given reason.
    case notALibrary(String, detail: String)
    /// There are photos or frames of a library, but no catalogue.
    case lostCatalogue(String)
    /// The library is where nothing may be written: it can be read but not changed.
    case readOnly(String)
    /// The library was created by a later version of the program.
    case newerSchema(String, found: Int, known: Int)
    /// Its catalogue is damaged in the given way.
    case damagedCatalogue(String, detail: String)
    /// Another program is using the library, and did not finish in time.
    case busy(String)
    /// SQLite failed in a way that no other case covers.
    case catalogueFailed(String, code: Int32, detail: String)
    /// Reading or writing a file failed.
    case fileError(String, call: String, errno: Int32)
    /// A path leads out of the library, by a link or by itself. It is not followed.
    case unsafePath(String, detail: String)
    /// The description of a new photo is invalid, for the given reason.
    case badPhoto(String)
    /// There is no photo with that number.
    case noSuchPhoto(PhotoID)
    /// There are no photos in the given range of numbers or days.
    case noPhotos(String)
    /// Another program, or another part of this one, is finishing the photo.
    case beingFinished(PhotoID)
    /// The photo's final cannot be made, for the given reason.
    case unfinishable(PhotoID, reason: String)
    /// None of the photo's source frames are kept, so it cannot be developed again.
    case noKeptFrames(PhotoID)
    /// The library has no mask of the photo: where people are in it is not known.
    case noMask(PhotoID)
    /// The catalogue is of an older version, which has no trash and no ratings, and there is no room to bring it up to
    /// date.
    case noTrash(String)
    /// A file of the library does not exist.
    case missing(String)
    /// A file of the library was changed or damaged in the given way.
    case damaged(String, detail: String)
    /// A photo's file is missing or damaged, and can be made again from the photo's kept frames.
    indirect case remakeable(PhotoID, LibraryError)
    /// The name is already taken.
    case alreadyThere(String)
    /// The system did not allow a file to be created at that path.
    case notCreatable(String, errno: Int32)
}

extension LibraryError {
    init(_ error: FileError) {
        if case .failed(let path, let call, let errno) = error {
            self = .fileError(path, call: call, errno: errno)
        } else {
            self = .badPhoto(error.message)
        }
    }

    init(_ error: SQLiteError, _ path: String) {
        self =
            switch error.kind {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy(path)
            case SQLITE_FULL: .fileError(path, call: "write", errno: ENOSPC)
            case SQLITE_IOERR where error.code == lc_sqlite_no_room_for_index:
                .fileError(path, call: "write", errno: ENOSPC)
            case SQLITE_IOERR where [ENOSPC, EDQUOT].contains(error.systemReason),
                SQLITE_CANTOPEN where [ENOSPC, EDQUOT].contains(error.systemReason):
                .fileError(path, call: "write", errno: ENOSPC)
            case SQLITE_IOERR where [EMFILE, ENFILE].contains(error.systemReason),
                SQLITE_CANTOPEN where [EMFILE, ENFILE].contains(error.systemReason):
                .fileError(path, call: "open", errno: error.systemReason)
            case SQLITE_NOTADB: .notALibrary(path, detail: "its catalogue is not an SQLite database")
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .fileError(path, call: "open", errno: EACCES)
            case SQLITE_CANTOPEN where error.code == lc_sqlite_cantopen_symlink:
                .unsafePath(path, detail: "it is a symbolic link")
            // A statement cannot be prepared: tables or columns differ from those of the schema version.
            case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_MISMATCH: .damagedCatalogue(path, detail: error.message)
            default: .catalogueFailed(path, code: error.code, detail: error.message)
            }
    }
}

extension LibraryError {
    /// Whether a disk, a quota or the largest size of a file leaves no room for what was to be written. Something
    /// smaller may still fit.
    package var isFullDisk: Bool {
        if case .fileError(_, _, let errno) = self { [ENOSPC, EDQUOT, EFBIG].contains(errno) } else { false }
    }

    /// Whether a photo's file is missing or damaged.
    var isLossOfFile: Bool {
        switch self {
        case .missing, .damaged, .remakeable: true
        default: false
        }
    }

    /// Whether the folder is not a library that this program can use, in any process.
    var isRefusal: Bool {
        switch self {
        case .notALibrary, .newerSchema, .unsafePath: true
        default: false
        }
    }
}
