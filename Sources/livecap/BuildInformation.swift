// SPDX-License-Identifier: MIT
// What this program was built from, and how.

import Fusion
import LivecapCVersion
import LivecapIntents

/// The program's version and build.
enum BuildInformation {
    /// The version, as in the file VERSION.
    static let version = String(cString: lc_version()).split(separator: "\n").first.map(String.init) ?? ""
    /// The program, as files name it.
    static let program = "livecap \(version)"
    /// The commit, and whether the sources differed from it; nil if it is not known.
    private static let commit = lc_commit().map { text in
        let words = String(cString: text).split(separator: "-")
        return (name: String(words[0]), isModified: words.count > 1)
    }

    /// `debug` builds are slow and check more.
    static var kind: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }

    static var compiler: String {
        #if compiler(>=6.4)
            "Swift 6.4 or newer"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }

    /// For programs.
    static var object: JSON {
        .object([
            ("name", "livecap"), ("version", .string(version)), ("commit", commit.map { .string($0.name) } ?? .null),
            ("modified", commit.map { .bool($0.isModified) } ?? .null), ("build", .string(kind)),
            ("compiler", .string(compiler)), ("kernels", .string(KernelLevel.best.rawValue)),
        ])
    }
}
