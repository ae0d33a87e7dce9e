// SPDX-License-Identifier: MIT
// Files of a folder that the user has named, and other people may have filled.

import Glibc
import LivecapFiles
import LivecapHTTP

extension HTTPFile {
    /// Opens a regular file of a folder; nil if there is none that can be read. A link in the folder is not followed,
    /// but the folder's own path may lead through some.
    convenience init?(_ name: String, in folder: String) {
        let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return nil }
        defer { close(parent) }
        guard let descriptor = try? openRegularFile(name, in: parent) else { return nil }
        self.init(taking: descriptor)
    }
}
