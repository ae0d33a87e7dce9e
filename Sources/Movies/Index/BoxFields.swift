// SPDX-License-Identifier: MIT
// The numbers in the boxes of an MP4 file, read and written.

import LivecapStills

/// Reads numbers one after the other out of a box. Accepts any bytes.
struct BoxFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// What follows.
    var left: ArraySlice<UInt8> { rest }

    mutating func number(_ count: Int) throws(MovieIndexGap) -> UInt64 {
        guard rest.count >= count else { throw .unreadable("a box is cut off") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func word() throws(MovieIndexGap) -> UInt32 { UInt32(try number(4)) }

    mutating func skip(_ count: Int) throws(MovieIndexGap) {
        guard rest.count >= count else { throw .unreadable("a box is cut off") }
        rest = rest.dropFirst(count)
    }

    /// The version and the flags with which most boxes begin.
    mutating func versionAndFlags() throws(MovieIndexGap) -> (version: Int, flags: UInt32) {
        let word = try word()
        return (Int(word >> 24), word & 0xFF_FFFF)
    }
}

extension Array where Element == UInt8 {
    /// Appends the lowest `count` bytes of a number, the highest one first.
    mutating func append(_ number: UInt64, bytes count: Int) {
        for place in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }

    /// Appends 32 bits.
    mutating func append(word: UInt32) { append(UInt64(word), bytes: 4) }

    /// A box with this content.
    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        var box: [UInt8] = []
        let isLong = content.count + 8 > Int(UInt32.max)
        box.append(isLong ? 1 : UInt64(content.count + 8), bytes: 4)
        box += Array(type.utf8)
        if isLong { box.append(UInt64(content.count + 16), bytes: 8) }
        return box + content
    }
}

/// The boxes in a part of some bytes.
func boxes(in bytes: ArraySlice<UInt8>) throws(MovieIndexGap) -> [MediaBox] {
    guard let boxes = MediaBox.all(in: bytes) else { throw .unreadable("a box is cut off") }
    return boxes
}
