// SPDX-License-Identifier: MIT
// The kinds of option values: their names in help, their parsing, and their shell completion.

/// A kind of value that is parsed from text to `Value`.
package struct ValueKind<Value: Sendable>: Sendable {
    /// Its placeholder in help and man page, as in `--size SIZE`.
    package var placeholder: String
    /// A description of valid values, as a noun with its article. Messages prefix it with "'x' is not".
    package var expects: String
    /// The completions a shell may offer.
    package var completion: Completion
    /// An addition to the help of every option of this kind, such as its choices or default unit, unless the option's
    /// own help mentions it.
    package var note: String?
    /// Whether a bare word in an argument's place was probably meant for an option of this kind.
    package var isMeant: @Sendable (String) -> Bool = { _ in false }
    /// Parses the value.
    package var parse: @Sendable (String) throws(ValueRefusal) -> Value

    /// Creates a kind from a parser that returns nil for invalid text.
    package init(
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

    /// Creates a kind whose errors can say more than that the text is invalid.
    package init(
        _ placeholder: String, expects: String, completion: Completion = .nothing,
        refusing parse: @escaping @Sendable (String) throws(ValueRefusal) -> Value
    ) {
        self.placeholder = placeholder
        self.expects = expects
        self.completion = completion
        self.parse = parse
    }

    /// A kind with the same description and rules, whose values are transformed.
    package func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) -> Other) -> ValueKind<Other> {
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

    /// The same kind, with a test for bare words in an argument's place that were probably meant for it.
    package func meant(by isMeant: @escaping @Sendable (String) -> Bool) -> Self {
        var copy = self
        copy.isMeant = isMeant
        return copy
    }

    /// The same kind with another placeholder.
    package func named(_ placeholder: String) -> Self {
        var copy = self
        copy.placeholder = placeholder
        return copy
    }
}

/// Why a text is invalid for a kind.
package struct ValueRefusal: Error, Hashable, Sendable {
    /// The problem, if there is more to say than that the text is invalid.
    package var detail: String?
    /// The value that was probably intended.
    package var suggestion: String?

    /// Creates a refusal from its known parts.
    package init(detail: String? = nil, suggestion: String? = nil) {
        self.detail = detail
        self.suggestion = suggestion
    }
}

/// The completions a shell may offer for a value.
package enum Completion: Hashable, Sendable {
    /// Nothing useful.
    case nothing
    /// Any file.
    case files
    /// One of these words.
    case words([String])
    /// These words, and the paths that match a shell pattern.
    case pattern(String, words: [String])
}
