// SPDX-License-Identifier: MIT
// How far the times of two cameras' frames are apart, as it was measured, in a file that outlives the program.

import LivecapFiles

/// The file of measured offsets, one line for each pair of cameras, which are known by their identities.
package struct CameraOffsets: Sendable {
    /// An offset that was measured.
    package struct Offset: Hashable, Sendable {
        /// How much later the second camera's times are than the first one's, for light of the same instant.
        package let value: Duration
        /// How far that may be from the truth.
        package let bound: Duration

        /// Creates an offset.
        package init(_ value: Duration, bound: Duration) {
            self.value = value
            self.bound = bound
        }
    }

    /// What the file says.
    package struct Content: Hashable, Sendable {
        /// All offsets, the newest first.
        package fileprivate(set) var entries: [Entry] = []
        /// What was wrong with the file, for people; nil if nothing was.
        package var notice: String?

        /// How much later the times of `second` are than those of `first`; nil if that was not measured.
        package func offset(of second: String, from first: String) -> Offset? {
            let first = CameraOffsets.key(first), second = CameraOffsets.key(second)
            for entry in entries {
                if (entry.first, entry.second) == (first, second) { return entry.offset }
                if (entry.first, entry.second) == (second, first) {
                    return Offset(.zero - entry.offset.value, bound: entry.offset.bound)
                }
            }
            return nil
        }
    }

    /// The offset of two cameras, which are named by their keys.
    package struct Entry: Hashable, Sendable {
        /// The camera whose times the other's are compared with.
        package let first: String
        /// The camera whose times are later by the offset.
        package let second: String
        /// How much later.
        package let offset: Offset

        /// Names an offset.
        package init(first: String, second: String, offset: Offset) {
            self.first = first
            self.second = second
            self.offset = offset
        }
    }

    /// By which name a camera is kept: its identity, of which scenes have characters that the file cannot hold.
    package static func key(_ identity: String) -> String {
        identity.isIdentityOrPath ? identity : String(identity.asIdentity.prefix(512))
    }

    private let file: StateFile
    /// Nobody has more; the oldest are forgotten.
    private static let limit = 256
    /// No camera takes longer for a frame: what is beyond is damage.
    private static let longest = Duration.seconds(10)
    private static let heading =
        "# Cameras' times: id, tab, id, tab, how much later those of the second are in ns, tab, how wrong in ns."

    /// The user's own: `livecap/offsets` in the state folder; nil if there is no home folder.
    package static var standard: CameraOffsets? { StateFile(standard: "offsets").map { CameraOffsets(file: $0) } }

    private init(file: StateFile) { self.file = file }

    /// The file at another path.
    package init(path: String) { file = StateFile(path: path) }

    /// The offsets. A file that is damaged, too large or no file is reported, and what can be read of it counts.
    package func read() -> Content {
        let read = file.read()
        if let problem = read.problem {
            return Content(notice: "the measured offsets of cameras in \(file.path) are ignored: \(problem)")
        }
        var content = Content()
        for line in read.lines {
            let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 4, parts[0].isIdentityOrPath, parts[1].isIdentityOrPath, parts[0] != parts[1],
                let value = Int64(parts[2]).map(Duration.nanoseconds), value.magnitude <= Self.longest,
                let bound = Int64(parts[3]).map(Duration.nanoseconds), (.zero...Self.longest).contains(bound),
                content.offset(of: parts[1], from: parts[0]) == nil
            else { continue }
            content.entries.append(Entry(first: parts[0], second: parts[1], offset: Offset(value, bound: bound)))
        }
        content.notice = file.damage(read.lines.count - content.entries.count)
        content.entries = Array(content.entries.prefix(Self.limit))
        return content
    }

    /// Keeps an offset, in place of one that was known of these cameras.
    package func save(_ offset: Offset, of second: String, from first: String) throws(FileError) {
        let first = Self.key(first), second = Self.key(second)
        try change(second, first, by: [Entry(first: first, second: second, offset: offset)])
    }

    /// Forgets the offset of two cameras. Returns false if none is known.
    package func forget(_ second: String, from first: String) throws(FileError) -> Bool {
        guard read().offset(of: second, from: first) != nil else { return false }
        try change(Self.key(second), Self.key(first), by: [])
        return true
    }

    private func change(_ second: String, _ first: String, by new: [Entry]) throws(FileError) {
        try file.alone { () throws(FileError) in
            let others = read().entries.filter { Set([$0.first, $0.second]) != Set([first, second]) }
            let entries = new + others
            guard !entries.isEmpty else { return try file.remove() }
            let lines = entries.prefix(Self.limit).map { entry in
                let (value, bound) = (entry.offset.value.wholeNanoseconds, entry.offset.bound.wholeNanoseconds)
                return "\(entry.first)\t\(entry.second)\t\(value)\t\(bound)"
            }
            try file.write([Self.heading] + lines)
        }
    }
}
