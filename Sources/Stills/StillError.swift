// SPDX-License-Identifier: MIT
// The errors of encoding a still as a picture file, and of reading one.

import LivecapThreads

/// Why a still could not be encoded, or its file not be read.
public enum StillError: ExplainedError, Hashable, Codable, Sendable {
    /// The library failed. The string is its message.
    case unencodable(String)
    /// This machine lacks a library that pictures of the format need. The string says which, and what is wrong with it.
    case unavailable(String)
    /// The file is no picture that can be decoded, for the given reason.
    case undecodable(String)
    /// Memory ran out.
    case noMemory
}

extension StillError {
    /// What happened, in one line without a full stop.
    public var message: String {
        switch self {
        case .unencodable(let reason): "the picture cannot be encoded: \(reason)"
        case .unavailable(let reason): "pictures of this format cannot be used on this machine: \(reason)"
        case .undecodable(let reason): "the picture cannot be decoded: \(reason)"
        case .noMemory: "there is no memory for the picture"
        }
    }

    /// What to do about it, in one line without a full stop.
    public var hint: String {
        switch self {
        case .unencodable, .unavailable: "choose another format"
        case .undecodable: "take the file as it is, or make the photo again"
        case .noMemory: "choose a smaller size, or end other programs"
        }
    }
}
