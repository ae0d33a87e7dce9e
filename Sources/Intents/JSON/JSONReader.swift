// SPDX-License-Identifier: MIT
// A strict reader of JSON (RFC 8259) for untrusted bytes. It never traps and limits nesting.

extension JSON {
    /// Parses a single value; nil if the bytes are anything else or are nested deeper than `depth`.
    package init?(parsing bytes: [UInt8], depth: Int = 8) {
        var reader = JSONReader(bytes, maxDepth: depth)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        guard reader.isAtEnd else { return nil }
        self = value
    }

    /// The value of an object's member; nil if there is none or if this is not an object.
    package subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }
}

/// Parses bytes in one pass. Every step checks bounds first, and nil means that the bytes are not JSON.
private struct JSONReader {
    private let bytes: [UInt8]
    /// The recursion limit.
    private let maxDepth: Int
    private var index = 0

    init(_ bytes: [UInt8], maxDepth: Int) { (self.bytes, self.maxDepth) = (bytes, maxDepth) }

    var isAtEnd: Bool { index == bytes.count }
    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[index...].starts(with: wanted) else { return false }
        index += wanted.count
        return true
    }

    mutating func value(depth: Int) -> JSON? {
        guard depth < maxDepth else { return nil }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "\""): return string().map(JSON.string)
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(_ depth: Int) -> JSON? {
        index += 1
        var members: [(String, JSON)] = []
        var keys: Set<String> = []
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\""), let key = string() else { return nil }
            // A duplicate key is ambiguous.
            guard keys.insert(key).inserted else { return nil }
            skipSpace()
            guard take(":"), let value = value(depth: depth + 1) else { return nil }
            members.append((key, value))
            skipSpace()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array(_ depth: Int) -> JSON? {
        index += 1
        var values: [JSON] = []
        skipSpace()
        if take("]") { return .array(values) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            skipSpace()
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func string() -> String? {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: UTF8.encode(scalar)!)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let first = unit() else { return nil }
            guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
            guard take("\\u"), let second = unit(), 0xDC00..<0xE000 ~= second else { return nil }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        default: return nil
        }
    }

    /// Four hexadecimal digits.
    private mutating func unit() -> UInt32? {
        guard bytes.count - index >= 4 else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[index..<(index + 4)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        index += 4
        return unit
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func number() -> JSON? {
        let start = index
        _ = take("-")
        let isZero = next == UInt8(ascii: "0")
        let whole = digits()
        guard whole == 1 || (whole > 1 && !isZero) else { return nil }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard digits() > 0 else { return nil }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { return nil }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }
}
