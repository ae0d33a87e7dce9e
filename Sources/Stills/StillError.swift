// SPDX-License-Identifier: MIT
// Why a still could not be written into a picture file's form.

/// What an encoder refuses or fails with.
public enum StillError: Error, Hashable, Sendable {
    /// The library could not do it; what it says.
    case unencodable(String)
    /// There is no memory for it.
    case noMemory
}
