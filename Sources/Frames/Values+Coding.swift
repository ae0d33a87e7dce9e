// SPDX-License-Identifier: MIT
// Codable for the values of this module that are encoded as text: ids, sizes, rates, formats, and names.

extension FrameID: Codable {
    /// Decodes `EPOCH:COUNTER`. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value { FrameID($0) } }
    /// Encodes `EPOCH:COUNTER`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}

extension FrameSize: Codable {
    /// Decodes `WIDTHxHEIGHT`. Throws `DecodingError` unless both are in 1...65535.
    public init(from decoder: any Decoder) throws { self = try decoder.value { FrameSize($0) } }
    /// Encodes `WIDTHxHEIGHT`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}

extension FrameRate: Codable {
    /// Decodes `NUMERATOR/DENOMINATOR`. Throws `DecodingError` unless both are above zero.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let numerator = UInt32(parts[0]), let denominator = UInt32(parts[1]),
                numerator > 0, denominator > 0
            else { return nil }
            return FrameRate(numerator, per: denominator)
        }
    }
    /// Encodes the exact fraction, `30000/1001`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(numerator)/\(denominator)") }
}

extension PixelFormat: Codable {
    /// Decodes the name of a format, its four-character code, or the code as a hexadecimal number. Throws
    /// `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value { PixelFormat(exact: $0) } }
    /// Encodes the name; the code's number for a format without one.
    public func encode(to encoder: any Encoder) throws {
        let name = description
        try encoder.encode(text: PixelFormat(exact: name) == self ? name : "0x" + String(fourCC, radix: 16))
    }

    /// Parses what `encode` writes. Letters of codes that livecap does not know keep their case.
    private init?(exact text: String) {
        if let row = PixelFormatRow.all.first(where: { "\($0.name)" == text }) {
            self = row.format
        } else if text.hasPrefix("0x"), let code = UInt32(text.dropFirst(2), radix: 16) {
            self.init(fourCC: code)
        } else {
            let bytes = Array(text.utf8)
            guard (1...4).contains(bytes.count), bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
            let padded = bytes + Array(repeating: UInt8(ascii: " "), count: 4 - bytes.count)
            self.init(fourCC: padded.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
    }
}

extension Timestamp: Codable {
    /// Decodes a number of nanoseconds.
    public init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try decoder.singleValueContainer().decode(Int64.self))
    }
    /// Encodes the number of nanoseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

extension TimestampSource: Codable {
    /// Decodes the name of the case. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value() }
    /// Encodes the name of the case.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}

extension Damage: Codable {
    /// Decodes the reason's `name`. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { name in Damage.allCases.first { $0.name == name } }
    }
    /// Encodes the reason's `name`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: name) }
}

extension Colorimetry.Range: Codable {
    /// Decodes the name of the case. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value() }
    /// Encodes the name of the case.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}

extension Colorimetry.Matrix: Codable {
    /// Decodes the name of the case. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value() }
    /// Encodes the name of the case.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}

extension Colorimetry.Transfer: Codable {
    /// Decodes the name of the case. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value() }
    /// Encodes the name of the case.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}

extension Colorimetry.Primaries: Codable {
    /// Decodes the name of the case. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value() }
    /// Encodes the name of the case.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}
