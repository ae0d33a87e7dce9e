// SPDX-License-Identifier: MIT
// Where the files of nets are looked for.

import Glibc
import LivecapFiles

/// Where the runtime and the models may be, the first place first.
package enum NetFolders {
    /// Names the only folder to look in.
    package static let variable = "LIVECAP_EFFECTS"

    /// The folders for this process: that of `LIVECAP_EFFECTS`; or beside the program, in the user's data folder, and
    /// those of packages.
    package static var usual: [String] {
        if let only = pathInEnvironment(variable) { return [only] }
        var folders: [String] = []
        if let program = resolvedPath("/proc/self/exe"), let end = program.lastIndex(of: "/") {
            let home = String(program[..<end])
            folders += [home + "/effects", home + "/../lib/livecap/effects"]
        }
        if let data = userData { folders.append(data + "/livecap/effects") }
        return folders + ["/usr/local/lib/livecap/effects", "/usr/lib/livecap/effects"]
    }

    /// Where `make effects` puts them.
    private static var userData: String? {
        pathInEnvironment("XDG_DATA_HOME") ?? pathInEnvironment("HOME").map { $0 + "/.local/share" }
    }
}
