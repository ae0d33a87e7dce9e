// SPDX-License-Identifier: MIT
// The end of a finished dump: a copy of every frame header, so that opening a file of hours takes one read.

import Frames

/// The records behind the last frame. Frames and index lie without gaps, so offsets are sums and need not be kept.
enum DumpIndex {
    /// Before the entries: magic, how many, frames dropped by the recorder, the entries' checksum, its own.
    static let headBytes = 40
    /// The last bytes of the file: magic, where the index begins, checksum.
    static let trailerBytes = 24
    /// A frame header without its magic, lest a copy be taken for a frame when a damaged file is searched.
    static let entryBytes = DumpFrameHeader.byteCount - 8

    static let magic: UInt64 = 0x7865_646E_6943_4C89  // 89 "LCindex"
    static let trailerMagic: UInt64 = 0x2E2E_646E_6543_4C89  // 89 "LCend.."

    /// What stands before the entries.
    struct Head: Equatable {
        var count: UInt64
        /// Frames the recorder had to leave out.
        var dropped: UInt64
        /// Unseeded XXH3-64 of all entries.
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

    /// Where a trailer says the index begins; nil when it is none.
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
