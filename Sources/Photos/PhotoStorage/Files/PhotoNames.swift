// SPDX-License-Identifier: MIT
// Where photos are stored: a folder per day, with files named after their moment.

import LivecapFrames

/// The names of a photo's files, except for the number that distinguishes photos of the same millisecond.
struct PhotoNames {
    /// `photos/2026-11-21`.
    let folder: String
    /// `223015-042`.
    private let moment: String
    private let suffix: String

    /// The names of a photo taken at that time.
    init(_ taken: CalendarTime, _ format: StillFormat) {
        suffix = format.suffix
        let local = taken.local
        folder = "\(LibraryFolder.photos)/\(local.date)"
        moment = "\(local.time.filter { $0 != ":" })-\(local.milliseconds)"
    }

    /// The file of the photo, or of its final.
    func final(_ number: Int) -> String { "\(moment)-\(number)\(suffix)" }
    /// The file of its proxy.
    func proxy(_ number: Int) -> String { "\(moment)-\(number)\(Self.proxySuffix)" }

    /// A number that is free, `number` or more: the first, if there are no gaps between those taken. `isTaken` is
    /// called for few of them, however many photos are of one moment.
    static func free(from number: Int, isTaken: (Int) -> Bool) -> Int {
        guard isTaken(number) else { return number }
        var step = 1
        while isTaken(number + step) { step *= 2 }
        var (taken, free) = (number + step / 2, number + step)
        while free - taken > 1 {
            let middle = taken + (free - taken) / 2
            if isTaken(middle) { taken = middle } else { free = middle }
        }
        return free
    }

    /// The suffix of proxies.
    static let proxySuffix = ".proxy.jpg"
    /// Whether a file of that name is a proxy.
    static func isProxy(_ name: String) -> Bool { !name.hasPrefix(".") && name.hasSuffix(proxySuffix) }

    /// The path that a proxy which somebody has changed is kept at; `number` tells it from those that exist.
    static func edited(_ proxy: String, number: Int) -> String {
        "\(proxy.dropLast(proxySuffix.count)).edited\(number > 1 ? "-\(number)" : "").jpg"
    }

    /// The next name for a final if a file that is not the library's has `name`: the one with the next number. Nil if
    /// `name` is not that of a final.
    static func next(after name: String) -> String? {
        guard let dot = name.firstIndex(of: "."), let dash = name[..<dot].lastIndex(of: "-"),
            let number = Int(name[name.index(after: dash)..<dot]), (0..<1_000_000).contains(number)
        else { return nil }
        return "\(name[...dash])\(number + 1)\(name[dot...])"
    }

    /// The file name in a photo's path `photos/DAY/NAME`; nil for all other paths.
    static func fileName(of place: String) -> String? {
        let names = place.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 3, names[0] == LibraryFolder.photos else { return nil }
        return String(names[2])
    }
}
