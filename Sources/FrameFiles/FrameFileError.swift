// SPDX-License-Identifier: MIT
// Why a file of frames cannot be read or written.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads

/// A file of frames could not be read or written.
public enum FrameFileError: ExplainedError, Hashable, Sendable {
    /// There is no such file.
    case noSuchFile(String)
    /// The file was removed, or replaced by another, while it was being written: none of it is left under its name.
    case removed(String)
    /// The file is not what it should be; why.
    case badFile(String, detail: String, hint: String)
    /// The path is neither a regular file nor a pipe on standard input.
    case notAFile(String)
    /// No frame in the file can be decoded.
    case undecodable(String)
    /// A headerless file is not a whole number of frames; sizes that would fit.
    case wrongSize(String, byteCount: Int, fits: [FrameSize])
    /// `ImportSettings.format` is needed: nothing in the file says what its frames are.
    case unknownFormat(String)
    /// `ImportSettings.size` is needed; sizes that would fit.
    case unknownSize(String, fits: [FrameSize])
    /// The file describes its own frames, and the settings in `refused` contradict it.
    case contradicted(String, own: String, refused: ImportSettings)
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
        case .removed(let path):
            "\(path) was removed, renamed or replaced while it was being written: nothing is left under that name"
        case .badFile(let path, let detail, _): "\(path): \(detail)"
        case .notAFile(let path): "\(path): not a regular file"
        case .undecodable(let path): "\(path): no frame in it can be decoded"
        case .wrongSize(let path, let byteCount, _): "\(path): \(byteCount) bytes are not a whole number of such frames"
        case .unknownFormat(let path): "nothing in \(path) says what its frames are"
        case .unknownSize(let path, _): "the size of the frames in \(path) is missing"
        case .contradicted(let path, let own, let refused):
            "\(path) holds frames of \(own), not of \(refused.words)"
        case .badSettings(let detail, _): detail
        case .noMemory(let bytes): "not enough memory for the frames: \(bytes.mebibytes) MiB needed"
        case .file(let error): error.message
        }
    }

    /// What to do next, in one line.
    public var hint: String {
        switch self {
        case .noSuchFile: "check the spelling"
        case .removed: "look for it under another name, or record again under one that no other program uses"
        case .badFile(_, _, let hint), .badSettings(_, let hint): hint
        case .notAFile: "choose a recording"
        case .undecodable: "record again: its frames are damaged"
        case .wrongSize(_, _, let fits) where fits.isEmpty: "check the size and the format"
        case .wrongSize(_, _, let fits): "sizes that would fit: \(fits.words)"
        case .unknownFormat: "for headerless raw frames, specify format, size and rate"
        case .unknownSize(_, let fits):
            fits.isEmpty ? "specify it" : "specify it; its length fits \(fits.words)"
        case .contradicted: "leave these settings out: they are for files that do not describe themselves"
        case .noMemory: "keep less history, or choose a smaller size"
        case .file(let error): error.hint
        }
    }

    /// The error's name in JSON.
    public var code: String {
        switch self {
        case .noSuchFile: "no-such-file"
        case .removed: "file-removed"
        case .badFile, .notAFile, .undecodable: "bad-file"
        case .wrongSize: "wrong-size"
        case .unknownFormat, .unknownSize, .contradicted, .badSettings: "bad-settings"
        case .noMemory: "no-memory"
        case .file(let error): error.code
        }
    }

    /// The exit status of a program that ends with it: `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .unknownFormat, .unknownSize, .contradicted, .badSettings: 64  // EX_USAGE
        case .badFile, .notAFile, .undecodable, .wrongSize: 65  // EX_DATAERR
        case .noSuchFile: 66  // EX_NOINPUT
        case .removed: 74  // EX_IOERR
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

extension [FrameSize] {
    fileprivate var words: String { map(\.description).joined(separator: ", ") }
}

extension ImportSettings {
    /// The settings that are set, as in "YUYV 640x480 at 30 fps".
    fileprivate var words: String {
        let parts = [format.map { "\($0)" }, size.map { "\($0)" }, rate.map { "\(isAboutRate ? "" : "at ")\($0) fps" }]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    /// Whether only the rate is set.
    private var isAboutRate: Bool { format == nil && size == nil }
}
