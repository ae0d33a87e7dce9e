// SPDX-License-Identifier: MIT
// The errors of encoding a still as a picture file.

/// Why a still could not be encoded.
public enum StillError: Error, Hashable, Codable, Sendable {
    /// The library failed. The string is its message.
    case unencodable(String)
    /// This machine lacks a library that pictures of the format need. The string says which, and what is wrong with it.
    case unavailable(String)
    /// Memory ran out.
    case noMemory
}
