// SPDX-License-Identifier: MIT
// What the structure check of a camera's JPEG frames accepts and rejects.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapJPEG

@Suite struct JPEGStructureTests {
    private let size = FrameSize(width: 64, height: 48)

    private func damage(_ jpeg: [UInt8], _ size: FrameSize? = nil) -> Damage {
        JPEGStructure.check(jpeg.span.bytes, size: size).damage
    }

    private func structure(_ jpeg: [UInt8]) -> JPEGStructure? { JPEGStructure.check(jpeg.span.bytes).structure }

    @Test("A complete picture passes", arguments: ChromaSampling.allCases)
    func whole(_ sampling: ChromaSampling) throws {
        let jpeg = try picture(size, sampling)
        #expect(damage(jpeg, size) == .none)
        #expect(structure(jpeg)?.size == size)
        #expect(structure(jpeg)?.hasHuffmanTables == true)
        #expect(structure(jpeg)?.end == jpeg.count)
    }

    @Test("A flat picture, the smallest possible, passes")
    func flat() throws {
        let size = FrameSize(width: 1280, height: 720)
        var encoder = try JPEGEncoder()
        let grey = [UInt8](repeating: 128, count: 3 * size.area)
        let jpeg = try encoder.encodeRGB(grey.span.bytes, size: size, quality: 1) { copy($0) }
        #expect(damage(jpeg, size) == .none)
    }

    @Test("Padding and a few bytes after the end are not damage")
    func padding() throws {
        let jpeg = try picture(size, .s422)
        for tail in [[UInt8](repeating: 0, count: 100_003), [1, 2, 3], [0xFF], [UInt8](repeating: 0xAA, count: 1000)] {
            #expect(damage(jpeg + tail, size) == .none)
            #expect(structure(jpeg + tail)?.end == jpeg.count)
        }
        #expect(damage(jpeg + [UInt8](repeating: 0xAA, count: 2000), size) == .jpegNoEnd)
    }

    @Test("Extraneous bytes between segments are not damage")
    func extraneous() throws {
        let jpeg = try picture(size, .s422)
        #expect(damage(jpeg[..<2] + [0x00, 0x12, 0xFF, 0xFF] + jpeg[2...], size) == .none)
    }

    @Test("A cut anywhere is damage")
    func truncated() throws {
        let jpeg = try picture(size, .s420)
        for count in 0..<jpeg.count {
            #expect(damage(Array(jpeg[..<count]), size) != .none, "\(count) of \(jpeg.count) bytes")
        }
        #expect(damage(Array(jpeg[..<(jpeg.count / 2)])) == .jpegNoEnd)
        #expect(damage(Array(jpeg[2...])) == .jpegNoStart)
        #expect(damage([]) == .jpegNoStart)
    }

    @Test("A size other than the stream's, none, or too few bytes for it")
    func sizes() throws {
        let jpeg = try picture(size, .s420)
        #expect(damage(jpeg, FrameSize(width: 64, height: 64)) == .jpegSize)
        let start = try #require(structure(jpeg)).dataStart
        #expect(damage(jpeg[..<start] + [0xFF, 0xD9], size) == .jpegSize)
        // A header that claims 64000x48000 pixels for the same data.
        let frame = try #require((2..<start).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        var huge = jpeg
        huge.replaceSubrange((frame + 5)..<(frame + 9), with: [0xBB, 0x80, 0xFA, 0x00])
        #expect(damage(huge) == .jpegSize)
    }

    @Test("Missing Huffman tables are detected")
    func noTables() throws {
        let jpeg = withoutTables(try picture(size, .s422))
        #expect(damage(jpeg, size) == .none)
        #expect(structure(jpeg)?.hasHuffmanTables == false)
    }

    @Test("No input crashes it")
    func hostile() throws {
        var random = SeededRandom(seed: 11)
        let jpeg = try picture(size, .s422)
        for _ in 0..<20_000 {
            var bytes = jpeg
            for _ in 0..<(1 + Int(random.next() % 8)) {
                bytes[Int(random.next() % UInt64(min(bytes.count, 700)))] = UInt8(truncatingIfNeeded: random.next())
            }
            let found = JPEGStructure.check(bytes.span.bytes, size: size)
            #expect((found.structure != nil) == (found.damage == .none))
            if let structure = found.structure { #expect(structure.end <= bytes.count) }
        }
        for count in 0..<64 {
            _ = damage([0xFF, 0xD8] + (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            _ = damage([UInt8](repeating: 0xFF, count: count))
        }
    }
}
