// SPDX-License-Identifier: MIT
// The elements of which Matroska files consist: RFC 8794.

/// The parts of EBML that are needed to write such files, and to find elements in their beginning.
package enum EBML {
    /// An element's id, which encodes its own length.
    package static func id(_ id: UInt32) -> [UInt8] { bigEndian(UInt64(id)) }

    /// A size in the fewest bytes, at most eight.
    package static func size(_ count: Int) -> [UInt8] {
        for length in 1...8 where UInt64(count) < (1 << UInt64(7 * length)) - 1 {
            let marked = UInt64(count) | 1 << UInt64(7 * length)
            return (0..<length).map { UInt8(truncatingIfNeeded: marked >> UInt64(8 * (length - 1 - $0))) }
        }
        preconditionFailure("no element is that large")
    }

    package static func element(_ id: UInt32, _ content: [UInt8]) -> [UInt8] {
        self.id(id) + size(content.count) + content
    }

    package static func unsigned(_ value: UInt64) -> [UInt8] { bigEndian(value) }
    package static func signed(_ value: Int64) -> [UInt8] { eight(UInt64(bitPattern: value)) }
    package static func float(_ value: Double) -> [UInt8] { eight(value.bitPattern) }

    private static func eight(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }

    /// Big-endian bytes without leading zeros; one zero byte for zero.
    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        let bytes = Array(eight(value).drop { $0 == 0 })
        return bytes.isEmpty ? [0] : bytes
    }

    /// A size in eight bytes, so that it may change later.
    package static func longSize(_ count: Int) -> [UInt8] { eight(UInt64(count) | 1 << 56) }

    /// The header of an element: its id, the size of its content, nil if that is not known, and its own length.
    package struct Header {
        package let id: UInt32
        package let size: Int?
        package let length: Int
    }

    /// Reads the header with which some bytes begin. Nil if there is none, or not all of it.
    package static func header(in bytes: ArraySlice<UInt8>) -> Header? {
        guard let first = bytes.first, first >= 0x10 else { return nil }
        let idLength = first.leadingZeroBitCount + 1
        let rest = bytes.dropFirst(idLength)
        guard let mark = rest.first, mark > 0 else { return nil }
        let sizeLength = mark.leadingZeroBitCount + 1
        guard rest.count >= sizeLength else { return nil }
        let id = bytes.prefix(idLength).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let bits = UInt64(1) << UInt64(7 * sizeLength)
        let size = rest.prefix(sizeLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (bits - 1)
        return Header(
            id: id, size: size == bits - 1 ? nil : Int(exactly: size), length: idLength + sizeLength)
    }
}
