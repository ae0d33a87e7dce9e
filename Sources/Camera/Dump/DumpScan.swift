// SPDX-License-Identifier: MIT
// Finding a dump's frames: by its index, or, where there is none that matches, by searching the file.

import Frames
import Glibc

/// Where a frame lies in a dump, and what its header said.
struct DumpEntry {
    /// Where the payload begins; the header ends there.
    var payloadOffset: Int
    var header: DumpFrameHeader
}

/// The frames of a dump and how they were found.
struct DumpContents {
    var entries: [DumpEntry] = []
    var health = FileHealth()
    /// Frames the recorder left out, where the index tells.
    var dropped: UInt64?
}

/// Finds the frames of one file. Every number from the file is checked against the file's size before it is used.
struct DumpScan {
    let file: InputFile
    let header: DumpHeader
    /// Where the first record begins.
    let start: Int
    /// Takes wrong checksums for right ones, so that a fuzzer gets past them.
    var ignoringChecksums = false

    /// The frames, by the index if it is whole.
    func contents() throws(CameraError) -> DumpContents {
        if let listed = try indexed() { return listed }
        return try searched()
    }

    // MARK: By the index

    /// Where the trailer says the index begins.
    private func indexOffset() throws(CameraError) -> Int? {
        let trailer = try file.bytes(
            at: max(0, file.byteCount - DumpIndex.trailerBytes), count: DumpIndex.trailerBytes)
        return trailer.withUnsafeBytes {
            DumpIndex.indexOffset(trailer: $0, recording: header.recording, ignoringChecksum: ignoringChecksums)
        }
    }

    private func indexHead(at offset: Int) throws(CameraError) -> DumpIndex.Head? {
        try file.bytes(at: offset, count: DumpIndex.headBytes).withUnsafeBytes {
            DumpIndex.Head(decoding: $0, recording: header.recording, ignoringChecksum: ignoringChecksums)
        }
    }

    /// The frames the index lists; nil unless it is whole and its frames fill the file from header to index.
    private func indexed() throws(CameraError) -> DumpContents? {
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

    /// The header an index entry is the copy of.
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

    /// What stands at a place in the file.
    private enum Landmark {
        case frame(DumpFrameHeader)
        case index(DumpIndex.Head)
    }

    private func landmark(at offset: Int) throws(CameraError) -> Landmark? {
        try file.bytes(at: offset, count: DumpFrameHeader.byteCount).withUnsafeBytes { landmark($0) }
    }

    /// What the bytes of a record's header are.
    private func landmark(_ bytes: UnsafeRawBufferPointer) -> Landmark? {
        if let frame = frameHeader(bytes) { return .frame(frame) }
        return DumpIndex.Head(
            decoding: bytes, recording: header.recording, ignoringChecksum: ignoringChecksums
        ).map { .index($0) }
    }

    /// The frames found by going from record to record, stepping over damaged stretches.
    private func searched() throws(CameraError) -> DumpContents {
        var contents = DumpContents()
        contents.health.index = .rebuilt
        var at = start
        var expected: UInt64 = 0
        // Whether what lies right before is a damaged stretch, which is counted once however it goes on.
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
                    // A copy of what has been seen, or not in its place: nothing in order can be made of it.
                    if !isWithinDamage { contents.health.damagedStretches += 1 }
                    isWithinDamage = true
                    continue
                }
                isWithinDamage = false
                // Also where nothing looks damaged: records can be cut out whole.
                contents.noteLoss(before: &frame, expected: expected)
                contents.entries.append(DumpEntry(payloadOffset: payload, header: frame))
                expected = frame.ordinal &+ 1
            case .index(let head):
                if head.count > expected { contents.health.noteLoss(head.count - expected) }
                contents.dropped = head.dropped
                return contents
            case nil:
                // Either the recording was interrupted here, or this is its index, damaged.
                if try indexOffset() != at { contents.health.tornBytes = file.byteCount - at }
                return contents
            }
        }
        return contents
    }

    /// The next record after `offset` that is whole, searched for by what all magics begin with. Each byte of data is read once,
    /// whatever it is, and holes of a sparse file not at all.
    private func nextLandmark(after offset: Int) throws(CameraError) -> (Int, Landmark)? {
        // Grows from small, so that many short damaged stretches do not cost a large read each.
        var size = 4096
        var at = offset + 1
        while let start = file.nextData(from: at) {
            at = start
            let bytes = try file.bytes(at: at, count: size)
            let isLast = bytes.count < size
            // A header that the piece may end within is found with the next piece.
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
    /// Counts the records missing before a frame and says so in it.
    fileprivate mutating func noteLoss(before frame: inout DumpFrameHeader, expected: UInt64) {
        guard frame.ordinal > expected else { return }
        let lost = frame.ordinal - expected
        health.noteLoss(lost)
        frame.metadata.noteLoss(UInt32(clamping: lost))
    }
}

extension FileHealth {
    /// Adds up frames that are gone; a hostile file claims any number.
    fileprivate mutating func noteLoss(_ count: UInt64) {
        lostFrames = Int(clamping: UInt64(lostFrames) + min(count, UInt64(UInt32.max)))
    }
}

extension UnsafeRawBufferPointer {
    /// Where `pattern` stands at or after `from`: `memchr(3)`.
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
