// SPDX-License-Identifier: MIT
// What an event of a trace says besides its name: pairs of a key and a value, in the order they were given.

/// Keys and values of an event, written as a dictionary: `["frames": 8, "quality": "balanced"]`.
public typealias TraceArguments = KeyValuePairs<String, TraceValue>

/// A value of an event.
public enum TraceValue: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)
    /// A number; shown as nothing where it is none, or has no end.
    case number(Double)
    /// A text.
    case text(String)
    /// Yes or no.
    case flag(Bool)

    /// A whole number, or the largest there is.
    public init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
    /// A text.
    public init(_ value: some StringProtocol) { self = .text(String(value)) }
}

extension TraceValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
    ExpressibleByBooleanLiteral
{
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Yes or no.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}
