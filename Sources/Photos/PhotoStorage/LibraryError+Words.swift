// SPDX-License-Identifier: MIT
// The texts of a library's errors: a message, a hint, a name for programs, and an exit status.

import LivecapFiles

extension LibraryError {
    /// The problem in one line, without a full stop.
    public var message: String {
        switch self {
        case .noLibrary(let path): "no library at \(path)"
        case .notALibrary(let path, let detail): "\(path) is not a photo library: \(detail)"
        case .lostCatalogue(let path): "the library \(path) has lost its catalogue"
        case .readOnly(let path): "\(path) is read-only"
        case .newerSchema(let path, let found, let known):
            "the library \(path) has schema \(found); this program supports schemas up to \(known)"
        case .damagedCatalogue(let path, let detail): "\(path) is damaged: \(detail)"
        case .busy(let path): "\(path) is in use by another program"
        case .catalogueFailed(let path, SharedMemory.failure, _):
            "\(path) is on a file system without shared memory, which the catalogue needs"
        case .catalogueFailed(let path, let code, let detail): "\(path): SQLite failed: \(detail) (\(code))"
        case .fileError(let path, let call, let errno): Self.words(path, call, errno).message
        case .unsafePath(let path, let detail): "\(path) is not followed: \(detail)"
        case .badPhoto(let detail): "the photo cannot be stored: \(detail)"
        case .noSuchPhoto(let id): "no photo \(id)"
        case .noPhotos(let which): "no photos \(which)"
        case .beingFinished(let id): "photo \(id) is being finished by another program"
        case .unfinishable(let id, let reason): "photo \(id) cannot be finished: \(reason)"
        case .noKeptFrames(let id): "photo \(id) cannot be developed again: none of its source frames are kept"
        case .noMask(let id): "photo \(id) has no mask: where people are in it is not known"
        case .noTrash(let path):
            "the library \(path) has no trash and no ratings: there is no room to bring it up to date"
        case .missing(let path): "\(path) is missing"
        case .damaged(let path, let detail): "\(path) is damaged: \(detail)"
        case .remakeable(_, let loss): loss.message
        case .alreadyThere(let path): "\(path) already exists"
        case .notCreatable(let path, let errno): Self.words(path, "create", errno).message
        }
    }

    /// What to do next, in one line.
    public var hint: String {
        switch self {
        case .noLibrary: "open another folder, or take photos into a new library first"
        case .notALibrary: "open an empty folder, or a library made by livecap"
        case .lostCatalogue:
            "restore catalogue.sqlite, and catalogue.sqlite-wal if it exists, from a backup; the photos are plain files in photos/"
        case .readOnly:
            "check the folder's permissions and how its disk is mounted, or copy the library elsewhere"
        case .newerSchema: "open it with a newer livecap"
        case .damagedCatalogue:
            "the photos are plain files beside it; 'sqlite3 FILE .recover' saves what is still readable, or restore a backup"
        case .busy, .beingFinished: "try again once it has ended"
        case .catalogueFailed(_, SharedMemory.failure, _):
            "keep the library on a disk of this machine, not on a network share or a virtual machine's shared folder"
        case .catalogueFailed: "check the library's disk, and the permissions of its files"
        case .fileError(let path, let call, let errno): Self.words(path, call, errno).hint
        case .unsafePath: "put the file or folder itself there, or name the folder that the link leads to"
        case .badPhoto: "the program that adds it is at fault"
        case .noSuchPhoto, .noPhotos: "list the library's photos for their numbers"
        case .unfinishable: "finish it again, or export its proxy"
        case .noKeptFrames: "export it as it is; PhotoSettings.keepsFrames keeps the frames of later photos"
        case .noMask:
            "photos have one if their effects need it, as portrait does, unless an older version took them; "
                + "developing the photo with such effects makes one"
        case .noTrash: "remove the photo for good, or free some space on the disk first"
        case .missing, .damaged: "restore it from a backup; verify the library for other losses"
        case .remakeable: "its frames are kept: finishing the photo makes it again"
        case .alreadyThere: "allow overwriting, or choose another name"
        case .notCreatable(let path, let errno): Self.words(path, "create", errno).hint
        }
    }

    /// The error's name in JSON. It never changes.
    public var code: String {
        switch self {
        case .noLibrary: "no-library"
        case .notALibrary: "not-a-library"
        case .lostCatalogue: "lost-catalogue"
        case .readOnly: "read-only"
        case .newerSchema: "newer-schema"
        case .damagedCatalogue: "damaged-catalogue"
        case .busy: "library-busy"
        case .catalogueFailed: "catalogue-failed"
        case .fileError: "file-error"
        case .unsafePath: "unsafe-path"
        case .badPhoto: "bad-photo"
        case .noSuchPhoto, .noPhotos: "no-such-photo"
        case .beingFinished: "being-finished"
        case .unfinishable: "unfinishable"
        case .noKeptFrames: "no-kept-frames"
        case .noMask: "no-mask"
        case .noTrash: "no-trash"
        case .missing: "missing-file"
        case .damaged: "damaged-file"
        case .remakeable(_, let loss): loss.code
        case .alreadyThere: "already-there"
        case .notCreatable: "not-creatable"
        }
    }

    /// The exit status for a program that fails with this error, as in `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .notALibrary, .lostCatalogue, .newerSchema, .damagedCatalogue, .unsafePath, .missing, .damaged,
            .unfinishable:
            65
        case .noLibrary, .noSuchPhoto, .noPhotos, .noKeptFrames, .noMask: 66
        case .remakeable(_, let loss): loss.exitStatus
        case .badPhoto: 70
        case .alreadyThere, .notCreatable: 73
        case .catalogueFailed, .noTrash: 74
        case .busy, .beingFinished: 75
        case .readOnly: 77
        case .fileError(let path, let call, let errno): Self.words(path, call, errno).exitStatus
        }
    }

    private static func words(_ path: String, _ call: String, _ errno: Int32) -> FileError {
        .failed(path, call: call, errno: errno)
    }
}

/// What the index of the catalogue's log needs of a file system.
private enum SharedMemory {
    /// SQLITE_IOERR_SHMMAP, which Swift does not import.
    static let failure: Int32 = 10 | 21 << 8
}
