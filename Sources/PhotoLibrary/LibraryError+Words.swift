// SPDX-License-Identifier: MIT
// The texts of a library's errors: a message, a hint, a name for programs, and an exit status.

import Files

extension LibraryError {
    /// The problem in one line, without a full stop.
    public var message: String {
        switch self {
        case .noLibrary(let path): "there is no library at \(path)"
        case .notALibrary(let path, let detail): "\(path) is no photo library: \(detail)"
        case .lostCatalogue(let path): "the library \(path) has lost its catalogue"
        case .readOnly(let path): "\(path) can only be read: nothing may be written there"
        case .newerSchema(let path, let found, let known):
            "the library \(path) has schema \(found); this program knows those up to \(known)"
        case .damagedCatalogue(let path, let detail): "\(path) is damaged: \(detail)"
        case .busy(let path): "another program is at work in \(path)"
        case .catalogueFailed(let path, let code, let detail): "\(path): SQLite failed: \(detail) (\(code))"
        case .fileError(let path, let call, let errno): Self.words(path, call, errno).message
        case .unsafePath(let path, let detail): "\(path) is not followed: \(detail)"
        case .badPhoto(let detail): "the photo cannot be kept: \(detail)"
        case .noSuchPhoto(let id): "there is no photo \(id)"
        case .noPhotos(let which): "there are no photos \(which)"
        case .beingFinished(let id): "photo \(id) is being finished by another program"
        case .unfinishable(let id, let reason): "photo \(id) cannot be finished: \(reason)"
        case .noKeptFrames(let id): "photo \(id) cannot be developed again: none of its source frames are kept"
        case .missing(let path): "\(path) is missing"
        case .damaged(let path, let detail): "\(path) is damaged: \(detail)"
        case .remakable(_, let loss): loss.message
        case .alreadyThere(let path): "\(path) is there already"
        case .notCreatable(let path, let errno): Self.words(path, "create", errno).message
        }
    }

    /// What to do next, in one line.
    public var hint: String {
        switch self {
        case .noLibrary: "name one with --library DIR, or take photos into one first"
        case .notALibrary: "name an empty folder, or one that livecap made, with --library DIR"
        case .lostCatalogue:
            "put catalogue.sqlite, and catalogue.sqlite-wal if there is one, back from a backup; the photos are plain files in photos/"
        case .readOnly:
            "look at the rights of the folder and how its disk is mounted, or copy the library to another place"
        case .newerSchema: "open it with a newer livecap"
        case .damagedCatalogue:
            "the photos are plain files beside it; 'sqlite3 FILE .recover' saves what can be read of it, or use a backup"
        case .busy, .beingFinished: "try again when it has ended"
        case .catalogueFailed: "look at the library's disk, and at the rights of its files"
        case .fileError(let path, let call, let errno): Self.words(path, call, errno).hint
        case .unsafePath: "put the file or folder itself there, or name the folder that it leads to"
        case .badPhoto: "the program that adds it is at fault"
        case .noSuchPhoto, .noPhotos: "'livecap library list' has the numbers there are"
        case .unfinishable: "'livecap library finish' with its number tries again; 'export' has its proxy"
        case .noKeptFrames(let id):
            "'livecap library export \(id)' copies it as it is; 'shoot' and 'run' with --keep-frames keep the frames of photos to come"
        case .missing, .damaged: "'livecap library verify' tells what else is wrong; take it from a backup"
        case .remakable(let id, _): "its frames are kept: 'livecap library finish \(id)' makes it again"
        case .alreadyThere: "--overwrite replaces it; or take another name"
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
        case .missing: "missing-file"
        case .damaged: "damaged-file"
        case .remakable(_, let loss): loss.code
        case .alreadyThere: "already-there"
        case .notCreatable: "not-creatable"
        }
    }

    /// The exit status for a program that fails with this error, as in `sysexits.h`.
    public var exitStatus: Int32 {
        switch self {
        case .notALibrary, .lostCatalogue, .newerSchema, .damagedCatalogue, .unsafePath, .missing, .damaged,
            .unfinishable:
            65
        case .noLibrary, .noSuchPhoto, .noPhotos, .noKeptFrames: 66
        case .remakable(_, let loss): loss.exitStatus
        case .badPhoto: 70
        case .alreadyThere, .notCreatable: 73
        case .catalogueFailed: 74
        case .busy, .beingFinished: 75
        case .readOnly: 77
        case .fileError(let path, let call, let errno): Self.words(path, call, errno).exitStatus
        }
    }

    private static func words(_ path: String, _ call: String, _ errno: Int32) -> FileError {
        .failed(path, call: call, errno: errno)
    }
}
