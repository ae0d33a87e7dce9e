// SPDX-License-Identifier: MIT
// A directory of a TIFF file: what an Exif block is made of.

import Frames

/// Fields by tag, in the order they are added, which has to be that of their tags. Little-endian.
struct TIFFDirectory {
    private struct Field {
        let tag: UInt16
        let type: UInt16
        /// How many of its type there are.
        let count: Int
        let value: [UInt8]
    }
    private var fields: [Field] = []

    private mutating func add(_ tag: UInt16, type: UInt16, count: Int, _ value: [UInt8]) {
        precondition(fields.last.map { $0.tag < tag } ?? true, "a directory is sorted")
        fields.append(Field(tag: tag, type: type, count: count, value: value))
    }

    /// A whole number of 16 bits.
    mutating func add(_ tag: UInt16, short: UInt16) { add(tag, type: 3, count: 1, littleEndian(short)) }
    /// One of 32 bits.
    mutating func add(_ tag: UInt16, long: UInt32) { add(tag, type: 4, count: 1, littleEndian(long)) }
    /// Bytes that mean what their tag says.
    mutating func add(_ tag: UInt16, undefined: [UInt8]) { add(tag, type: 7, count: undefined.count, undefined) }
    /// A fraction.
    mutating func add(_ tag: UInt16, _ numerator: UInt32, over denominator: UInt32) {
        add(tag, type: 5, count: 1, littleEndian(numerator) + littleEndian(denominator))
    }

    /// Text as UTF-8, which readers take where the standard has ASCII: up to its first zero, and at most `limit` bytes of
    /// whole characters. Nothing is added for no text.
    mutating func add(_ tag: UInt16, _ text: String?, limit: Int = 255) {
        guard let text = text.map({ String($0.prefix { $0 != "\0" }) }), !text.isEmpty else { return }
        var end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        let value = Array(text.utf8[..<end]) + [0]
        add(tag, type: 2, count: value.count, value)
    }

    /// A time in seconds, as a fraction in lowest terms. Nothing is added for no time, for those that are not above zero,
    /// and for those of more than an hour.
    mutating func add(_ tag: UInt16, _ time: TimeSpan?) {
        guard let nanoseconds = time?.nanoseconds, (1...3_600_000_000_000).contains(nanoseconds) else { return }
        // Beyond four seconds nanoseconds would not fit; microseconds are as good there.
        let (number, second) = nanoseconds < 1 << 32 ? (nanoseconds, 1_000_000_000) : (nanoseconds / 1000, 1_000_000)
        var (common, rest) = (number, Int64(second))
        while rest > 0 { (common, rest) = (rest, common % rest) }
        add(tag, UInt32(number / common), over: UInt32(Int64(second) / common))
    }

    /// How many bytes it takes with its values.
    var byteCount: Int {
        2 + 12 * fields.count + 4 + fields.reduce(0) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) & ~1 : 0) }
    }

    /// The directory as it stands at an even `place` of the file, its values behind it; no other follows it.
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

/// A number's bytes, the lowest first.
func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
