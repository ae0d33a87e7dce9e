// SPDX-License-Identifier: MIT
// Finds a dump's frames through its index or, if there is no matching index, by searching the file.

import Glibc
import LivecapFrames

/// The location of a frame in a dump, and its header.
struct DumpEntry {
    /// Where the payload begins, right after the header.
    var payloadOffset: Int
    var header: DumpFrameHeader
}

/// The frames of a dump and how they were found.
struct DumpContents {
    var entries: [DumpEntry] = []
    var health = FileHealth()
    /// Frames that the recorder dropped, if the index is there to report them.
    var dropped: UInt64?
}

/// Finds the frames of one file. Every number from the file is checked against the file's size before use.
struct DumpScan {
    let file: InputFile
    let header: DumpHeader
    /// Where the first record begins.
    let start: Int
    /// Accepts wrong checksums, so that a fuzzer gets past them.
    var ignoringChecksums = false

    /// Finds the frames, through the index if it is undamaged.
    func contents() throws(FrameFileError) -> DumpContents {
        if let listed = try indexed() { return listed }
        return try searched()
    }

    // MARK: By the index

    /// The offset of the index according to the trailer.
    private func indexOffset() throws(FrameFileError) -> Int? {
        let trailer = try file.bytes(
            at: max(0, file.byteCount - DumpIndex.trailerBytes), count: DumpIndex.trailerBytes)
        return trailer.withUnsafeBytes {
            DumpIndex.indexOffset(trailer: $0, recording: header.recording, ignoringChecksum: ignoringChecksums)
        }
    }

    private func indexHead(at offset: Int) throws(FrameFileError) -> DumpIndex.Head? {
        try file.bytes(at: offset, count: DumpIndex.headBytes).withUnsafeBytes {
            DumpIndex.Head(decoding: $0, recording: header.recording, ignoringChecksum: ignoringChecksums)
        }
    }

    /// The frames that the index lists; nil unless it is undamaged and its frames fill the file from header to index.
    private func indexed() throws(FrameFileError) -> DumpContents? {
        guard let offset = try indexOffset(), offset >= start,
            offset <= file.byteCount - DumpIndex.headBytes - DumpIndex.trailerBytes,
            let head = try indexHead(at: offset)
        else { return nil }
        let listed = file.byteCount - DumpIndex.trailerBytes - DumpIndex.headBytes - offset
        guard listed % DumpIndex.entryBytes == 0, head.count == UInt64(listed / DumpIndex.entryBytes) else {
            return nil
        }
        var contents = DumpContents()
        contents.health.index = .intact
        contents.dropped = head.dropped
        var sum = RunningChecksum()
        var at = offset + DumpIndex.headBytes
        var end = start
        while contents.entries.count < Int(head.count) {
            let count = min(Int(head.count) - contents.entries.count, Self.entriesAtOnce)
            let bytes = try file.bytes(at: at, count: count * DumpIndex.entryBytes)
            guard bytes.count == count * DumpIndex.entryBytes else { return nil }
            at += bytes.count
            let isSound = bytes.withUnsafeBytes { bytes in
                sum.add(bytes)
                for index in 0..<count {
                    let entry = UnsafeRawBufferPointer(
                        rebasing: bytes[index * DumpIndex.entryBytes..<(index + 1) * DumpIndex.entryBytes])
                    guard let frame = listedHeader(entry), frame.ordinal == UInt64(contents.entries.count),
                        frame.metadata.byteCount <= offset - end - DumpFrameHeader.byteCount
                    else { return false }
                    contents.entries.append(
                        DumpEntry(payloadOffset: end + DumpFrameHeader.byteCount, header: frame))
                    end += DumpFrameHeader.byteCount + frame.metadata.byteCount
                }
                return true
            }
            guard isSound else { return nil }
        }
        guard end == offset, sum.value == head.entriesChecksum || ignoringChecksums else { return nil }
        return contents
    }

    private static let entriesAtOnce = 1024

    /// The header of which an index entry is a copy.
    private func listedHeader(_ entry: UnsafeRawBufferPointer) -> DumpFrameHeader? {
        withUnsafeTemporaryAllocation(byteCount: DumpFrameHeader.byteCount, alignment: 8) { bytes in
            bytes.storeBytes(of: DumpFrameHeader.magic.littleEndian, as: UInt64.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[8...]).copyMemory(from: entry)
            return frameHeader(UnsafeRawBufferPointer(bytes))
        }
    }

    private func frameHeader(_ bytes: UnsafeRawBufferPointer) -> DumpFrameHeader? {
        DumpFrameHeader(
            decoding: bytes, recording: header.recording, format: header.format, ignoringChecksum: ignoringChecksums)
    }

    // MARK: By searching

    /// A record found at some offset of the file.
    private enum Landmark {
        case frame(DumpFrameHeader)
        case index(DumpIndex.Head)
    }

