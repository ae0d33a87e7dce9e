// SPDX-License-Identifier: MIT
// The end of a finished dump: a copy of every frame header, so that even a dump of hours opens fast.

import LivecapFrames

/// The records after the last frame. Frames and index are contiguous, so offsets are computed as sums and need not be
/// stored.
enum DumpIndex {
    /// The size of the part before the entries: magic, frame count, frames dropped by the recorder, checksum of the
    /// entries, own checksum.
    static let headBytes = 40
    /// The size of the end of the file: magic, offset of the index, checksum.
    static let trailerBytes = 24
    /// The size of a frame header without its magic. The magic is omitted so that a search of a damaged file does not
    /// mistake a copy for a frame.
    static let entryBytes = DumpFrameHeader.byteCount - 8

    static let magic: UInt64 = 0x7865_646E_6943_4C89  // 89 "LCindex"
    static let trailerMagic: UInt64 = 0x2E2E_646E_6543_4C89  // 89 "LCend.."

    /// The part before the entries.
    struct Head: Equatable {
        var count: UInt64
        /// Frames that the recorder had to drop.
        var dropped: UInt64
        /// The unseeded XXH3-64 of all entries.
        var entriesChecksum: UInt64

        func encoded(recording: UInt64) -> [UInt8] {
            .record(of: DumpIndex.headBytes) { fields in
                fields.put(DumpIndex.magic)
                fields.put(count)
                fields.put(dropped)
                fields.put(entriesChecksum)
                fields.putChecksum(seed: recording)
            }
        }

        init(count: UInt64, dropped: UInt64, entriesChecksum: UInt64) {
            self.count = count
            self.dropped = dropped
            self.entriesChecksum = entriesChecksum
        }

        init?(decoding bytes: UnsafeRawBufferPointer, recording: UInt64, ignoringChecksum: Bool = false) {
            guard bytes.count >= DumpIndex.headBytes else { return nil }
            var fields = FieldReader(bytes)
            guard fields.take() == DumpIndex.magic else { return nil }
            count = fields.take()
            dropped = fields.take()
            entriesChecksum = fields.take()
            let sum = Checksum.of(
                UnsafeRawBufferPointer(rebasing: bytes[..<(DumpIndex.headBytes - 8)]), seed: recording)
            guard fields.take() == sum || ignoringChecksum else { return nil }
        }
    }

    static func trailer(indexAt offset: Int, recording: UInt64) -> [UInt8] {
        .record(of: trailerBytes) { fields in
            fields.put(trailerMagic)
            fields.put(UInt64(offset))
            fields.putChecksum(seed: recording)
        }
    }

    /// The offset of the index according to a trailer; nil if the bytes are not a valid trailer.
    static func indexOffset(
        trailer bytes: UnsafeRawBufferPointer, recording: UInt64, ignoringChecksum: Bool = false
    ) -> Int? {
        guard bytes.count == trailerBytes else { return nil }
        var fields = FieldReader(bytes)
        guard fields.take() == trailerMagic else { return nil }
        let offset = fields.take(UInt64.self)
        let sum = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<(trailerBytes - 8)]), seed: recording)
        guard fields.take() == sum || ignoringChecksum else { return nil }
        return Int(exactly: offset)
    }
}
