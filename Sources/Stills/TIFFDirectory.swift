// SPDX-License-Identifier: MIT
// A TIFF directory, the building block of an Exif block.

import LivecapFrames

/// Fields by tag, little-endian. They must be added in ascending order of their tags.
struct TIFFDirectory {
    private struct Field {
        let tag: UInt16
        let type: UInt16
        /// The number of values of its type.
        let count: Int
        let value: [UInt8]
    }
    private var fields: [Field] = []

    private mutating func add(_ tag: UInt16, type: UInt16, count: Int, _ value: [UInt8]) {
        precondition(fields.last.map { $0.tag < tag } ?? true, "a directory is sorted")
        fields.append(Field(tag: tag, type: type, count: count, value: value))
    }

    /// Adds a 16-bit integer.
    mutating func add(_ tag: UInt16, short: UInt16) { add(tag, type: 3, count: 1, littleEndian(short)) }
    /// Adds a 32-bit integer.
    mutating func add(_ tag: UInt16, long: UInt32) { add(tag, type: 4, count: 1, littleEndian(long)) }
    /// Adds bytes whose meaning depends on the tag.
    mutating func add(_ tag: UInt16, undefined: [UInt8]) { add(tag, type: 7, count: undefined.count, undefined) }
    /// Adds a fraction.
    mutating func add(_ tag: UInt16, _ numerator: UInt32, over denominator: UInt32) {
        add(tag, type: 5, count: 1, littleEndian(numerator) + littleEndian(denominator))
    }

    /// Adds text as UTF-8, which readers accept where the standard requires ASCII: up to its first zero, and at most
    /// `limit` bytes of whole Unicode scalars. Nothing is added for missing or empty text.
    mutating func add(_ tag: UInt16, _ text: String?, limit: Int = 255) {
        guard let text = text.map({ String($0.prefix { $0 != "\0" }) }), !text.isEmpty else { return }
        var end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        let value = Array(text.utf8[..<end]) + [0]
        add(tag, type: 2, count: value.count, value)
    }

    /// Adds a time in seconds as a fraction in lowest terms. Nothing is added for a missing time, a time not above
    /// zero, or more than an hour.
    mutating func add(_ tag: UInt16, _ time: Duration?) {
        guard let nanoseconds = time?.nanoseconds, (1...3_600_000_000_000).contains(nanoseconds) else { return }
        // From 2^32 ns (4.3 s) on, nanoseconds would not fit in 32 bits; microseconds are precise enough there.
        let (number, second) = nanoseconds < 1 << 32 ? (nanoseconds, 1_000_000_000) : (nanoseconds / 1000, 1_000_000)
        var (common, rest) = (number, Int64(second))
        while rest > 0 { (common, rest) = (rest, common % rest) }
        add(tag, UInt32(number / common), over: UInt32(Int64(second) / common))
    }

    /// The size in bytes, including the values.
    var byteCount: Int {
        2 + 12 * fields.count + 4 + fields.reduce(0) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) & ~1 : 0) }
    }

    /// The encoded directory for an even offset `place` in the file, followed by its values. It is the last directory.
    func bytes(at place: Int) -> [UInt8] {
        var table = littleEndian(UInt16(fields.count))
        var values: [UInt8] = []
        let firstValue = place + 2 + 12 * fields.count + 4
        for field in fields {
            table += littleEndian(field.tag) + littleEndian(field.type) + littleEndian(UInt32(field.count))
            if field.value.count <= 4 {
                table += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
            } else {
                table += littleEndian(UInt32(firstValue + values.count))
                values += field.value
                if values.count % 2 == 1 { values.append(0) }
            }
        }
        return table + [0, 0, 0, 0] + values
    }
}

/// A number's bytes in little-endian order.
func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
