// SPDX-License-Identifier: MIT
// Names of movies that are numbered: parts of one, or one after the other in a folder.

import Glibc
import LivecapFiles

/// Paths with numbers: `walk-001.mkv`, `walk-002.mkv` and so on. None of them exists: their numbers follow those of
/// files that are there.
package struct NumberedNames: Sendable {
    private let folder: String
    /// What names begin with, alone and in a path.
    private let (stem, path): (String, String)
    private let suffix: String
    private let width: Int
    private let isCounted: @Sendable (Substring) -> Bool
    private var last = 0

    /// Paths that are `path`, a number of at least `width` digits, and `suffix`. Files count whose names go on after
    /// their number as `isCounted` says.
    package init(
        _ path: String, suffix: String, width: Int, isCounted: @escaping @Sendable (_ rest: Substring) -> Bool
    ) {
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        stem = slash.map { String(path[path.index(after: $0)...]) } ?? path
        self.path = path
        self.suffix = suffix
        self.width = width
        self.isCounted = isCounted
    }

    /// Those of the parts of a movie: `walk-001.mkv` and so on for `walk.mkv`.
    package init(partsOf path: String) {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        let suffix = String(path[dot...])
        self.init(path[..<dot] + "-", suffix: suffix, width: 3) { $0 == suffix }
    }

    /// The next number that is free, and its path.
    package mutating func next() -> (number: Int, path: String) {
        for name in fileNames(in: folder) where name.hasPrefix(stem) {
            let digits = name.dropFirst(stem.count).prefix { $0.isASCII && $0.isNumber }
            guard (1...7).contains(digits.count), isCounted(name.dropFirst(stem.count + digits.count)) else { continue }
            last = max(last, Int(digits) ?? 0)
        }
        while true {
            last += 1
            let digits = "\(last)"
            let path = path + String(repeating: "0", count: max(0, width - digits.count)) + digits + suffix
            if access(path, F_OK) != 0 { return (last, path) }
        }
    }
}
