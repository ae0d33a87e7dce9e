// SPDX-License-Identifier: MIT
// JSON as livecap writes it: one value per line, with keys in the given order.

import LivecapFrames

/// A JSON value (RFC 8259), read or to be written.
package enum JSON: Sendable {
    /// A null value.
    case null
    /// True or false.
    case bool(Bool)
    /// A number without fraction or exponent that fits in 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// A string.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Members in order. No key occurs twice.
    case object([(String, JSON)])

    // The optional ones spare the compiler `value.map { JSON($0) } ?? .null`: a list of twenty such members takes it
    // many seconds.

    /// Creates an integer, clamped to 64 bits.
    package init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
    /// Creates an integer, clamped to 64 bits, or null.
    package init(_ value: (some BinaryInteger)?) {
        guard let value else { self = .null; return }
        self.init(value)
    }
    /// Creates a number or null.
    package init(_ value: Double?) {
        guard let value else { self = .null; return }
        self = .number(value)
    }
    /// Creates a duration in milliseconds. It is divided rather than multiplied by an inexact fraction, so that the
    /// digits end at the nanosecond.
    package init(milliseconds span: Duration) { self = .number(Double(span.nanoseconds) / 1e6) }
    /// Creates a duration in milliseconds, or null.
    package init(milliseconds span: Duration?) {
        guard let span else { self = .null; return }
        self.init(milliseconds: span)
    }
    /// Creates a string or null.
    package init(_ value: String?) { self = value.map(JSON.string) ?? .null }

    /// The value as JSON on one line.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        // JSON cannot represent values that are not finite.
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.quote(member.0, to: &text)
                text += ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            // A byte of a file name that is not UTF-8, as escaped by `FileName` in Files. Written as a lone surrogate,
            // as Python does.
            case "\u{10FF80}"..."\u{10FFFF}": text += "\\udc" + String(scalar.value & 0xFF, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// Creates a string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a boolean.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}
