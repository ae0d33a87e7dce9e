// SPDX-License-Identifier: MIT
// Movies in parts: when one ends, what their files are called, and what is in each.

import Glibc
import LivecapFiles
import LivecapFrames

/// When a movie goes on in another file. Each part begins with a picture that needs no other, and is complete and durable
/// before the next one has its name. Together, they have every picture and every sample of sound once.
public enum MovieSplit: Hashable, Codable, Sendable {
    /// Before the first picture that is this much later than the part's first one: at least 100 ms.
    case duration(Duration)
    /// Before the file would exceed this number of bytes: at least 16 KiB.
    case bytes(Int)
}

extension MovieSplit {
    /// Whether parts would hold next to nothing.
    var isTooSmall: Bool {
        switch self {
        case .duration(let length): length < .milliseconds(100)
        case .bytes(let count): count < 16 << 10
        }
    }
}

/// One file of a movie.
public struct MoviePartSummary: Hashable, Sendable {
    /// Its path.
    public var path: String
    /// When it begins, since the movie's first picture.
    public var begin: Duration
    /// The number of pictures in it, also those that are shown again.
    public var pictures: Int
    /// Its size.
    public var byteCount: Int
}

/// The names of a movie's parts: `walk-001.mkv`, `walk-002.mkv` and so on for `walk.mkv`. None of them exists: their numbers
/// follow those of files that are there.
struct MoviePartNames {
    private let stem: String
    private let suffix: String
    private var last: Int

    /// Names like `path`, whose suffix says what kind of movie it is.
    init(_ path: String) {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        let (stem, suffix) = (path[..<dot] + "-", String(path[dot...]))
        let slash = stem.lastIndex(of: "/")
        let folder = slash.map { $0 == stem.startIndex ? "/" : String(stem[..<$0]) } ?? "."
        let name = slash.map { String(stem[stem.index(after: $0)...]) } ?? String(stem)
        var last = 0
        for file in fileNames(in: folder) where file.hasPrefix(name) {
            guard file.hasSuffix(suffix) else { continue }
            let digits = file.dropFirst(name.count).dropLast(suffix.count)
            guard digits.count <= 9, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { continue }
            last = max(last, Int(digits) ?? 0)
        }
        (self.stem, self.suffix, self.last) = (String(stem), suffix, last)
    }

    /// The next name that is free.
    mutating func next() -> String {
        while true {
            last += 1
            let digits = "\(last)"
            let path = stem + String(repeating: "0", count: max(0, 3 - digits.count)) + digits + suffix
            if access(path, F_OK) != 0 { return path }
        }
    }
}
