// SPDX-License-Identifier: MIT
// Finds where each JPEG ends in a stream of bytes, by parsing its markers instead of searching for FF D9.

import Glibc
import LivecapFrames

/// A JPEG found in a stream.
struct JPEGExtent: Equatable {
    /// Its bytes, from start-of-image to end-of-image.
    var range: Range<Int>
    /// The size in its frame header.
    var size: FrameSize?
    /// Whether it includes Huffman tables.
    var hasHuffmanTables = false
    /// Any structural damage.
    var damage = Damage.none
}

/// Parses a file of concatenated JPEGs marker by marker. Thumbnails inside segments are skipped with their segment.
/// Bytes between pictures (multipart boundaries, padding) are skipped too.
struct JPEGBoundaryScanner {
    /// The maximum length of a picture: no webcam exceeds it, so a longer one lacks its end-of-image.
    static let longest = 64 << 20

    private let file: InputFile
    private var window: [UInt8]
    private var windowStart = 0
    private var windowCount = 0

    /// Creates a scanner that reads `windowBytes` at a time.
    init(_ file: InputFile, windowBytes: Int = 1 << 18) {
        self.file = file
        window = [UInt8](repeating: 0, count: min(windowBytes, max(1, file.byteCount)))
    }

    /// Finds the next JPEG at or after `offset`.
    mutating func next(from offset: Int) throws(FrameFileError) -> JPEGExtent? {
        guard let start = try startOfImage(from: offset) else { return nil }
        return try picture(at: start)
    }

    /// Parses segments from the start-of-image at `start` to the end of the picture.
    private mutating func picture(at start: Int) throws(FrameFileError) -> JPEGExtent {
        var found = JPEGExtent(range: start..<start)
        var at = start + 2
        let limit = min(file.byteCount, start + Self.longest)
        while at < limit {
            guard let first = try byte(at) else { break }
            guard first == 0xFF else {
                // Bytes outside segments occur only in entropy-coded data.
                at = try marker(from: at, limit: limit)
                continue
            }
            guard let code = try byte(at + 1) else { break }
            switch code {
            case 0xFF: at += 1
            case 0x00, 0x01, 0xD0...0xD7: at += 2
            case 0xD9:
                found.range = start..<(at + 2)
                return found
            case 0xD8:
                // The next picture begins before this one has ended.
                found.range = start..<at
                found.damage = .jpegNoEnd
                return found
            default:
                guard let high = try byte(at + 2), let low = try byte(at + 3) else {
                    at = limit
                    break
                }
                try note(code, at: at, in: &found)
                // A length below 2 is invalid; the scan continues right after the marker and its length.
                at += 2 + max(Int(high) << 8 | Int(low), 2)
            }
        }
        found.range = start..<min(at, limit)
        found.damage = .jpegNoEnd
        return found
    }

    /// Notes the contents of a segment: the picture's size, or that Huffman tables are included.
    private mutating func note(_ code: UInt8, at offset: Int, in found: inout JPEGExtent) throws(FrameFileError) {
        switch code {
        case 0xC4: found.hasHuffmanTables = true
        case 0xC0...0xCF where code != 0xC8 && code != 0xCC && found.size == nil:
            var numbers: [Int] = []
            for index in 5...8 { numbers.append(Int(try byte(offset + index) ?? 0)) }
            let size = FrameSize(width: numbers[2] << 8 | numbers[3], height: numbers[0] << 8 | numbers[1])
            if size.width > 0, size.height > 0 { found.size = size }
        default: break
        }
    }

    /// The position of the next FF D8 FF.
    private mutating func startOfImage(from offset: Int) throws(FrameFileError) -> Int? {
        var at = offset
        while true {
            at = try marker(from: at, limit: file.byteCount)
            guard at < file.byteCount else { return nil }
            if try byte(at + 1) == 0xD8, try byte(at + 2) == 0xFF { return at }
            at += 1
        }
    }

    /// The position of the next FF, or `limit`: `memchr(3)`.
    private mutating func marker(from offset: Int, limit: Int) throws(FrameFileError) -> Int {
        var at = offset
        while at < limit {
            try load(at)
            guard at - windowStart < windowCount else { return limit }
            let from = at - windowStart
            let place = window.withUnsafeBytes { bytes in
                memchr(bytes.baseAddress! + from, 0xFF, windowCount - from).map {
                    UnsafeRawPointer($0) - bytes.baseAddress!
                }
            }
            if let place { return min(windowStart + place, limit) }
            at = windowStart + windowCount
        }
        return limit
    }

    private mutating func byte(_ offset: Int) throws(FrameFileError) -> UInt8? {
        try load(offset)
        let place = offset - windowStart
        return place < windowCount ? window[place] : nil
    }

    /// Loads the window so that it contains `offset`.
    private mutating func load(_ offset: Int) throws(FrameFileError) {
        if offset >= windowStart, offset < windowStart + windowCount { return }
        let file = file
        windowCount = try window.withMutableBytes { (bytes) throws(FrameFileError) in
            try file.read(at: offset, into: bytes)
        }
        windowStart = offset
    }
}
