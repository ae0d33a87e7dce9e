// SPDX-License-Identifier: MIT
// Inserts and finds the metadata segments of a JPEG picture without touching the picture itself.

import LivecapFrames

/// A metadata segment. All kinds have the same marker code and are distinguished by a name.
package enum MetadataSegment: Hashable, Sendable {
    /// Exif: a block that begins with its byte order.
    case exif
    /// XMP: a packet of XML.
    case xmp
    /// A part of what does not fit into the packet: a digest that the packet names, the size of all parts and the place
    /// of this one, and its bytes.
    case extendedXMP

    private var name: [UInt8] {
        switch self {
        case .exif: Array("Exif".utf8) + [0, 0]
        case .xmp: Array("http://ns.adobe.com/xap/1.0/".utf8) + [0]
        case .extendedXMP: Array("http://ns.adobe.com/xmp/extension/".utf8) + [0]
        }
    }

    /// The name up to its zero. Exif's name ends with a padding byte that some writers do not set to zero.
    private var shortName: [UInt8] { self == .exif ? Array(name.dropLast()) : name }

    /// The maximum size of a block in a segment.
    package var maxBytes: Int { 65535 - 2 - name.count }

    /// A copy of `jpeg` with `blocks` replacing all blocks of their kinds. They are inserted right after the start of
    /// the image, or after the JFIF segment if the picture begins with one. All other segments are kept. Nil if the
    /// header of `jpeg` is incomplete.
    package static func inserted(_ blocks: [(kind: Self, bytes: [UInt8])], into jpeg: RawSpan) -> [UInt8]? {
        replaced(blocks.map(\.kind), by: blocks, in: jpeg)
    }

    /// The same, which also removes blocks of `kinds`.
    package static func replaced(
        _ kinds: [Self], by blocks: [(kind: Self, bytes: [UInt8])], in jpeg: RawSpan
    ) -> [UInt8]? {
        guard let (place, old) = look(through: jpeg, for: kinds) else { return nil }
        let segments = blocks.flatMap { kind, block -> [UInt8] in
            precondition(block.count <= kind.maxBytes, "a segment's length has 16 bits")
            let length = 2 + kind.name.count + block.count
            return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + kind.name + block
        }
        var result: [UInt8] = []
        result.reserveCapacity(jpeg.byteCount + segments.count)
        jpeg.withUnsafeBytes { jpeg in
            result += jpeg[..<place]
            result += segments
            var rest = place
            for segment in old {
                result += jpeg[rest..<segment.lowerBound]
                rest = segment.upperBound
            }
            result += jpeg[rest...]
        }
        return result
    }

    /// The contents of the first block of this kind.
    package func block(of jpeg: RawSpan) -> [UInt8]? { blocks(of: jpeg, atMost: 1).first }

    /// The contents of the blocks of this kind, as they follow each other.
    package func blocks(of jpeg: RawSpan, atMost limit: Int = .max) -> [[UInt8]] {
        guard jpeg.isJPEG else { return [] }
        let name = name
        var blocks: [[UInt8]] = []
        var next = 2
        while blocks.count < limit, let (code, range) = JPEGHeaderWalk.segment(of: jpeg, from: next), code != 0xDA {
            if code == 0xE1, jpeg.begins(with: name, at: range) {
                let block = (range.lowerBound + 4 + name.count)..<range.upperBound
                blocks.append(jpeg.withUnsafeBytes { Array($0[block]) })
            }
            next = range.upperBound
        }
        return blocks
    }

    /// Finds where to insert blocks, and the blocks they replace.
    private static func look(through jpeg: RawSpan, for kinds: [Self]) -> (place: Int, old: [Range<Int>])? {
        guard jpeg.isJPEG else { return nil }
        var (place, old): (Int, [Range<Int>]) = (2, [])
        var next = 2
        while let (code, range) = JPEGHeaderWalk.segment(of: jpeg, from: next) {
            switch code {
            case 0xDA: return (place, old)
            case 0xE0 where range.lowerBound == 2 && jpeg.begins(with: jfif, at: range): place = range.upperBound
            case 0xE1 where kinds.contains { jpeg.begins(with: $0.shortName, at: range) }:
                // Include any 0xFF before the segment, which would turn the following bytes into a marker.
                var start = range.lowerBound
                while start > next, jpeg.byte(start - 1) == 0xFF { start -= 1 }
                old.append(start..<range.upperBound)
            default: break
            }
            next = range.upperBound
        }
        return nil
    }
}

private let jfif = Array("JFIF".utf8) + [0]

extension RawSpan {
    fileprivate var isJPEG: Bool { byteCount >= 4 && byte(0) == 0xFF && byte(1) == 0xD8 }

    /// Whether a segment's payload begins with a name.
    fileprivate func begins(with name: [UInt8], at segment: Range<Int>) -> Bool {
        guard segment.count >= 4 + name.count else { return false }
        let first = segment.lowerBound + 4
        return name.indices.allSatisfy { byte(first + $0) == name[$0] }
    }
}
