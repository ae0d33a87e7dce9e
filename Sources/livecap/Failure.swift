// SPDX-License-Identifier: MIT
// Why the program ends before it is done, with its exit status.

import Camera
import CommandTable
import Glibc
import LiveCapture
import PhotoLibrary
import Shutter

/// A failure of a command.
enum Failure: Error {
    /// The command line makes no sense.
    case usage(UsageError)
    /// A camera, file or setting failed.
    case camera(CameraError)
    /// The reader of the output has gone; there is nobody left to report to.
    case readerLeft
    /// A signal came before all was done, perhaps even before the first frame.
    case interrupted(signal: Int32, isBeforeFrames: Bool = false)
    /// A source of taps cannot be used.
    case shutter(ShutterError)
    /// A tap did not become a photo.
    case photo(PhotoError, of: SourceKind? = nil)
    /// A library cannot be used, or could not do what was asked of it.
    case library(LibraryError)
    /// The system did not allow a file to be created at that path.
    case cannotCreate(String, errno: Int32)
    /// Output cannot be written, with the system's errno.
    case output(errno: Int32)

    /// The problem in one line.
    var message: String {
        switch self {
        case .usage(let error): error.message
        case .camera(let error): error.message
        case .readerLeft: "nobody reads the output"
        case .interrupted(_, isBeforeFrames: true): "stopped before the first picture could be taken"
        case .interrupted: "stopped before it was done"
        case .shutter(let error): error.message
        case .photo(let error, _): error.message
        case .library(let error): error.message
        case .cannotCreate(let path, let errno): CameraError.fileError(path, call: "create", errno: errno).message
        case .output(let errno): CameraError.fileError("standard output", call: "write", errno: errno).message
        }
    }

    /// What to do next.
    var hint: String {
        switch self {
        case .usage(let error): error.hint
        case .camera(let error): error.hint
        case .readerLeft: "keep the reader running"
        case .interrupted(_, isBeforeFrames: true): "nothing was written"
        case .interrupted: "what was written before that is whole"
        case .shutter(let error): error.hint
        case .photo(let error, let source): source?.hint(error) ?? error.hint
        case .library(let error): error.hint
        case .cannotCreate(let path, let errno): CameraError.fileError(path, call: "create", errno: errno).hint
        case .output(let errno): CameraError.fileError("standard output", call: "write", errno: errno).hint
        }
    }

    /// The name for programs.
    var code: String {
        switch self {
        case .usage: "usage"
        case .camera(let error): error.code
        case .readerLeft: "reader-left"
        case .interrupted: "interrupted"
        case .shutter(let error): error.code
        case .photo(let error, _): error.code
        case .library(let error): error.code
        case .cannotCreate, .output: "file-error"
        }
    }

    /// Whether a disk or a quota is full. Files written before stay, which is worth reporting.
    var isFullDisk: Bool {
        switch self {
        case .camera(.fileError(_, _, let errno)), .photo(.notStored(.fileError(_, _, let errno)), _),
            .photo(.notKept(.fileError(_, _, let errno)), _), .library(.fileError(_, _, let errno)):
            [ENOSPC, EDQUOT, EFBIG].contains(errno)
        default: false
        }
    }

    /// The exit status. A reader that has enough, like `head`, is not a failure.
    var exitStatus: Int32 {
        switch self {
        case .usage: UsageError.exitStatus
        case .camera(let error): error.exitStatus
        case .readerLeft: 0
        case .interrupted(let signal, _): 128 + signal
        case .shutter(let error): error.exitStatus
        case .photo(let error, _): error.exitStatus
        case .library(let error): error.exitStatus
        case .cannotCreate: 73
        case .output: 74
        }
    }
}

/// Calls `body` and translates its error to `Failure`.
func attempt<Result: ~Copyable>(_ body: () throws(CameraError) -> Result) throws(Failure) -> Result {
    do throws(CameraError) { return try body() } catch { throw .camera(error) }
}

/// Calls `body`, which creates files. A file that may not be created is not reported as missing permission for a
/// camera.
func creating<Result: ~Copyable>(
    unless interruption: Interruption? = nil, _ body: () throws(CameraError) -> Result
) throws(Failure) -> Result {
    do throws(CameraError) {
        return try body()
    } catch .fileError(let path, _, let errno) where [EACCES, EPERM, EROFS].contains(errno) {
        throw .cannotCreate(path, errno: errno)
    } catch {
        throw interruption?.failure(error) ?? .camera(error)
    }
}

extension Failure {
    /// What happened to the pictures of a run that a full disk ended; nil for other failures.
    func wordsOfKept(_ count: Int) -> String? {
        guard isFullDisk else { return nil }
        let whole =
            count == 0
            ? "no picture was written"
            : count == 1
                ? "the picture written before that is whole" : "the \(count) pictures written before that are whole"
        return "\(whole); nothing is left of those that failed"
    }
}
