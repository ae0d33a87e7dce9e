// SPDX-License-Identifier: MIT
// An Exif block is inserted into pictures of all kinds, and nothing else in them changes.

import LivecapFrames
import Testing

@testable import LivecapJPEG

@Suite struct MetadataSegmentTests {
    private let size = FrameSize(width: 24, height: 16)
    private let exif: [UInt8] = [0xFF, 0xE1, 0, 11] + Array("Exif".utf8) + [0, 0, 9, 8, 7]

    private func inserted(_ jpeg: [UInt8], _ block: [UInt8] = [9, 8, 7], xmp: [UInt8]? = nil) -> [UInt8]? {
        MetadataSegment.inserted([(.exif, block)] + (xmp.map { [(.xmp, $0)] } ?? []), into: jpeg.span.bytes)
    }

    private func block(_ kind: MetadataSegment, of jpeg: [UInt8]) -> [UInt8]? { kind.block(of: jpeg.span.bytes) }

    /// A segment of an application.
    private func segment(_ code: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, code, 0, UInt8(payload.count + 2)] + payload
    }

    @Test func itStandsBehindJFIF() throws {
        let jpeg = try picture(size, .s420)
        let first = try #require(segments(jpeg).first)
        #expect(first.code == 0xE0)
        #expect(inserted(jpeg) == jpeg[..<first.range.upperBound] + exif + jpeg[first.range.upperBound...])
    }

    @Test func otherwiseItComesFirst() throws {
        var jpeg = try picture(size, .s420)
        jpeg.removeSubrange(segments(jpeg)[0].range)
        #expect(inserted(jpeg) == jpeg[..<2] + exif + jpeg[2...])
        // Webcams write an AVI1 segment in the place of JFIF's. The block comes before it.
        jpeg.insert(contentsOf: segment(0xE0, Array("AVI1".utf8) + [0, 0]), at: 2)
        #expect(inserted(jpeg) == jpeg[..<2] + exif + jpeg[2...])
    }

    @Test func oldBlocksGoAndOthersStay() throws {
        let jpeg = try picture(size, .s420)
        let place = segments(jpeg)[0].range.upperBound
        let old = segment(0xE1, Array("Exif".utf8) + [0, 0xFF, 1, 2])
        let others = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8) + [0, 5]) + segment(0xE1, [])
        let comment = segment(0xFE, Array("Exif".utf8) + [0, 0])
        let mixed = jpeg[..<place] + old + others + old + comment + jpeg[place...]
        #expect(inserted(Array(mixed)) == jpeg[..<place] + exif + others + comment + jpeg[place...])
    }

    @Test func whatLiesBetweenSegmentsMakesNoNewMarkers() throws {
        let jpeg = try picture(size, .s420)
        let place = segments(jpeg)[0].range.upperBound
        // Fill bytes, and after the old block a byte (D9) that would complete an end-of-image marker.
        let old = segment(0xE1, Array("Exif".utf8) + [0, 0])
        let (before, after) = (Array(jpeg[..<place]), Array(jpeg[place...]))
        // Joined, not added: the compiler takes seconds for a sum of this many.
        let mixed = [before, [0, 0xFF, 0xFF], old, [0xD9], after].flatMap { $0 }
        let wanted = [before, exif, [0, 0xD9], after].flatMap { $0 }
        #expect(inserted(mixed) == wanted)
    }

    @Test func theLargestBlockFits() throws {
        let jpeg = try picture(size, .s420)
        let largest = [UInt8](repeating: 3, count: MetadataSegment.exif.maxBytes)
        let result = try #require(inserted(jpeg, largest))
        #expect(JPEGStructure.check(result.span.bytes, size: size).damage == .none)
        #expect(segments(result)[1].range.count == 2 + 65535)
    }

    @Test func whatHasNoWholeHeaderIsRefused() throws {
        let jpeg = try picture(size, .s420)
        let scan = try #require(segments(jpeg).last).range.upperBound
        for count in 0..<scan { #expect(inserted(Array(jpeg[..<count])) == nil) }
        #expect(inserted(Array(jpeg.dropFirst())) == nil)
    }

    @Test func picturesWithoutTablesAndWithPaddingStayWhole() throws {
        let jpeg = withoutTables(try picture(size, .s422)) + [0, 0, 0]
        let result = try #require(inserted(jpeg))
        let (structure, damage) = JPEGStructure.check(result.span.bytes, size: size)
        #expect(damage == .none && structure?.hasHuffmanTables == false)
        #expect(result.count == jpeg.count + exif.count)
    }

    @Test func severalBlocksStandOneBehindTheOther() throws {
        let jpeg = try picture(size, .s420)
        let both = try #require(inserted(jpeg, xmp: [5]))
        let place = segments(jpeg)[0].range.upperBound
        let xmp = [0xFF, 0xE1, 0, 32] + Array("http://ns.adobe.com/xap/1.0/".utf8) + [0, 5]
        let wanted = [Array(jpeg[..<place]), exif, xmp, Array(jpeg[place...])].flatMap { $0 }
        #expect(both == wanted)
    }

    @Test func blocksAreFoundAgain() throws {
        let jpeg = try picture(size, .s420)
        let both = try #require(inserted(jpeg, [9], xmp: []))
        #expect(block(.exif, of: both) == [9])
        #expect(block(.xmp, of: both) == [])
        #expect(block(.xmp, of: jpeg) == nil)
        for count in 0..<both.count { _ = block(.xmp, of: Array(both[..<count])) }
    }
}