    private func landmark(at offset: Int) throws(FrameFileError) -> Landmark? {
        try file.bytes(at: offset, count: DumpFrameHeader.byteCount).withUnsafeBytes { landmark($0) }
    }

    /// Decodes the bytes of a record's header.
    private func landmark(_ bytes: UnsafeRawBufferPointer) -> Landmark? {
        if let frame = frameHeader(bytes) { return .frame(frame) }
        return DumpIndex.Head(
            decoding: bytes, recording: header.recording, ignoringChecksum: ignoringChecksums
        ).map { .index($0) }
    }

    /// Finds the frames by going from record to record, skipping damaged stretches.
    private func searched() throws(FrameFileError) -> DumpContents {
        var contents = DumpContents()
        contents.health.index = .rebuilt
        var at = start
        var expected: UInt64 = 0
        // Whether a damaged stretch lies directly before. Each stretch is counted once, however it continues.
        var isWithinDamage = false
        while at < file.byteCount {
            var found = try landmark(at: at)
            if found == nil, let (place, next) = try nextLandmark(after: at) {
                (at, found) = (place, next)
                if !isWithinDamage { contents.health.damagedStretches += 1 }
                isWithinDamage = true
            }
            switch found {
            case .frame(var frame):
                let payload = at + DumpFrameHeader.byteCount
                guard frame.metadata.byteCount <= file.byteCount - payload else {
                    contents.health.tornBytes = file.byteCount - at
                    return contents
                }
                at = payload + frame.metadata.byteCount
                guard frame.ordinal >= expected else {
                    // A duplicate or misplaced record, which cannot be put into order.
                    if !isWithinDamage { contents.health.damagedStretches += 1 }
                    isWithinDamage = true
                    continue
                }
                isWithinDamage = false
                // Losses are noted even where nothing looks damaged, because whole records can be cut out.
                contents.noteLoss(before: &frame, expected: expected)
                contents.entries.append(DumpEntry(payloadOffset: payload, header: frame))
                expected = frame.ordinal &+ 1
            case .index(let head):
                if head.count > expected { contents.health.noteLoss(head.count - expected) }
                contents.dropped = head.dropped
                return contents
            case nil:
                // Either the recording was interrupted here, or this is its damaged index.
                if try indexOffset() != at { contents.health.tornBytes = file.byteCount - at }
                return contents
            }
        }
        return contents
    }

    /// Finds the next undamaged record after `offset`, by searching for the prefix that all magics share. Each byte of
    /// data is read once, except for small overlaps between reads; holes of a sparse file are not read at all.
    private func nextLandmark(after offset: Int) throws(FrameFileError) -> (Int, Landmark)? {
        // The size starts small and grows, so that many short damaged stretches do not cost a large read each.
        var size = 4096
        var at = offset + 1
        while let start = file.nextData(from: at) {
            at = start
            let bytes = try file.bytes(at: at, count: size)
            let isLast = bytes.count < size
            // A header that extends past this piece is found with the next one.
            let end = isLast ? bytes.count : size - (DumpFrameHeader.byteCount - 1)
            let found = bytes.withUnsafeBytes { bytes -> (Int, Landmark)? in
                var from = 0
                while let place = bytes.position(of: Self.magicPrefix, from: from), place < end {
                    let header = bytes[place..<min(place + DumpFrameHeader.byteCount, bytes.count)]
                    if let found = landmark(UnsafeRawBufferPointer(rebasing: header)) { return (at + place, found) }
                    from = place + 1
                }
                return nil
            }
            if let found { return found }
            guard !isLast else { return nil }
            at += end
            size = min(2 * size, 1 << 20)
        }
        return nil
    }

    private static let magicPrefix: [UInt8] = [0x89, UInt8(ascii: "L"), UInt8(ascii: "C")]
}

extension DumpContents {
    /// Counts the records missing before a frame, and notes the loss in the frame.
    fileprivate mutating func noteLoss(before frame: inout DumpFrameHeader, expected: UInt64) {
        guard frame.ordinal > expected else { return }
        let lost = frame.ordinal - expected
        health.noteLoss(lost)
        frame.metadata.noteLoss(UInt32(clamping: lost))
    }
}

extension FileHealth {
    /// Adds to the number of lost frames, clamped because a hostile file can claim any number.
    fileprivate mutating func noteLoss(_ count: UInt64) {
        lostFrames = Int(clamping: UInt64(lostFrames) + min(count, UInt64(UInt32.max)))
    }
}

extension UnsafeRawBufferPointer {
    /// The position of `pattern` at or after `from`: `memchr(3)`.
    fileprivate func position(of pattern: [UInt8], from: Int) -> Int? {
        var from = from
        while from + pattern.count <= count, let base = baseAddress,
            let first = memchr(base + from, Int32(pattern[0]), count - from - pattern.count + 1)
        {
            let place = UnsafeRawPointer(first) - base
            if self[place..<(place + pattern.count)].elementsEqual(pattern) { return place }
            from = place + 1
        }
        return nil
    }
}
