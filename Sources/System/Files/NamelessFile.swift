// SPDX-License-Identifier: MIT
// Files without a name, of which nothing is left once nobody has them open.

import Glibc

/// Makes a file for reading and writing that has no name, on the disk of a folder: `open(2)` with O_TMPFILE, or, on
/// file systems that lack that, one whose name is removed at once. Returns its descriptor; -1, with `errno`, if it
/// cannot be made.
package func openNameless(in folder: String) -> Int32 {
    // Swift imports O_TMPFILE only under this name.
    let nameless = uninterrupted { open(folder, O_RDWR | O_CLOEXEC | __O_TMPFILE, 0o600) }
    if nameless >= 0 { return nameless }
    // `mkstemp` needs six of this letter at the end of the name.
    var template = "\(folder)/.livecap-\(String(repeating: "X", count: 6))".fileNameBytes
    return template.withUnsafeMutableBufferPointer { template in
        let made = mkstemp(template.baseAddress!)
        if made >= 0 {
            unlink(template.baseAddress!)
            _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        }
        return made
    }
}
