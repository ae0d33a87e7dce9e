// SPDX-License-Identifier: MIT
// The boxes of which HEIC, MP4 and QuickTime files consist: ISO/IEC 14496-12, 4.2.

/// A box of an ISO base media file.
package struct MediaBox {
    /// Four characters.
    package let type: String
    /// Where it is in the bytes, with its header.
    package let whole: Range<Int>
    /// Where its content is.
    package let content: Range<Int>

    /// The boxes that follow each other in some bytes; nil if these are no boxes, or the last one is cut off.
    package static func all(in bytes: ArraySlice<UInt8>) -> [MediaBox]? {
        func number(_ place: Int, _ count: Int) -> UInt64 {
            bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
        var (place, boxes): (Int, [MediaBox]) = (bytes.startIndex, [])
        while place < bytes.endIndex {
            let left = bytes.endIndex - place
            guard left >= 8 else { return nil }
            var (length, header) = (number(place, 4), 8)
            if length == 1 {
                guard left >= 16 else { return nil }
                (length, header) = (number(place + 8, 8), 16)
            }
            // A box of length 0 extends to the end.
            if length == 0 { length = UInt64(left) }
            guard length >= UInt64(header), length <= UInt64(left) else { return nil }
            let whole = place..<place + Int(length)
            boxes.append(
                MediaBox(
                    type: String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), whole: whole,
                    content: place + header..<whole.upperBound))
            place = whole.upperBound
        }
        return boxes
    }

    /// The boxes of a whole file; nil if it is none of these files.
    static func all(inFile file: [UInt8]) -> [MediaBox]? { isFile(file[...]) ? all(in: file[...]) : nil }

    /// Whether bytes begin as such files do.
    static func isFile(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 12 && bytes.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8)
    }

    /// The header of a box whose content has `count` bytes.
    static func header(_ type: String, _ count: Int) -> [UInt8] {
        func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        }
        guard count + 8 <= UInt32.max else { return bytes(1, 4) + Array(type.utf8) + bytes(UInt64(count) + 16, 8) }
        return bytes(UInt64(count) + 8, 4) + Array(type.utf8)
    }
}
