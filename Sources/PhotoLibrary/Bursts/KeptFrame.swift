// SPDX-License-Identifier: MIT
// A source frame that was appended to a library's files of kept frames.

import Frames

/// A source frame that is kept: written, though not necessarily on the disk yet. While one is there, its file is not cleaned
/// up.
public struct KeptFrame: Hashable, Sendable {
    /// Which frame it is.
    public var id: FrameID { metadata.id }
    /// When it was seen, on the source's clock.
    public var time: Timestamp { metadata.time }
    /// How many bytes it has.
    public var byteCount: Int { metadata.byteCount }
    /// What its record says of it.
    let metadata: FrameMetadata
    /// Its number in its file, from 0.
    let ordinal: UInt64
    /// Where its bytes begin there.
    let offset: Int
    /// The XXH3-64 of its bytes.
    let checksum: UInt64
    /// Its file, which stays open, and locked, as long as this.
    let segment: BurstSegment

    /// Which of the library's files of kept frames it is in.
    public var burst: BurstID { segment.id }

    /// Its bytes. An error where they are not what was appended.
    public func bytes() throws(LibraryError) -> [UInt8] { try segment.bytes(of: self) }

    /// The same frame in a file that can be relied on: in another one where a sync of this file failed.
    func onSoundDisk() throws(LibraryError) -> KeptFrame { try segment.keptAgain(self) }

    /// Where the bytes end.
    var end: Int { offset + byteCount }

    /// Whether both are the same record of the same file.
    public static func == (a: KeptFrame, b: KeptFrame) -> Bool { a.ordinal == b.ordinal && a.burst == b.burst }

    /// Hashes which record it is.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ordinal)
        hasher.combine(burst)
    }
}

/// Which of a library's files of kept frames: the number of its recording.
public struct BurstID: Hashable, Sendable, CustomStringConvertible {
    /// The number in the dump's header.
    public let recording: UInt64
    /// The file of that recording.
    public init(recording: UInt64) { self.recording = recording }
    /// The file of the number that 16 hexadecimal digits say; nil where they are none.
    init?(_ text: some StringProtocol) {
        guard text.count == 16, let recording = UInt64(text, radix: 16), Self(recording: recording).description == text
        else { return nil }
        self.recording = recording
    }
    /// The file of that name.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        self.init(fileName.dropLast(Self.suffix.count))
    }
    /// Its 16 hexadecimal digits.
    public var description: String {
        let digits = String(recording, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// What its file is called.
    var fileName: String { "\(self)\(Self.suffix)" }
    /// Where it lies in the library.
    var place: String { "\(LibraryFolder.bursts)/\(fileName)" }

    static let suffix = ".lcap"
}
