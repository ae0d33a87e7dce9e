// SPDX-License-Identifier: MIT
// Checks from its markers alone whether a camera's JPEG frame is complete. Accepts any bytes, without decoding or
// allocating.

import LivecapFrames

/// The structure of a JPEG picture according to its markers.
package struct JPEGStructure: Hashable, Sendable {
    /// The size in the picture's own header.
    package let size: FrameSize
    /// Whether it includes Huffman tables. Cameras may omit them; the standard tables are then implied.
    package let hasHuffmanTables: Bool
    /// Where the last segment of the header ends and the picture's data begin.
    package let dataStart: Int
    /// The offset just past the end-of-image marker. Any bytes after it are padding.
    package let end: Int

    /// Checks a frame for start and end of image, a size that matches the stream's (if given), and enough bytes for
    /// that size. Zeros and up to a kilobyte of other bytes after the end count as padding. Bytes between markers are
    /// accepted.
    ///
    /// Cheap enough for every frame: it reads only the header and the tail.
    package static func check(_ jpeg: RawSpan, size expected: FrameSize? = nil) -> (
        structure: JPEGStructure?, damage: Damage
    ) {
        guard jpeg.byteCount >= 4, jpeg.byte(0) == 0xFF, jpeg.byte(1) == 0xD8 else { return (nil, .jpegNoStart) }
        var header = JPEGHeaderWalk()
        guard let dataStart = header.walk(jpeg) else { return (nil, .jpegNoEnd) }
        guard let end = endOfImage(jpeg, after: dataStart) else { return (nil, .jpegNoEnd) }
        guard let size = header.size, size.width > 0, size.height > 0, expected == nil || expected == size,
            end - 2 - dataStart >= header.minDataBytes
        else { return (nil, .jpegSize) }
        return (
            JPEGStructure(
                size: size, hasHuffmanTables: header.hasHuffmanTables, dataStart: dataStart, end: end), .none
        )
    }

    /// Whether the picture has an end-of-image marker anywhere, because files may have more bytes after it than frames
    /// have.
    package static func hasEnd(_ jpeg: RawSpan) -> Bool {
        var header = JPEGHeaderWalk()
        guard let dataStart = header.walk(jpeg) else { return false }
        var place = dataStart
        while place + 1 < jpeg.byteCount {
            guard jpeg.byte(place) == 0xFF else {
                place += 1
                continue
            }
            if jpeg.byte(place + 1) == 0xD9 { return true }
            place += 1
        }
        return false
    }

    /// The size in the picture's own header, whatever follows the picture: files may hold a movie there. Nil if the
    /// header is incomplete.
    package static func size(of jpeg: RawSpan) -> FrameSize? {
        guard jpeg.byteCount >= 4, jpeg.byte(0) == 0xFF, jpeg.byte(1) == 0xD8 else { return nil }
        var header = JPEGHeaderWalk()
        guard header.walk(jpeg) != nil, let size = header.size, size.width > 0, size.height > 0 else { return nil }
        return size
    }

    /// The offset just past the last end-of-image marker near the tail.
    private static func endOfImage(_ jpeg: RawSpan, after start: Int) -> Int? {
        var last = jpeg.byteCount
        // Padding can fill most of a buffer, so skip it eight bytes at a time.
        while last - 8 >= start, jpeg.unsafeLoadUnaligned(fromByteOffset: last - 8, as: UInt64.self) == 0 { last -= 8 }
        while last > start, jpeg.byte(last - 1) == 0 { last -= 1 }
        var place = last - 2
        let limit = max(start, last - 2 - 1024)
        while place >= limit {
            if jpeg.byte(place) == 0xFF && jpeg.byte(place + 1) == 0xD9 { return place + 2 }
            place -= 1
        }
        return nil
    }
}

/// Steps through the segments before the first scan.
struct JPEGHeaderWalk {
    private(set) var size: FrameSize?
    private(set) var hasHuffmanTables = false
    /// Whether there are bytes between segments that belong to none.
    private(set) var hasLooseBytes = false
    /// The minimum number of bytes in which a sequential picture of that size can be coded.
    private(set) var minDataBytes = 1

