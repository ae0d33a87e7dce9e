// SPDX-License-Identifier: MIT
// Where the user's file of settings is, and reading it.

import Camera
import CommandTable
import Glibc

enum ConfigurationFile {
    /// `livecap/config` in $XDG_CONFIG_HOME, else in ~/.config; nil where there is no home, either.
    static var path: String? {
        // A relative one is to be ignored: XDG Base Directory Specification.
        if let base = variable("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base + "/livecap/config" }
        return home.map { $0 + "/.config/livecap/config" }
    }

    /// The user's own folder.
    static var home: String? { variable("HOME") }

    /// What `parsed` makes of the file's text and path; nil where there is none.
    static func read(
        _ parsed: (String, String) throws(UsageError) -> Configuration
    ) throws(UsageError) -> Configuration? {
        guard let path, access(path, F_OK) == 0 else { return nil }
        let bytes: [UInt8]?
        do throws(CameraError) { bytes = try wholeFile(path, atMost: 1 << 20) } catch {
            throw UsageError("\(path): \(error.message)", hint: "--no-config does without it")
        }
        guard let bytes else {
            throw UsageError("\(path) is too large for a file of settings", hint: "--no-config does without it")
        }
        return try parsed(String(decoding: bytes, as: UTF8.self), path)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
