// SPDX-License-Identifier: MIT
// Locates and reads the user's configuration file.

import Glibc
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles

enum ConfigurationFile {
    /// `livecap/config` in $XDG_CONFIG_HOME, or else in ~/.config; nil if there is no home folder either.
    static var path: String? {
        // The XDG Base Directory Specification requires relative paths to be ignored.
        if let base = pathInEnvironment("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base + "/livecap/config" }
        return home.map { $0 + "/.config/livecap/config" }
    }

    /// The user's home folder.
    static var home: String? { pathInEnvironment("HOME") }

    /// The configuration that `parsed` makes of the file's text and path; nil if there is no file.
    static func read(
        _ parsed: (String, String) throws(UsageError) -> Configuration
    ) throws(UsageError) -> Configuration? {
        guard let path, access(path, F_OK) == 0 else { return nil }
        // Every command would wait for a pipe's writer.
        guard isRegularFile(path) else {
            throw UsageError("\(path) is not a regular file", hint: "--no-config does without it")
        }
        let bytes: [UInt8]?
        do throws(FrameFileError) { bytes = try wholeFile(path, atMost: 1 << 20) } catch {
            throw UsageError(error.message, hint: "--no-config does without it")
        }
        guard let bytes else {
            throw UsageError("\(path) is too large for a file of settings", hint: "--no-config does without it")
        }
        return try parsed(FileName.text(bytes), path)
    }
}
