// SPDX-License-Identifier: MIT
// The beginning of a raw frame dump: the source of the frames, their format, and when they were taken.

import Glibc
import LivecapFrames

/// The properties that all frames of a dump share.
package struct DumpHeader: Hashable, Sendable {
    /// Identifies this recording. The checksums of its records are seeded with it, so that records of another recording
    /// embedded in its bytes are never mistaken for its own.
    package var recording: UInt64
    /// The camera's name for people.
    package var name: String
    /// The camera's identity, as in `SourceDescription`.
    package var identity: String
    /// The format of the frames.
    package var format: FrameFormat
    /// The frame rate, as far as it was known.
    package var rate: FrameRate?
    /// The clock of the frames' times. With `.monotonic`, `anchor` yields the calendar time of every frame.
    package var clock: SourceClock
    /// When the recording began.
    package var anchor: WallClockAnchor

    /// Creates the header of a new recording of a source.
    package init(
        of source: SourceDescription, anchor: WallClockAnchor = .now, recording: UInt64 = .random(in: 1 ... .max)
    ) {
        self.recording = recording
        name = source.name
        identity = source.identity
        format = source.format
        rate = source.rate
        clock = source.clock
        self.anchor = anchor
    }
}

extension DumpHeader {
    /// The first bytes of every dump. The first byte is not text, and the line ends reveal a transfer that converted
    /// them.
    static let magic: UInt64 = 0x1A_0A_0D_50_41_43_4C_89  // 89 "LCAP" 0D 0A 1A
    static let version: UInt32 = 1
    /// The size of magic, version and length: enough to know how much to read.
    static let prefixBytes = 16
    /// The size of the fields before the strings.
    private static let fixedBytes = 88
    /// The maximum size of a header. Three strings of at most `longestText` bytes stay far below it.
    static let longest = 1 << 16
    private static let longestText = 4096

    /// The header as it appears in the file.
    func encoded() -> [UInt8] {
        let texts = [name, identity, anchor.zoneName].map { $0.clipped(toUTF8: Self.longestText) }
        let used = Self.fixedBytes + texts.reduce(0) { $0 + 2 + $1.utf8.count }
        let padded = (used + 7) & ~7
        return .record(of: padded + 8) { fields in
            fields.put(Self.magic)
            fields.put(Self.version)
            fields.put(UInt32(padded + 8))
            fields.put(recording)
            fields.put(format.pixelFormat.fourCC)
            fields.put(UInt32(clamping: format.size.width))
            fields.put(UInt32(clamping: format.size.height))
            fields.put(UInt32(clamping: format.bytesPerLine))
            fields.put(UInt64(clamping: format.byteCount))
            fields.put(rate?.numerator ?? 0)
            fields.put(rate?.denominator ?? 0)
            fields.put(format.colorimetry.range.rawValue)
            fields.put(format.colorimetry.matrix.rawValue)
            fields.put(format.colorimetry.transfer.rawValue)
            fields.put(format.colorimetry.primaries.rawValue)
            fields.put(UInt32(clock == .monotonic ? 1 : 2))
            fields.put(anchor.monotonic.nanoseconds)
            fields.put(anchor.calendar.utcNanoseconds)
            fields.put(anchor.calendar.zoneOffsetSeconds)
            fields.put(UInt32(0))
            for text in texts { fields.put(text) }
            for _ in used..<padded { fields.put(UInt8(0)) }
            fields.putChecksum(seed: 0)
        }
    }

    /// The header's length, taken from its first `prefixBytes` bytes. Throws if they do not begin a dump that this
    /// version reads.
    static func length(prefix: UnsafeRawBufferPointer) throws(HeaderFault) -> Int {
        var fields = FieldReader(prefix)
        guard fields.take() == magic, !fields.overran else { throw .foreign }
        let version = fields.take(UInt32.self)
        let length = Int(fields.take(UInt32.self))
        guard !fields.overran else { throw .short }
        // A damaged version number looks like a newer version. If the length is plausible, let the checksum decide
        // first.
        guard length >= fixedBytes + 6 + 8, length <= longest, length % 8 == 0 else {
            throw version == self.version ? .damaged : .version(version)
        }
        return length
    }

