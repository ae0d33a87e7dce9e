// SPDX-License-Identifier: MIT
// Why the program ends before it is done, with its exit status.

import Camera
import CommandTable

/// What a command may fail with.
enum Failure: Error {
    /// The command line makes no sense.
    case usage(UsageError)
    /// Camera, file or settings did not do.
    case camera(CameraError)
    /// Whoever read our output has gone; nobody is left to tell.
    case readerLeft
    /// Output cannot be written: the system's word for it.
    case output(errno: Int32)

    /// What went wrong.
    var message: String {
        switch self {
        case .usage(let error): error.message
        case .camera(let error): error.message
        case .readerLeft: "nobody reads the output"
        case .output(let errno): CameraError.fileError("standard output", call: "write", errno: errno).message
        }
    }

    /// What to do next.
    var hint: String {
        switch self {
        case .usage(let error): error.hint
        case .camera(let error): error.hint
        case .readerLeft: "keep the reader running"
        case .output(let errno): CameraError.fileError("standard output", call: "write", errno: errno).hint
        }
    }

    /// The name for programs.
    var code: String {
        switch self {
        case .usage: "usage"
        case .camera(let error): error.code
        case .readerLeft: "reader-left"
        case .output: "file-error"
        }
    }

    /// What the program ends with. A reader that has enough, like `head`, is no failure.
    var exitStatus: Int32 {
        switch self {
        case .usage: UsageError.exitStatus
        case .camera(let error): error.exitStatus
        case .readerLeft: 0
        case .output: 74
        }
    }
}
