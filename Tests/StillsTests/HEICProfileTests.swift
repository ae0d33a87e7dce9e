// SPDX-License-Identifier: MIT
// How a HEIC file describes itself: brand and HEVC profile, read by a parser of boxes and parameter sets.

import Fusion
import LivecapFrames
import LivecapStills
import Testing

@Suite struct HEICProfileTests {
    /// The brands of a file, and the profiles named in its decoder configuration and its parameter sets.
    private struct Words: Equatable {
        var brands: [String] = []
        var profiles: [UInt8] = []
        var compatible: [UInt32] = []
        var isOnePicture: [Bool] = []
        var depth = 0

        /// Adds a profile, its compatibility flags and the flag for single pictures.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            let bytes = Array(bytes.prefix(11))
            profiles.append(bytes[0] & 31)
            compatible.append(bytes[1..<5].reduce(0) { $0 << 8 | UInt32($1) })
            isOnePicture.append(bytes[6] & 0x10 != 0)
        }
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// The body of the first box at a path of nested boxes.
    private func box(_ path: [String], in bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        guard let name = path.first else { return bytes }
        var rest = bytes
        while rest.count >= 8 {
            let (length, start) = (number(rest.prefix(4)), rest.startIndex)
            try #require(length >= 8 && length <= rest.count)
            if rest[(start + 4)..<(start + 8)].elementsEqual(name.utf8) {
                // `meta` has a version and flags before its boxes.
                return try box(
                    Array(path.dropFirst()), in: rest[(start + 8 + (name == "meta" ? 4 : 0))..<(start + length)])
            }
            rest = rest.dropFirst(length)
        }
        throw StillError.unencodable("no box \(name)")
    }

    /// The payload of a unit without its emulation prevention bytes.
    private func payload(_ unit: ArraySlice<UInt8>) -> [UInt8] {
        var (payload, zeros) = ([UInt8](), 0)
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            payload.append(byte)
        }
        return payload
    }

    private func words(_ file: [UInt8]) throws -> Words {
        var words = Words()
        let type = Array(try box(["ftyp"], in: file[...]))
        words.brands = ([0] + stride(from: 8, to: type.count, by: 4)).map { place in
            String(decoding: type[place..<(place + 4)], as: UTF8.self)
        }
        let record = Array(try box(["meta", "iprp", "ipco", "hvcC"], in: file[...]))
        words.depth = 8 + Int(record[17] & 7)
        words.add(record[1...])
        var place = 23
        for _ in 0..<record[22] {
            let (kind, length) = (record[place] & 63, number(record[(place + 3)..<(place + 5)]))
            let unit = payload(record[(place + 5)..<(place + 5 + length)])
            if kind == 32 { words.add(unit[6...]) }
            if kind == 33 { words.add(unit[3...]) }
            place += 5 + length
        }
        #expect(place == record.count)
        return words
    }

    private func file(_ format: PixelFormat, _ depth: HEICEncoder.Depth) throws -> [UInt8] {
        let still = try picture(FrameFormat(pixelFormat: format, size: FrameSize(width: 64, height: 48))) { _, x, y in
            UInt16((60 + x + y) << 8)
        }
        return try HEICEncoder(depth: depth, quality: 80).encode(still)
    }

    @Test func tenBitsAreMain10() throws {
        let words = try words(file(.nv12, .ten))
        #expect(words.brands == ["heix", "mif1", "heix", "miaf"])
        #expect(words.depth == 10)
        // The configuration record and the video and sequence parameter sets agree: Main 10, no other compatible
        // profile, one picture.
        #expect(words.profiles == [2, 2, 2])
        #expect(words.compatible == [1 << 29, 1 << 29, 1 << 29])
        #expect(words.isOnePicture == [true, true, true])
    }

    @Test func eightBitsAreMainStillPicture() throws {
        let words = try words(file(.nv12, .eight))
        #expect(words.brands == ["heic", "mif1", "heic", "miaf"])
        #expect(words.profiles == [3, 3, 3] && words.depth == 8)
    }

    @Test(arguments: HEICEncoder.Depth.allCases) func greyNeedsTheExtensions(depth: HEICEncoder.Depth) throws {
        let words = try words(file(.grey, depth))
        #expect(words.brands == ["heix", "mif1", "heix", "miaf"])
        #expect(words.profiles == [4, 4, 4])
    }
}
