// SPDX-License-Identifier: MIT
// Explicit little-endian fields, so that file contents never depend on how a compiler lays out a struct.

/// Writes fields one after another into memory that the caller has allocated.
struct FieldWriter {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

    mutating func put<Field: FixedWidthInteger>(_ value: Field) {
        precondition(offset + MemoryLayout<Field>.size <= bytes.count, "a field lies within its record")
        bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Field.self)
        offset += MemoryLayout<Field>.size
    }

    /// Writes a string as its length in two bytes, followed by its UTF-8.
    mutating func put(_ text: String) {
        put(UInt16(text.utf8.count))
        for byte in text.utf8 { put(byte) }
    }

    /// Writes the checksum of everything written so far.
    mutating func putChecksum(seed: UInt64) {
        put(Checksum.of(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<offset]), seed: seed))
    }
}

/// Reads fields one after another. Past the end every field is zero and `overran` stays set.
struct FieldReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0
    private(set) var overran = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func take<Field: FixedWidthInteger>(_: Field.Type = Field.self) -> Field {
        guard bytes.count - offset >= MemoryLayout<Field>.size else {
            overran = true
            return 0
        }
        defer { offset += MemoryLayout<Field>.size }
        return Field(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Field.self))
    }

    mutating func takeText() -> String {
        let count = Int(take(UInt16.self))
        guard bytes.count - offset >= count else {
            overran = true
            return ""
        }
        defer { offset += count }
        return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
    }
}

extension Array<UInt8> {
    /// Creates a record of `byteCount` bytes, filled in by `body`.
    static func record(of byteCount: Int, _ body: (inout FieldWriter) -> Void) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        bytes.withUnsafeMutableBytes {
            var fields = FieldWriter($0)
            body(&fields)
        }
        return bytes
    }
}
