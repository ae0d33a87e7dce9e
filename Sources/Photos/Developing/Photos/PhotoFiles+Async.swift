// SPDX-License-Identifier: MIT
// Names for photos, from asynchronous code: the disk is asked on a thread of its own.

import LivecapFiles
import LivecapFrames
import LivecapThreads

extension PhotoFiles {
    /// Prepares names for `count` photos of `format` at `output`, which is a directory if it exists as one or ends with
    /// a slash.
    ///
    /// Photos in a directory are numbered after the largest number there, of any format, and replace nothing. The same
    /// holds for several photos at a file path, unless `mayReplace` is true. A name may contain a placeholder for the
    /// number or the moment: `n-%03d.jpg`, `%Y%m%d-%H%M%S.jpg`. A name without a suffix gets the format's.
    /// - Throws: why photos could not be written there: no folder, no permission, a name that does not fit the format.
    public static func open(
        _ output: String, _ format: StillFormat = .jpeg, count: Int = 1, mayReplace: Bool = false
    ) async throws(FileError) -> PhotoFiles {
        try await onThread(named: "open") { () throws(FileError) in
            try PhotoFiles(output, format, count: count, mayReplace: mayReplace)
        }
    }
}