    /// Returns the offset of the first scan's data; nil if the bytes end before it.
    mutating func walk(_ jpeg: RawSpan) -> Int? {
        var place = 2
        while let (code, range) = Self.segment(of: jpeg, from: place) {
            if range.lowerBound > place { hasLooseBytes = true }
            switch code {
            case 0xC4: hasHuffmanTables = true
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                readFrame(
                    jpeg, range.lowerBound + 4, count: range.count - 4, isSequential: code == 0xC0 || code == 0xC1)
            case 0xDA: return range.upperBound
            default: break
            }
            place = range.upperBound
        }
        return nil
    }

    /// Copies a picture whose header ends at `dataStart` to `result`, which must have room for it and the standard
    /// tables. Between header segments it keeps only markers, and it inserts the standard tables if requested. Returns
    /// the number of bytes written.
    static func tidy(
        _ jpeg: RawSpan, _ dataStart: Int, addingTables: Bool, writing result: UnsafeMutableRawBufferPointer
    ) -> Int {
        precondition(
            result.count >= jpeg.byteCount + StandardHuffmanTables.segment.count, "room for the picture and the tables")
        return jpeg.withUnsafeBytes { bytes in
            var count = 0
            func put(_ range: Range<Int>) {
                UnsafeMutableRawBufferPointer(rebasing: result[count...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[range]))
                count += range.count
            }
            put(0..<2)
            if addingTables {
                UnsafeMutableRawBufferPointer(rebasing: result[count...]).copyBytes(from: StandardHuffmanTables.segment)
                count += StandardHuffmanTables.segment.count
            }
            var place = 2
            while place < dataStart, let (_, range) = segment(of: jpeg, from: place) {
                while place + 1 < range.lowerBound {
                    let code = bytes[place + 1]
                    let isMarker = bytes[place] == 0xFF && (code == 0x01 || (0xD0...0xD8).contains(code))
                    if isMarker { put(place..<place + 2) }
                    place += isMarker ? 2 : 1
                }
                put(range)
                place = range.upperBound
            }
            put(dataStart..<bytes.count)
            return count
        }
    }

    /// The code and extent (including the marker) of the first segment at or after `start`. Nil if the image or the
    /// bytes end before the segment does.
    static func segment(of jpeg: RawSpan, from start: Int) -> (code: UInt8, range: Range<Int>)? {
        var place = start
        while place + 4 <= jpeg.byteCount {
            // Any bytes may lie between segments. A marker is one or more 0xFF followed by its code.
            guard jpeg.byte(place) == 0xFF else {
                place += 1
                continue
            }
            let code = jpeg.byte(place + 1)
            switch code {
            case 0xFF, 0x00: place += 1
            case 0x01, 0xD0...0xD8: place += 2  // markers without a segment
            case 0xD9: return nil
            default:
                let length = jpeg.word(place + 2)
                guard length >= 2, place + 2 + length <= jpeg.byteCount else { return nil }
                return (code, place..<(place + 2 + length))
            }
        }
        return nil
    }

    /// Reads a frame header: precision, height, width, and the sampling of each component.
    private mutating func readFrame(_ jpeg: RawSpan, _ place: Int, count: Int, isSequential: Bool) {
        guard count >= 6 else { return }
        let (height, width) = (jpeg.word(place + 1), jpeg.word(place + 3))
        size = FrameSize(width: width, height: height)
        let components = Int(jpeg.byte(place + 5))
        guard isSequential, (1...4).contains(components), count >= 6 + 3 * components else { return }
        var (across, down, blocks) = (1, 1, 0)
        for component in 0..<components {
            let sampling = jpeg.byte(place + 7 + 3 * component)
            let (h, v) = (Int(sampling >> 4), Int(sampling & 15))
            guard (1...4).contains(h), (1...4).contains(v) else { return }
            (across, down, blocks) = (max(across, h), max(down, v), blocks + h * v)
        }
        // Each block needs a code for its first coefficient and one to end the block, of at least one bit each.
        let units: Int
        if components == 1 {
            (units, blocks) = (((width + 7) / 8) * ((height + 7) / 8), 1)
        } else {
            units = ((width + 8 * across - 1) / (8 * across)) * ((height + 8 * down - 1) / (8 * down))
        }
        minDataBytes = max(1, units * blocks * 2 / 8)
    }
}

extension RawSpan {
    /// The byte at an offset, which must be in bounds.
    func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    /// The big-endian 16-bit word at an offset, which must be in bounds.
    func word(_ offset: Int) -> Int { Int(byte(offset)) << 8 | Int(byte(offset + 1)) }
}
