// SPDX-License-Identifier: MIT
// A source frame that was appended to a library's files of kept frames.

import LivecapFrames

/// A kept source frame: it is written, but not necessarily durable yet. As long as a value of it exists, its file is
/// not cleaned up.
package struct KeptFrame: Hashable, Sendable {
    /// The frame's id.
    package var id: FrameID { metadata.id }
    /// When it was taken, on the source's clock.
    package var time: Timestamp { metadata.time }
    /// Its size in bytes.
    package var byteCount: Int { metadata.byteCount }
    /// The metadata in its record.
    package let metadata: FrameMetadata
    /// Its number in its file, from 0.
    let ordinal: UInt64
    /// The offset of its bytes in the file.
    let offset: Int
    /// The XXH3-64 checksum of its bytes.
    let checksum: UInt64
    /// Its file, which stays open and locked as long as this value exists.
    let segment: BurstSegment

    /// The library's file of kept frames that contains it.
    package var burst: BurstID { segment.id }

    /// Its bytes. Throws if they are not those appended.
    package func bytes() throws(LibraryError) -> [UInt8] { try segment.bytes(of: self) }

    /// Adds a user of the frame: its bytes stay in the file until each user has released it, even if no photo has it.
    package func claim() { segment.claim(ordinal) }

    /// Ends a claim. `BurstWriter.append` returns a frame with one for its caller.
    package func release() { segment.release(ordinal) }

    /// The same frame in a sound file: in another one if a sync of this file failed.
    func onSoundDisk() throws(LibraryError) -> KeptFrame { try segment.keptAgain(self) }

    /// The offset after its last byte.
    var end: Int { offset + byteCount }

    /// Whether both are the same record of the same file.
    package static func == (a: KeptFrame, b: KeptFrame) -> Bool { a.ordinal == b.ordinal && a.burst == b.burst }

    /// Hashes the identity of the record.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(ordinal)
        hasher.combine(burst)
    }
}

/// Identifies one of a library's files of kept frames, by the number of its recording.
public struct BurstID: Hashable, Sendable, CustomStringConvertible {
    /// The number in the dump's header.
    public let recording: UInt64
    /// The file of that recording.
    public init(recording: UInt64) { self.recording = recording }
    /// Parses 16 hexadecimal digits; nil for any other text.
    init?(_ text: some StringProtocol) {
        guard text.count == 16, let recording = UInt64(text, radix: 16), Self(recording: recording).description == text
        else { return nil }
        self.recording = recording
    }
    /// Parses a file name; nil for any other name.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        self.init(fileName.dropLast(Self.suffix.count))
    }
    /// Its 16 hexadecimal digits.
    public var description: String {
        let digits = String(recording, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The name of its file.
    var fileName: String { "\(self)\(Self.suffix)" }
    /// Its path within the library.
    var place: String { "\(LibraryFolder.bursts)/\(fileName)" }

    static let suffix = ".lcap"
}

extension BurstID: Codable {
    /// Decodes the 16 hexadecimal digits. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value { BurstID($0) } }
    /// Encodes the 16 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}
