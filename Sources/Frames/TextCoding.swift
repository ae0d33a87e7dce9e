// SPDX-License-Identifier: MIT
// Values that are encoded as one text, for the types that have a text form.

extension Decoder {
    /// Decodes a value from its text. Throws `DecodingError` if `read` returns nil.
    package func value<Value>(_ read: (String) throws -> Value?) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = try read(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' does not stand for a \(Value.self)")
        }
        return value
    }

    /// Decodes a case from its name.
    package func value<Value: CaseIterable>() throws -> Value {
        try value { name in Value.allCases.first { "\($0)" == name } }
    }
}

extension Encoder {
    /// Encodes a value as its text.
    package func encode(text: String) throws {
        var container = singleValueContainer()
        try container.encode(text)
    }
}
