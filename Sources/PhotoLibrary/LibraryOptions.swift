// SPDX-License-Identifier: MIT
// How a library is opened.

import DurableFiles
import Frames

/// How a library is opened.
public struct LibraryOptions: Sendable {
    /// Whether it is opened to add photos, and made where there is none. Without this a library can also be opened where
    /// nothing may be written, and on a disk that is full: to look at it, or to make room.
    public var mayCreate = true
    /// How long another program's work in the library is waited for.
    public var patience = TimeSpan.milliseconds(5000)
    /// A file of kept frames is followed by another one when it has so many bytes.
    public var burstBytes = 256 << 20
    /// The system's calls, for tests that let them fail.
    package var calls = FileCalls()
    /// The catalogue may have so many pages: tests fill it up.
    package var mostPages: Int?

    /// As usual.
    public init() {}
}
