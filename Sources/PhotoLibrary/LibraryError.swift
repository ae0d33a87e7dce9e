// SPDX-License-Identifier: MIT
// What can be wrong with a library, each with what to do next.

import CSQLite
import Camera
import Glibc

/// A failure of a photo library that a user can act on.
public enum LibraryError: Error, Hashable, Sendable {
    /// There is no library, and none may be made.
    case noLibrary(String)
    /// What is there is no library of ours; why.
    case notALibrary(String, detail: String)
    /// There are photos and frames of a library, and no catalogue of them any more.
    case lostCatalogue(String)
    /// It lies where nothing may be written, so that it can be read and not changed.
    case readOnly(String)
    /// It was made by a later version.
    case newerSchema(String, found: Int, known: Int)
    /// Its catalogue is damaged; how.
    case damagedCatalogue(String, detail: String)
    /// Another program is at work in it, and did not end in time.
    case busy(String)
    /// SQLite failed in a way with no better name.
    case catalogueFailed(String, code: Int32, detail: String)
    /// Reading or writing a file failed.
    case fileError(String, call: String, errno: Int32)
    /// A name leads out of the library, by a link or by itself; nobody follows it.
    case unsafePath(String, detail: String)
    /// What is told of a new photo makes no sense; why.
    case badPhoto(String)
    /// There is no photo of that number.
    case noSuchPhoto(PhotoID)
    /// There are no photos of a range of numbers or of days: which.
    case noPhotos(String)
    /// Another program, or another part of this one, is finishing the photo.
    case beingFinished(PhotoID)
    /// Its final cannot be made; why.
    case unfinishable(PhotoID, reason: String)
    /// None of its source frames are kept, so it cannot be developed again.
    case noKeptFrames(PhotoID)
    /// A file of the library is not there.
    case missing(String)
    /// A file of the library is not what it was when it was written; how.
    case damaged(String, detail: String)
    /// Something has that name already.
    case alreadyThere(String)
    /// A file may not be made where it was asked for: the system's word for it.
    case notCreatable(String, errno: Int32)
}

extension LibraryError {
    init(_ error: CameraError) {
        if case .fileError(let path, let call, let errno) = error {
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
            case SQLITE_NOTADB: .notALibrary(path, detail: "its catalogue is no SQLite database")
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .fileError(path, call: "open", errno: EACCES)
            case SQLITE_CANTOPEN where error.code == lc_sqlite_cantopen_symlink:
                .unsafePath(path, detail: "it is a symbolic link")
            // A statement that cannot be prepared: tables or columns are not those of the schema it says it has.
            case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_MISMATCH: .damagedCatalogue(path, detail: error.message)
            default: .catalogueFailed(path, code: error.code, detail: error.message)
            }
    }
}

extension LibraryError {
    /// Whether a file of a photo is gone, or not what it was.
    var isLossOfFile: Bool {
        switch self {
        case .missing, .damaged: true
        default: false
        }
    }

    /// Whether the folder is no library that this program could use, whoever opens it.
    var isRefusal: Bool {
        switch self {
        case .notALibrary, .newerSchema, .unsafePath: true
        default: false
        }
    }
}
