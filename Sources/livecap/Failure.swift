// SPDX-License-Identifier: MIT
// Why the program ends before it is done, with its exit status.

import Camera
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapEffects
import LivecapFiles
import LivecapFrameFiles
import LivecapHTTP
import LivecapMovies
import LivecapPhotoStorage
import LivecapServing
import LivecapSound
import LivecapVirtualCamera
import LivecapWindow
import Shutter

/// A failure of a command.
enum Failure: Error {
    /// The command line makes no sense.
    case usage(UsageError)
    /// A camera or a setting failed.
    case camera(CameraError)
    /// A file could not be read or written.
    case file(FileError)
    /// A file of frames could not be read or written.
    case frameFile(FrameFileError)
    /// The reader of the output has gone; there is nobody left to report to.
    case readerLeft
    /// A signal came before all was done, perhaps even before the first frame.
    case interrupted(signal: Int32, isBeforeFrames: Bool = false)
    /// A signal came before anything was served.
    case unserved(signal: Int32)
    /// A source of taps cannot be used.
    case shutter(ShutterError)
    /// A virtual camera cannot be made.
    case virtualCamera(VirtualCameraError)
    /// A window cannot be opened.
    case window(WindowError)
    /// A movie cannot be made.
    case movie(MovieError)
    /// Sound cannot be captured.
    case sound(SoundError)
    /// Browsers cannot be served.
    case serving(HTTPError)
    /// A tap did not become a photo.
    case photo(PhotoError, of: SourceKind? = nil)
    /// A library cannot be used, or could not do what was asked of it.
    case library(LibraryError)
    /// Photos cannot be made a gallery.
    case gallery(GalleryError)
    /// The system did not allow a file to be created at that path.
    case cannotCreate(String, errno: Int32)
    /// How far the times of these two cameras are apart cannot be measured.
    case offset(OffsetRefusal, String, String)
    /// What effects need is not there, or cannot be used.
    case effects(EffectError)
    /// A run refuses what its socket was asked for.
    case refused(RunRefusal)
    /// The program with the benchmarks cannot be run.
    case noBenchmarks(path: String, errno: Int32)
    /// The process may use so little for its stacks that the program would overrun them.
    case smallStacks(bytes: Int)
    /// Output cannot be written, with the system's errno.
    case output(errno: Int32)

    /// No camera is connected, and the command can use nothing else.
    case noCamera(CameraError)

    /// The problem in one line.
    var message: String {
        switch self {
        case .usage(let error): error.message
        case .camera(let error), .noCamera(let error): error.message
        case .file(let error): error.message
        case .frameFile(let error): error.message
        case .readerLeft: "the reader of the output has gone"
        case .interrupted(_, isBeforeFrames: true): "stopped before anything was taken"
        case .interrupted: "stopped before completion"
        case .unserved: "stopped before the page was served"
        case .shutter(let error): error.message
        case .virtualCamera(let error): error.message
        case .window(let error): error.message
        case .movie(let error): error.message
        case .sound(let error): error.message
        case .serving(let error): error.message
        case .photo(let error, _): error.message
        case .library(let error): error.message
        case .gallery(let error): error.message
        case .cannotCreate(let path, let errno): FileError.failed(path, call: "create", errno: errno).message
        case .offset(let error, let first, let second): "\(first) and \(second): \(error.message)"
        case .effects(let error): "effects: \(error.message)"
        case .refused(let refusal): refusal.message
        case .noBenchmarks(let path, let errno):
            "cannot run the benchmarks, \(path): \(String(cString: strerror(errno)))"
        case .smallStacks(let bytes): "stacks are limited to \(bytes / 1024) kB, which is too little"
        case .output(EBADF): "standard output is closed"
        case .output(let errno): FileError.failed("standard output", call: "write", errno: errno).message
        }
    }

