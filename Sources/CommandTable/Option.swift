// SPDX-License-Identifier: MIT
// Options, flags and positional arguments as values: declared once, typed where they are read.

/// A place on the command line, without the type of its value: what parser, help, completions and man page need.
public struct Declaration: Sendable {
    /// The long name without dashes; a positional argument's placeholder.
    public let name: String
    /// Other long names that mean the same.
    public let aliases: [String]
    /// The name after a single dash.
    public let short: Character?
    /// One or two plain sentences, without a full stop at the end.
    public let help: String
    /// What stands behind it; nil for a flag.
    public let value: Value?
    /// Whether the command makes no sense without it.
    public let isRequired: Bool
    /// Whether every occurrence counts; else the last one does.
    public let isRepeatable: Bool

    /// Whether the command needs nothing else once this is given.
    public internal(set) var standsAlone = false

    /// A value's kind, without its type.
    public struct Value: Sendable {
        /// What help calls it.
        public let placeholder: String
        /// What is expected, as a noun.
        public let expects: String
        /// What a shell may offer.
        public let completion: Completion
        /// What help adds.
        let note: String?
        let isMeant: @Sendable (String) -> Bool
        let parse: @Sendable (String) throws(ValueRefusal) -> any Sendable

        init<Kind: Sendable>(_ kind: ValueKind<Kind>) {
            placeholder = kind.placeholder
            expects = kind.expects
            completion = kind.completion
            (note, isMeant) = (kind.note, kind.isMeant)
            let read = kind.parse
            parse = { (text: String) throws(ValueRefusal) -> any Sendable in try read(text) }
        }
    }

    /// The help with what is true of every option of its kind, and whether it may be repeated.
    var wholeHelp: String {
        var text = help
        // Choices that are each explained need no list.
        let words = value?.note.map { $0.dropPrefix("one of ").split(separator: ", ") } ?? []
        if let note = value?.note, !words.allSatisfy({ help.contains($0) }) { text += "; \(note)" }
        return isRepeatable ? text + "; may be given more than once" : text
    }

    /// Every long name, with dashes, the usual one first.
    var longNames: [String] { ([name] + aliases).map { "--\($0)" } }
    /// `--name`, as messages call it.
    var spelling: String { "--\(name)" }
    /// `--name VALUE`.
    var usage: String { spelling + (value.map { " \($0.placeholder)" } ?? "") }
}

/// Something that can be listed in a command's table.
public protocol Declared: Sendable {
    /// Its untyped side.
    var declaration: Declaration { get }
}

/// An option with a value: `--size 1280x720`, `--size=1280x720`, `-s 1280x720`.
public struct Option<Value: Sendable>: Declared {
    /// Its untyped side.
    public let declaration: Declaration

    /// An option read as `kind`.
    public init(
        _ name: String, aliases: [String] = [], short: Character? = nil, _ kind: ValueKind<Value>,
        required: Bool = false, repeatable: Bool = false, help: String
    ) {
        declaration = Declaration(
            name: name, aliases: aliases, short: short, help: help, value: .init(kind), isRequired: required,
            isRepeatable: repeatable)
    }
}

/// An option without a value: there or not.
public struct Flag: Declared {
    /// Its untyped side.
    public let declaration: Declaration

    /// A flag; one that stands alone takes the place of what is required otherwise.
    public init(
        _ name: String, aliases: [String] = [], short: Character? = nil, standsAlone: Bool = false, help: String
    ) {
        var flag = Declaration(
            name: name, aliases: aliases, short: short, help: help, value: nil, isRequired: false, isRepeatable: false)
        flag.standsAlone = standsAlone
        declaration = flag
    }
}

/// An argument known by its place.
public struct Positional<Value: Sendable>: Declared {
    /// Its untyped side.
    public let declaration: Declaration

    /// A positional argument; one that is repeatable must be the last.
    public init(_ kind: ValueKind<Value>, required: Bool = true, repeatable: Bool = false, help: String) {
        declaration = Declaration(
            name: kind.placeholder, aliases: [], short: nil, help: help, value: .init(kind), isRequired: required,
            isRepeatable: repeatable)
    }
}

extension String {
    /// Without `prefix`, where it begins so.
    fileprivate func dropPrefix(_ prefix: String) -> Substring {
        hasPrefix(prefix) ? dropFirst(prefix.count) : self[...]
    }
}
