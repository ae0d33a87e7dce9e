// SPDX-License-Identifier: MIT
// The options for opening a library.

import LivecapFiles
import LivecapFrames

/// The options for opening a library.
public struct LibraryOptions: Sendable {
    /// Whether to open it for adding photos, and to create it if it does not exist. If false, a library can also be
    /// opened where nothing may be written, or on a full disk: to read it, or to free space.
    public var mayCreate: Bool
    /// How long to wait for another program to finish using the library.
    public var patience: Duration
    /// The size in bytes at which a file of kept frames is followed by another one.
    public var burstBytes: Int
    /// The system calls to use; tests replace them to make them fail.
    package var calls = FileCalls()
    /// The maximum number of pages of the catalogue (default: no limit); tests fill it up.
    package var maxPages: Int?
    /// How long the system has been running; tests give another clock.
    package var uptime: @Sendable () -> Uptime? = { .now }

    /// Creates options; what is left out has its default.
    public init(mayCreate: Bool = true, patience: Duration = .seconds(5), burstBytes: Int = 256 << 20) {
        self.mayCreate = mayCreate
        self.patience = patience
        self.burstBytes = burstBytes
    }
}
