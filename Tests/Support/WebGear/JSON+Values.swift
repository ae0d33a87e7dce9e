// SPDX-License-Identifier: MIT
// What tests read from JSON.

import LivecapIntents

extension JSON {
    /// The text, if this is a string.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, if this is one.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
    /// The whole number, if this is one.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The truth value, if this is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The values in order; none if this is not an array.
    package var elements: [JSON] { if case .array(let values) = self { values } else { [] } }
    /// Whether this is null.
    package var isNull: Bool { if case .null = self { true } else { false } }
}
