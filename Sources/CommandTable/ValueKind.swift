// SPDX-License-Identifier: MIT
// What may stand behind an option: how it is called in help, how it is read, how a shell completes it.

/// A kind of value, read from text into `Value`.
public struct ValueKind<Value: Sendable>: Sendable {
    /// What help and man page call it, as in `--size SIZE`.
    public var placeholder: String
    /// What is expected, as a noun with its article: "'x' is not" is put before it.
    public var expects: String
    /// What a shell may offer.
    public var completion: Completion
    /// What help adds to every option of this kind, unless the option says it itself: its choices, its usual unit.
    public var note: String?
    /// Whether a bare word in an argument's place was meant for an option of this kind.
    public var isMeant: @Sendable (String) -> Bool = { _ in false }
    /// Reads the value.
    public var parse: @Sendable (String) throws(ValueRefusal) -> Value

    /// A kind with its own way of reading; `parse` gives nil for what is not of the kind.
    public init(
        _ placeholder: String, expects: String, completion: Completion = .nothing,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(
            placeholder, expects: expects, completion: completion,
            refusing: { (text: String) throws(ValueRefusal) -> Value in
                guard let value = parse(text) else { throw ValueRefusal() }
                return value
            })
    }

    /// A kind whose refusals say more than that the value is not of the kind.
    public init(
        _ placeholder: String, expects: String, completion: Completion = .nothing,
        refusing parse: @escaping @Sendable (String) throws(ValueRefusal) -> Value
    ) {
        self.placeholder = placeholder
        self.expects = expects
        self.completion = completion
        self.parse = parse
    }

    /// The same words and rules for a value made from this one's.
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) -> Other) -> ValueKind<Other> {
        let parse = parse
        return ValueKind<Other>(
            placeholder, expects: expects, completion: completion,
            refusing: {
                (text: String) throws(ValueRefusal) -> Other in transform(try parse(text))
            }
        ).noting(note).meant(by: isMeant)
    }

    /// The same kind with a note for help.
    func noting(_ note: String?) -> Self {
        var copy = self
        copy.note = note
        return copy
    }

    /// The same kind, which knows words in an argument's place that were meant for it.
    public func meant(by isMeant: @escaping @Sendable (String) -> Bool) -> Self {
        var copy = self
        copy.isMeant = isMeant
        return copy
    }

    /// The same kind under another placeholder.
    public func named(_ placeholder: String) -> Self {
        var copy = self
        copy.placeholder = placeholder
        return copy
    }
}

/// Why a text is not of a kind.
public struct ValueRefusal: Error, Hashable, Sendable {
    /// What is wrong, where that is more than "not of the kind".
    public var detail: String?
    /// What was probably meant.
    public var suggestion: String?

    /// A refusal, with what there is to say.
    public init(detail: String? = nil, suggestion: String? = nil) {
        self.detail = detail
        self.suggestion = suggestion
    }
}

/// What a shell may offer where a value is expected.
public enum Completion: Hashable, Sendable {
    /// Nothing useful.
    case nothing
    /// Any file.
    case files
    /// One of these words.
    case words([String])
    /// These words, and the paths a shell pattern matches.
    case pattern(String, words: [String])
}
