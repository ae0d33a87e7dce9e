// SPDX-License-Identifier: MIT
// The errors of encoding a still as a picture file.

/// Why a still could not be encoded.
public enum StillError: Error, Hashable, Sendable {
    /// The library failed. The string is its message.
    case unencodable(String)
    /// Memory ran out.
    case noMemory
}
