// SPDX-License-Identifier: MIT
// Options, flags and positional arguments as values: declared once, and typed when read.

/// An option, flag or positional argument without the type of its value: the information that parser, help, completions
/// and man page need.
package struct Declaration: Sendable {
    /// The long name without dashes, or a positional argument's placeholder.
    package let name: String
    /// Other long names with the same meaning.
    package let aliases: [String]
    /// The name after a single dash.
    package let short: Character?
    /// One or two plain sentences, without a full stop at the end.
    package let help: String
    /// What else there is to know: the manual and the whole help have it, too.
    package let details: String
    /// Its value; nil for a flag.
    package let value: Value?
    /// Whether the command requires it.
    package let isRequired: Bool
    /// Whether every occurrence counts; otherwise only the last one does.
    package let isRepeatable: Bool

    /// Whether nothing else is required once this is given.
    package internal(set) var standsAlone = false

    /// The kind of a value, without its type.
    package struct Value: Sendable {
        /// Its placeholder in help.
        package let placeholder: String
        /// A description of valid values, as a noun.
        package let expects: String
        /// The completions a shell may offer.
        package let completion: Completion
        /// An addition to the option's help.
        let note: String?
        let isMeant: @Sendable (String) -> Bool
        let parse: @Sendable (String) throws(ValueRefusal) -> any Sendable

        init<Kind: Sendable>(_ kind: ValueKind<Kind>) {
            placeholder = kind.placeholder
            expects = kind.expects
            completion = kind.completion
            note = kind.note
            isMeant = kind.isMeant
            let read = kind.parse
            parse = { (text: String) throws(ValueRefusal) -> any Sendable in try read(text) }
        }
    }

    /// The help text with the details, and notes about the value's kind and about repetition.
    var wholeHelp: String { noted(details.isEmpty ? help : "\(help). \(details)") }
    /// The same without the details.
    var shortHelp: String { noted(help) }

    private func noted(_ help: String) -> String {
        var text = help
        // Choices need no list if the help explains each of them.
        let words = value?.note.map { $0.dropPrefix("one of ").split(separator: ", ") } ?? []
        if let note = value?.note, !words.allSatisfy({ help.contains($0) }) { text += "; \(note)" }
        return isRepeatable ? text + "; may be given more than once" : text
    }

    /// All long names with dashes, the usual one first.
    var longNames: [String] { ([name] + aliases).map { "--\($0)" } }
    /// `--name`, as used in messages.
    var spelling: String { "--\(name)" }
    /// `--name VALUE`.
    var usage: String { spelling + (value.map { " \($0.placeholder)" } ?? "") }
}

/// Something that can be listed in a command's table.
package protocol Declared: Sendable {
    /// The declaration without types.
    var declaration: Declaration { get }
}

/// An option with a value: `--size 1280x720`, `--size=1280x720`, `-s 1280x720`.
package struct Option<Value: Sendable>: Declared {
    /// The declaration without types.
    package let declaration: Declaration

    /// Creates an option whose value is parsed as `kind`.
    package init(
        _ name: String, aliases: [String] = [], short: Character? = nil, _ kind: ValueKind<Value>,
        required: Bool = false, repeatable: Bool = false, help: String, details: String = ""
    ) {
        declaration = Declaration(
            name: name, aliases: aliases, short: short, help: help, details: details, value: .init(kind),
            isRequired: required, isRepeatable: repeatable)
    }
}

/// An option without a value, which is either given or not.
package struct Flag: Declared {
    /// The declaration without types.
    package let declaration: Declaration

    /// Creates a flag. If it stands alone, other options and arguments are not required with it.
    package init(
        _ name: String, aliases: [String] = [], short: Character? = nil, standsAlone: Bool = false, help: String,
        details: String = ""
    ) {
        var flag = Declaration(
            name: name, aliases: aliases, short: short, help: help, details: details, value: nil, isRequired: false,
            isRepeatable: false)
        flag.standsAlone = standsAlone
        declaration = flag
    }
}

/// An argument identified by its position.
package struct Positional<Value: Sendable>: Declared {
    /// The declaration without types.
    package let declaration: Declaration

    /// Creates a positional argument. A repeatable one must be the last.
    package init(_ kind: ValueKind<Value>, required: Bool = true, repeatable: Bool = false, help: String) {
        declaration = Declaration(
            name: kind.placeholder, aliases: [], short: nil, help: help, details: "", value: .init(kind),
            isRequired: required, isRepeatable: repeatable)
    }
}

extension String {
    /// The text without `prefix`, if it begins with it.
    fileprivate func dropPrefix(_ prefix: String) -> Substring {
        hasPrefix(prefix) ? dropFirst(prefix.count) : self[...]
    }
}