    /// What to do next.
    var hint: String {
        switch self {
        case .usage(let error): error.hint
        case .camera(let error): Hints.hint(error)
        case .noCamera: "connect one"
        case .file(let error): Hints.hint(error)
        case .frameFile(let error): Hints.hint(error)
        case .readerLeft: "keep the reader running"
        case .interrupted(_, isBeforeFrames: true): "nothing was written"
        case .interrupted: "everything written before that is complete"
        case .unserved: "start it again; it prints the link when it serves"
        case .shutter(let error): Hints.hint(error)
        case .virtualCamera(let error): Hints.hint(error)
        case .window(let error): Hints.hint(error)
        case .movie(let error): Hints.hint(error)
        case .sound(let error): Hints.hint(error)
        case .serving(let error): Hints.hint(error)
        case .photo(let error, let source): Hints.hint(error, of: source)
        case .library(let error): Hints.hint(error)
        case .gallery(let error): error.hint
        case .cannotCreate(let path, let errno): Hints.hint(FileError.failed(path, call: "create", errno: errno))
        case .offset(let error, _, _): error.hint
        case .effects(let error): error.hint
        case .refused(let refusal): refusal.hint
        case .noBenchmarks: "'make build' and 'make install' put livecap-bench beside livecap"
        case .smallStacks: "raise 'ulimit -s': 8192 is usual"
        case .output(EBADF): "open it; if nobody reads it, send it to /dev/null: livecap ... >/dev/null"
        case .output(let errno): Hints.hint(FileError.failed("standard output", call: "write", errno: errno))
        }
    }

    /// The name for programs.
    var code: String {
        switch self {
        case .usage: "usage"
        case .camera(let error), .noCamera(let error): error.code
        case .file(let error): error.code
        case .frameFile(let error): error.code
        case .readerLeft: "reader-left"
        case .interrupted, .unserved: "interrupted"
        case .shutter(let error): error.code
        case .virtualCamera(let error): error.code
        case .window(let error): error.code
        case .movie(let error): error.code
        case .sound(let error): error.code
        case .serving(let error): error.code
        case .photo(let error, _): error.code
        case .library(let error): error.code
        case .gallery(let error): error.code
        case .cannotCreate, .output: "file-error"
        case .offset(let error, _, _): error.code
        case .effects(let error): error.code
        case .refused(let refusal): refusal.code
        case .noBenchmarks: "no-benchmarks"
        case .smallStacks: "system-shortage"
        }
    }

    /// Whether a disk or a quota is full. Files written before stay, which is worth reporting.
    var isFullDisk: Bool {
        failedFile.map { [ENOSPC, EDQUOT, EFBIG].contains($0.errno) } ?? false
    }

    /// Whether the reader of the stream at `path` has gone. One that has enough, like `head`, is not a failure.
    func isReaderGone(from path: String) -> Bool { failedFile?.errno == EPIPE && OutputTarget(path) == .stream }

    /// The file that a call failed on, and why; nil for other failures.
    fileprivate var failedFile: (path: String, errno: Int32)? {
        switch self {
        case .file(.failed(let path, _, let errno)), .frameFile(.file(.failed(let path, _, let errno))),
            .camera(.file(.file(.failed(let path, _, let errno)))),
            .photo(.notStored(.failed(let path, _, let errno)), _),
            .photo(.notKept(.fileError(let path, _, let errno)), _), .library(.fileError(let path, _, let errno)):
            (path, errno)
        default: nil
        }
    }

    /// Whether a call was given up while it waited for the other end of a pipe, or for a camera that was in use.
    var isGivenUp: Bool {
        switch self {
        case .file(.interrupted), .frameFile(.file(.interrupted)), .camera(.file(.file(.interrupted))), .camera(.busy):
            true
        default: false
        }
    }

