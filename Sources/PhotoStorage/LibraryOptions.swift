// SPDX-License-Identifier: MIT
// The options for opening a library.

import Files
import Frames

/// The options for opening a library.
public struct LibraryOptions: Sendable {
    /// Whether to open it for adding photos, and to create it if it does not exist. If false, a library can also be
    /// opened where nothing may be written, or on a full disk: to read it, or to free space.
    public var mayCreate = true
    /// How long to wait for another program to finish using the library.
    public var patience = Duration.milliseconds(5000)
    /// The size in bytes at which a file of kept frames is followed by another one.
    public var burstBytes = 256 << 20
    /// The system calls to use; tests replace them to make them fail.
    package var calls = FileCalls()
    /// The maximum number of pages of the catalogue (default: no limit); tests fill it up.
    package var maxPages: Int?

    /// Creates options with their defaults.
    public init() {}
}
