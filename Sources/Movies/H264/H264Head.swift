// SPDX-License-Identifier: MIT
// What a movie needs to know of an H.264 frame: whether it can be decoded by itself, and with which parameters.

/// The beginning of a frame of H.264, up to its picture, in the byte stream of ITU-T H.264, Annex B: units between
/// start codes. Accepts any bytes, and looks at no more of them than it needs.
package struct H264Head: Hashable {
    /// What a frame has of a picture.
    package enum Picture: Hashable, Sendable {
        /// None.
        case none
        /// One that builds on earlier pictures.
        case dependent
        /// One that needs no other, and with which decoding can begin.
        case independent
    }

    /// Its first picture.
    package private(set) var picture = Picture.none
    /// The parameters that pictures are decoded with, each after a start code; empty if there are none or not both
    /// kinds.
    package private(set) var parameters: [UInt8] = []

    /// Reads the units before the first picture, and the beginning of that.
    package init(of bytes: RawSpan) {
        var (sequences, pictures): ([UInt8], [UInt8]) = ([], [])
        var begin = Self.startCode(in: bytes, from: 0)
        while let unit = begin, unit < bytes.byteCount {
            switch bytes.byte(unit) & 0x1F {
            case 1, 2: picture = .dependent
            case 5: picture = .independent
            case 7: begin = Self.take(bytes, from: unit, least: 4, into: &sequences)
            case 8: begin = Self.take(bytes, from: unit, least: 2, into: &pictures)
            default: begin = Self.startCode(in: bytes, from: unit)
            }
            if picture != .none { break }
        }
        if !sequences.isEmpty, !pictures.isEmpty { parameters = sequences + pictures }
    }

    /// Adds a unit to a list, with a start code, and returns where the next one begins. Units of another length than
    /// sets of parameters have are passed over: a container states their length in 16 bits.
    private static func take(
        _ bytes: RawSpan, from begin: Int, least: Int, into list: inout [UInt8]
    ) -> Int? {
        let next = startCode(in: bytes, from: begin)
        var end = next.map { $0 - 3 } ?? bytes.byteCount
        // Zeros before a start code are no part of the unit, which always ends with a bit of 1.
        while end > begin, bytes.byte(end - 1) == 0 { end -= 1 }
        guard (least...Int(UInt16.max)).contains(end - begin), list.count < maxBytes else { return next }
        list += [0, 0, 0, 1]
        for place in begin..<end { list.append(bytes.byte(place)) }
        return next
    }

    /// Cameras send some dozens of bytes.
    private static let maxBytes = 4096

    /// Where the first unit at or after `place` begins: after its start code.
    private static func startCode(in bytes: RawSpan, from place: Int) -> Int? {
        var zeros = 0
        for place in place..<max(place, bytes.byteCount) {
            let byte = bytes.byte(place)
            if byte == 1, zeros >= 2 { return place + 1 }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return nil
    }
}

extension RawSpan {
    /// The byte at an offset, which must be in bounds.
    fileprivate func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