    /// The exit status. A reader that has enough, like `head`, is not a failure.
    var exitStatus: Int32 {
        switch self {
        case .usage: UsageError.exitStatus
        case .camera(let error), .noCamera(let error): error.exitStatus
        case .file(let error): error.exitStatus
        case .frameFile(let error): error.exitStatus
        case .readerLeft: 0
        case .interrupted(let signal, _), .unserved(let signal): 128 + signal
        case .shutter(let error): error.exitStatus
        case .virtualCamera(let error): error.exitStatus
        case .window(let error): error.exitStatus
        case .movie(let error): error.exitStatus
        case .sound(let error): error.exitStatus
        case .serving(let error): error.exitStatus
        case .photo(let error, _): error.exitStatus
        case .library(let error): error.exitStatus
        case .gallery(let error): error.exitStatus
        case .effects(let error): error.exitStatus
        case .refused(let refusal) where refusal.code == EffectError.backgroundCode: 65  // EX_DATAERR
        case .refused, .noBenchmarks, .offset: 69  // EX_UNAVAILABLE
        case .smallStacks: 71  // EX_OSERR
        case .cannotCreate: 73
        case .output: 74
        }
    }
}

/// An error of a library that the program ends with.
protocol FailureReason: Error {
    /// The program's failure because of it.
    var failure: Failure { get }
}

extension SoundError: FailureReason { var failure: Failure { .sound(self) } }
extension HTTPError: FailureReason { var failure: Failure { .serving(self) } }
extension VirtualCameraError: FailureReason { var failure: Failure { .virtualCamera(self) } }
extension WindowError: FailureReason { var failure: Failure { .window(self) } }
extension MovieError: FailureReason {
    var failure: Failure { if case .file(let error) = self { .frameFile(error) } else { .movie(self) } }
}
extension GalleryError: FailureReason {
    var failure: Failure {
        switch self {
        case .file(let error): .file(error)
        case .library(let error): .library(error)
        case .foreign, .busy: .gallery(self)
        }
    }
}
extension CameraError: FailureReason { var failure: Failure { .camera(self) } }
extension FileError: FailureReason { var failure: Failure { .file(self) } }
extension FrameFileError: FailureReason { var failure: Failure { .frameFile(self) } }
extension PhotoError: FailureReason {
    var failure: Failure { if case .notKept(let error) = self { .library(error) } else { .photo(self) } }
}
extension ShutterError: FailureReason { var failure: Failure { .shutter(self) } }

/// Calls `body` and translates its error to `Failure`.
func attempt<Result: ~Copyable, Reason: FailureReason>(
    _ body: () throws(Reason) -> Result
) throws(Failure) -> Result {
    do throws(Reason) { return try body() } catch { throw error.failure }
}

/// The camera of that name, for a command that can use nothing else.
func onlyCamera(named name: String) throws(Failure) -> CameraRecord {
    do throws(CameraError) { return try CameraDirectory().camera(named: name) } catch {
        if case .noSuchDevice(_, let available) = error, available.isEmpty { throw .noCamera(error) }
        throw .camera(error)
    }
}

/// Calls `body`, which creates files. A file that may not be created is not reported as missing permission for a
/// camera.
func creating<Result: ~Copyable, Reason: FailureReason>(
    unless interruption: Interruption? = nil, _ body: () throws(Reason) -> Result
) throws(Failure) -> Result {
    do throws(Reason) { return try body() } catch {
        if let (path, errno) = error.failure.failedFile, [EACCES, EPERM, EROFS].contains(errno) {
            throw .cannotCreate(path, errno: errno)
        }
        throw interruption?.failure(error) ?? error.failure
    }
}

extension Failure {
    /// What happened to the pictures of a run that a full disk ended; nil for other failures. `lacking` more of them
    /// are there without what was to go with them.
    func wordsOfKept(_ count: Int, lacking: Int = 0) -> String? {
        guard isFullDisk else { return nil }
        let whole =
            count == 0
            ? (lacking == 0 ? "no picture was written" : "no picture is complete")
            : count == 1
                ? "the picture written before that is complete"
                : "the \(count) pictures written before that are complete"
        return switch lacking {
        case 0: "\(whole); the failed ones left nothing behind"
        case 1: "\(whole); one picture lacks the files that were to go with it"
        default: "\(whole); \(lacking) pictures lack the files that were to go with them"
        }
    }
}
