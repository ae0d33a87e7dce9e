// SPDX-License-Identifier: MIT
// Where photos lie: a folder a day, and in it files named after their moment.

import Frames
import Glibc

/// The names of a photo's files, all but for the number that tells photos of the same millisecond apart.
struct PhotoNames {
    /// `photos/2026-11-21`.
    let folder: String
    /// `223015-042`.
    private let moment: String
    private let suffix: String

    /// The names of a photo taken then; nil where its suffix is no suffix.
    init?(_ taken: CalendarTime, suffix: String) {
        let letters = suffix.dropFirst()
        guard suffix.hasPrefix("."), (1...8).contains(letters.count),
            letters.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) })
        else { return nil }
        self.suffix = suffix
        // Rounded down, before 1970 too.
        let (second, rest) = taken.utcNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isBefore = rest < 0
        var local = time_t(second - (isBefore ? 1 : 0) + Int64(taken.zoneOffsetSeconds))
        let milliseconds = (rest + (isBefore ? 1_000_000_000 : 0)) / 1_000_000
        var parts = tm()
        gmtime_r(&local, &parts)
        folder =
            "\(LibraryFolder.photos)/\(digits(Int(parts.tm_year) + 1900, 4))-\(digits(Int(parts.tm_mon) + 1, 2))"
            + "-\(digits(Int(parts.tm_mday), 2))"
        moment =
            "\(digits(Int(parts.tm_hour), 2))\(digits(Int(parts.tm_min), 2))\(digits(Int(parts.tm_sec), 2))"
            + "-\(digits(Int(milliseconds), 3))"
    }

    /// The file of the photo, or of its final.
    func final(_ number: Int) -> String { "\(moment)-\(number)\(suffix)" }
    /// The file of its proxy.
    func proxy(_ number: Int) -> String { "\(moment)-\(number)\(Self.proxySuffix)" }

    /// What the names of proxies end with.
    static let proxySuffix = ".proxy.jpg"
    /// Whether a file of that name is a proxy.
    static func isProxy(_ name: String) -> Bool { !name.hasPrefix(".") && name.hasSuffix(proxySuffix) }

    /// The file's name of a photo's place, `photos/DAY/NAME`; nil of all other places.
    static func fileName(of place: String) -> String? {
        let names = place.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 3, names[0] == LibraryFolder.photos else { return nil }
        return String(names[2])
    }
}

private func digits(_ number: Int, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
}
