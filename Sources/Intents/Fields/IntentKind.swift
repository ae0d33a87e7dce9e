// SPDX-License-Identifier: MIT
// The kinds of values that fields have: numbers, texts, words of a list, frames, moments.

import LivecapFrames

/// A kind of value: how it is read and written, and what is said of it.
package struct IntentKind<Value: Sendable>: Sendable {
    /// What a value must be, as the end of a sentence.
    let words: String
    /// What JSON Schema says of it.
    let schema: [(String, JSON)]
    /// Nil if the JSON is no such value.
    let read: @Sendable (JSON) -> Value?
    let write: @Sendable (Value) -> JSON
}

extension IntentKind<Int> {
    /// A whole number.
    static func whole(_ range: ClosedRange<Int>) -> Self {
        Self(
            words: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            schema: [("type", "integer"), ("minimum", JSON(range.lowerBound)), ("maximum", JSON(range.upperBound))],
            read: { json in
                json.asInteger.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
            }, write: { JSON($0) })
    }
}

extension IntentKind<Double> {
    /// A number that may have a fraction.
    static func number(_ range: ClosedRange<Double>) -> Self {
        Self(
            words: "a number from \(plain(range.lowerBound)) to \(plain(range.upperBound))",
            schema: [("type", "number"), ("minimum", bound(range.lowerBound)), ("maximum", bound(range.upperBound))],
            read: { json in json.asDouble.flatMap { range.contains($0) ? $0 : nil } }, write: { .number($0) })
    }
}

extension IntentKind<Duration> {
    /// Milliseconds, to the nanosecond.
    static func milliseconds(_ range: ClosedRange<Double>) -> Self {
        let number = IntentKind<Double>.number(range)
        return Self(
            words: number.words + " in milliseconds", schema: number.schema,
            read: { json in number.read(json).map { .nanoseconds(Int64(($0 * 1e6).rounded())) } },
            write: { JSON(milliseconds: $0) })
    }
}

extension IntentKind<Timestamp> {
    /// A time in nanoseconds. As a string, too: numbers of JavaScript do not have as many digits.
    static var nanoseconds: Self {
        Self(
            words: "a time in nanoseconds, as a whole number or its digits",
            schema: [
                (
                    "anyOf",
                    .array([
                        .object([("type", "string"), ("pattern", "^-?[0-9]+$")]), .object([("type", "integer")]),
                    ])
                )
            ],
            read: { json in
                (json.asInteger ?? json.asString.flatMap { $0.hasPrefix("+") ? nil : Int64($0) }).map {
                    Timestamp(nanoseconds: $0)
                }
            }, write: { .string("\($0.nanoseconds)") })
    }
}

extension IntentKind<FrameID> {
    /// The id of a frame.
    static var frame: Self {
        Self(
            words: "the id of a frame, such as \"0:123\"",
            schema: [("type", "string"), ("pattern", "^[0-9]+:[0-9]+$")],
            read: { json in json.asString.flatMap { FrameID($0) } }, write: { .string("\($0)") })
    }
}

extension IntentKind<String> {
    /// A string of so many bytes in UTF-8.
    static func text(_ range: ClosedRange<Int>) -> Self {
        Self(
            words: "a string of at most \(range.upperBound) bytes" + (range.lowerBound > 0 ? ", and not empty" : ""),
            schema: [("type", "string")] + (range.lowerBound > 0 ? [("minLength", JSON(range.lowerBound))] : [])
                + [("maxLength", JSON(range.upperBound))],
            read: { json in json.asString.flatMap { range.contains($0.utf8.count) ? $0 : nil } },
            write: { .string($0) })
    }

    /// A value of a control.
    static var setting: Self {
        let types: [JSON] = ["number", "string", "boolean"]
        return Self(
            words: "a number, a string, true or false", schema: [("type", .array(types))],
            read: { json in
                switch json {
                case .bool(let value): value ? "1" : "0"
                case .integer, .number: json.asInteger.map { "\($0)" } ?? json.text
                case .string(let text): text
                default: nil
                }
            }, write: { .string($0) })
    }
}

extension IntentKind where Value: RawRepresentable<String> & CaseIterable {
    /// A word of a list.
    static var word: Self {
        let all = Value.allCases.map(\.rawValue)
        return Self(
            words: "one of \(all.joined(separator: ", "))",
            schema: [("type", "string"), ("enum", .array(all.map { .string($0) }))],
            read: { json in json.asString.flatMap { Value(rawValue: $0) } }, write: { .string($0.rawValue) })
    }
}

extension IntentKind {
    /// Words of a list, in any order. One that is given twice counts once.
    static func wordList<Word>() -> Self
    where Value == Set<Word>, Word: RawRepresentable<String> & CaseIterable & Hashable & Sendable {
        let word = IntentKind<Word>.word
        return Self(
            words: "a list of any of these: \(Word.allCases.map(\.rawValue).joined(separator: ", "))",
            schema: [("type", "array"), ("items", .object(word.schema))],
            read: { json in
                guard case .array(let values) = json else { return nil }
                let words = values.map(word.read)
                return words.contains(nil) ? nil : Set(words.compactMap(\.self))
            }, write: { value in .array(Word.allCases.filter(value.contains).map(word.write)) })
    }
}

/// Numbers in words and schemas have no fraction that says nothing.
private func plain(_ number: Double) -> String { bound(number).text }

private func bound(_ number: Double) -> JSON { Int64(exactly: number).map { .integer($0) } ?? .number(number) }

extension JSON {
    /// The value of a number.
    package var asDouble: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The value of a string.
    package var asString: String? { if case .string(let text) = self { text } else { nil } }
    /// The value of a whole number, which may be written with a fraction of zero.
    package var asInteger: Int64? {
        switch self {
        case .integer(let number): number
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }
}
