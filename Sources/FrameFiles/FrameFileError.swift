// SPDX-License-Identifier: MIT
// Why a file of frames cannot be read or written.

import Files
import Frames
import Glibc
import Threads

/// A file of frames could not be read or written.
public enum FrameFileError: Error, Hashable, Sendable {
    /// There is no such file.
    case noSuchFile(String)
    /// The file is not what it should be; why.
    case badFile(String, detail: String, hint: String)
    /// A headerless file is not a whole number of frames; sizes that would fit.
    case wrongSize(String, byteCount: Int, fits: [FrameSize])
    /// The settings make no sense; `hint` says how to fix them.
    case badSettings(String, hint: String)
    /// The system has no memory for a frame.
    case noMemory(bytes: Int)
    /// Reading or writing failed, as it can with any file.
    case file(FileError)
}

extension FrameFileError {
    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .noSuchFile(let path): "no such file: \(path)"
        case .badFile(let path, let detail, _): "\(path): \(detail)"
        case .wrongSize(let path, let byteCount, _): "\(path): \(byteCount) bytes are no whole number of such frames"
        case .badSettings(let detail, _): detail
        case .noMemory(let bytes): "the system has no \(bytes.mebibytes) MiB of memory for the frames"
        case .file(let error): error.message
        }
    }

    /// What to do next, in one line.
    public var hint: String {
        switch self {
        case .noSuchFile: "look at the spelling"
        case .badFile(_, _, let hint), .badSettings(_, let hint): hint
        case .wrongSize(_, _, let fits) where fits.isEmpty: "look at --size and --input-format"
        case .wrongSize(_, _, let fits):
            "these would fit: \(fits.map { "--size \($0)" }.joined(separator: ", "))"
        case .noMemory: "ask for less history with --ring, or for a smaller --size"
        case .file(let error): error.hint
        }
    }

    /// The error's name in JSON.
    public var code: String {
        switch self {
        case .noSuchFile: "no-such-file"
        case .badFile: "bad-file"
        case .wrongSize: "wrong-size"
        case .badSettings: "bad-settings"
        case .noMemory: "no-memory"
        case .file(let error): error.code
        }
    }

    /// The exit status of a program that ends with it: `sysexits.h`.
    public var exitStatus: Int32 {
        switch self {
        case .badSettings: 64  // EX_USAGE
        case .badFile, .wrongSize: 65  // EX_DATAERR
        case .noSuchFile: 66  // EX_NOINPUT
        case .noMemory: 71  // EX_OSERR
        case .file(let error): error.exitStatus
        }
    }
}

extension FrameFileError {
    /// A system call failed on the file at a path.
    package static func failed(_ path: String, call: String, errno: Int32) -> FrameFileError {
        .file(.failed(path, call: call, errno: errno))
    }

    /// Runs what needs a thread or a descriptor of the system.
    package static func wrapping<Result>(
        _ body: () throws(SystemShortage) -> Result
    ) throws(FrameFileError) -> Result {
        do throws(SystemShortage) { return try body() } catch { throw .file(.shortage(error)) }
    }

    /// Runs what may fail with any file.
    package static func wrapping<Result: ~Copyable>(
        _ body: () throws(FileError) -> Result
    ) throws(FrameFileError) -> Result {
        do throws(FileError) { return try body() } catch { throw .file(error) }
    }
}