    /// Reads a complete header.
    init(decoding bytes: UnsafeRawBufferPointer, ignoringChecksum: Bool = false) throws(HeaderFault) {
        let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 8)])
        var end = FieldReader(UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - 8)...]))
        guard end.take() == Checksum.of(body) || ignoringChecksum else { throw .damaged }
        var fields = FieldReader(body)
        _ = fields.take(UInt64.self)
        let version = fields.take(UInt32.self)
        guard version == Self.version else { throw .version(version) }
        _ = fields.take(UInt32.self)
        recording = fields.take()
        let pixelFormat = PixelFormat(fourCC: fields.take())
        let (width, height) = (Int(fields.take(UInt32.self)), Int(fields.take(UInt32.self)))
        let bytesPerLine = Int(fields.take(UInt32.self))
        guard let byteCount = Int(exactly: fields.take(UInt64.self)) else { throw .absurdFormat }
        let (numerator, denominator) = (fields.take(UInt32.self), fields.take(UInt32.self))
        rate = numerator > 0 && denominator > 0 ? FrameRate(numerator, per: denominator) : nil
        guard
            let range = Colorimetry.Range(rawValue: fields.take()),
            let matrix = Colorimetry.Matrix(rawValue: fields.take()),
            let transfer = Colorimetry.Transfer(rawValue: fields.take()),
            let primaries = Colorimetry.Primaries(rawValue: fields.take())
        else { throw .absurdFormat }
        clock = fields.take(UInt32.self) == 1 ? .monotonic : .own
        let (monotonic, utc) = (fields.take(Int64.self), fields.take(Int64.self))
        let offset = fields.take(Int32.self)
        _ = fields.take(UInt32.self)
        name = fields.takeText()
        identity = fields.takeText()
        anchor = WallClockAnchor(
            monotonic: Timestamp(nanoseconds: monotonic),
            calendar: CalendarTime(utcNanoseconds: utc, zoneOffsetSeconds: offset), zoneName: fields.takeText())
        guard !fields.overran else { throw .damaged }
        format = FrameFormat(
            pixelFormat: pixelFormat, size: FrameSize(width: width, height: height), bytesPerLine: bytesPerLine,
            byteCount: byteCount,
            colorimetry: Colorimetry(range: range, matrix: matrix, transfer: transfer, primaries: primaries))
        guard format.isPlausible else { throw .absurdFormat }
    }
}

/// Why the beginning of a file is not a valid dump header.
enum HeaderFault: Error, Equatable {
    case foreign
    case short
    case version(UInt32)
    case damaged
    case absurdFormat
    case unreadable(FrameFileError)
}

extension FrameFormat {
    /// Whether the numbers of a format from a file are consistent: its planes can be computed and lie within a frame.
    var isPlausible: Bool {
        guard (1...65535).contains(size.width), (1...65535).contains(size.height),
            (0...(1 << 20)).contains(bytesPerLine), (1...Self.maxBytes).contains(byteCount)
        else { return false }
        return planes.allSatisfy { $0.stride >= $0.rowBytes && $0.end <= byteCount }
    }

    /// The maximum size of a frame in a file: 256 MiB, four bytes for each of 8192x8192 pixels. No camera comes near
    /// it. The limit keeps a sparse file from making its readers allocate gigabytes.
    static let maxBytes = 256 << 20

    /// The minimum size of a complete frame in bytes.
    var leastByteCount: Int { max(1, neededBytes) }
}

extension String {
    /// The longest prefix of whole characters that fits in `limit` bytes of UTF-8.
    fileprivate func clipped(toUTF8 limit: Int) -> String {
        var text = self[...]
        while text.utf8.count > limit { text.removeLast() }
        return String(text)
    }
}
