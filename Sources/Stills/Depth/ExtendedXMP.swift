// SPDX-License-Identifier: MIT
// What does not fit into the XMP packet of a JPEG file: a second packet in parts, as Adobe's XMP standard describes it.

import LivecapJPEG

/// An extended packet, cut into parts.
struct ExtendedXMP {
    /// The packet's MD5, by which the first packet names it.
    let digest: String
    /// The blocks of the segments.
    let parts: [[UInt8]]

    /// What is before the bytes of a part: the digest, the size of all parts, and the place of this one.
    private static let headBytes = 40
    /// More than any packet here.
    private static let mostBytes = 1 << 28

    init(_ packet: [UInt8]) {
        let digest = MD5.digits(of: packet)
        func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        let room = MetadataSegment.extendedXMP.maxBytes - Self.headBytes
        parts = stride(from: 0, to: packet.count, by: room).map { begin in
            Array(digest.utf8) + word(packet.count) + word(begin) + packet[begin..<min(begin + room, packet.count)]
        }
        self.digest = digest
    }

    /// The packet of that digest in a JPEG file; nil if it is not there as a whole. Accepts any bytes.
    static func packet(_ digest: String, in jpeg: [UInt8]) -> [UInt8]? {
        let wanted = Array(digest.utf8)
        guard wanted.count == 32 else { return nil }
        func word(_ block: [UInt8], _ place: Int) -> Int { block[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let blocks = MetadataSegment.extendedXMP.blocks(of: jpeg.span.bytes).filter {
            $0.count > headBytes && $0.starts(with: wanted)
        }
        guard let total = blocks.first.map({ word($0, 32) }), total <= mostBytes else { return nil }
        var packet: [UInt8] = []
        for block in blocks.sorted(by: { word($0, 36) < word($1, 36) }) {
            guard word(block, 32) == total, word(block, 36) == packet.count else { return nil }
            packet += block[headBytes...]
        }
        return packet.count == total ? packet : nil
    }
}
