// SPDX-License-Identifier: MIT
// The errors of encoding a still as a picture file.

import LivecapThreads

/// Why a still could not be encoded.
public enum StillError: ExplainedError, Hashable, Codable, Sendable {
    /// The library failed. The string is its message.
    case unencodable(String)
    /// This machine lacks a library that pictures of the format need. The string says which, and what is wrong with it.
    case unavailable(String)
    /// Memory ran out.
    case noMemory
}

extension StillError {
    /// What happened, in one line without a full stop.
    public var message: String {
        switch self {
        case .unencodable(let reason): "the picture cannot be encoded: \(reason)"
        case .unavailable(let reason): "the picture cannot be encoded on this machine: \(reason)"
        case .noMemory: "there is no memory to encode the picture"
        }
    }

    /// What to do about it, in one line without a full stop.
    public var hint: String {
        switch self {
        case .unencodable, .unavailable: "choose another format"
        case .noMemory: "choose a smaller size, or end other programs"
        }
    }
}
