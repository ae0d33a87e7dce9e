// SPDX-License-Identifier: MIT
// The arguments of a trace event: pairs of a key and a value, in the order given.

/// The arguments of an event, written like a dictionary: `["frames": 8, "quality": "balanced"]`.
package typealias TraceArguments = KeyValuePairs<String, TraceValue>

/// The value of an argument.
package enum TraceValue: Hashable, Sendable {
    /// An integer.
    case integer(Int64)
    /// A number; written as null if it is not finite.
    case number(Double)
    /// A text.
    case text(String)
    /// True or false.
    case flag(Bool)

    /// An integer, clamped to 64 bits.
    package init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
    /// A text.
    package init(_ value: some StringProtocol) { self = .text(String(value)) }
}

extension TraceValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
    ExpressibleByBooleanLiteral
{
    /// An integer.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    package init(floatLiteral value: Double) { self = .number(value) }
    /// A text.
    package init(stringLiteral value: String) { self = .text(value) }
    /// True or false.
    package init(booleanLiteral value: Bool) { self = .flag(value) }
}
