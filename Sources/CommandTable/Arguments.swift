// SPDX-License-Identifier: MIT
// What was typed, read: each option's values, looked up by the option itself and so with their type.

/// The arguments of one command, all of them known and of their kinds.
public struct Arguments: Sendable {
    /// By name; a flag has an empty value an occurrence.
    var values: [String: [any Sendable]] = [:]
    /// Those that come from a file of settings, and not from the line.
    var configured: Set<String> = []

    /// The option's value; the last one where it was given several times.
    public subscript<Value>(option: Option<Value>) -> Value? { values[option.declaration.name]?.last as? Value }

    /// Every value of a repeatable option, in the order typed.
    public func all<Value>(_ option: Option<Value>) -> [Value] {
        (values[option.declaration.name] ?? []).compactMap { $0 as? Value }
    }

    /// Every value of a repeatable argument, in the order typed.
    public func all<Value>(_ positional: Positional<Value>) -> [Value] {
        (values[positional.declaration.name] ?? []).compactMap { $0 as? Value }
    }

    /// Whether the flag was given.
    public subscript(flag: Flag) -> Bool { values[flag.declaration.name] != nil }

    /// The positional argument's value.
    public subscript<Value>(positional: Positional<Value>) -> Value? {
        values[positional.declaration.name]?.last as? Value
    }

    /// The value of an option the parser insists on.
    public func required<Value>(_ option: Option<Value>) -> Value {
        precondition(option.declaration.isRequired, "only a required option is always there")
        return self[option]!
    }

    /// The value of an argument the parser insists on.
    public func required<Value>(_ positional: Positional<Value>) -> Value {
        precondition(positional.declaration.isRequired, "only a required argument is always there")
        return self[positional]!
    }

    /// Whether something stands on the command line itself, not only in a file of settings.
    public func isTyped(_ declared: some Declared) -> Bool {
        contains(declared) && !configured.contains(declared.declaration.name)
    }

    /// Whether a flag by that name was given, in whichever way.
    public func isSet(_ flag: String) -> Bool { values[flag] != nil }

    /// Whether something was given at all.
    public func contains(_ declared: some Declared) -> Bool { values[declared.declaration.name] != nil }
}

/// What the user wants.
public enum Invocation: Sendable {
    /// A command with its arguments.
    case run(Command, Arguments)
    /// The help of a command, or of the program.
    case help(Command?)
}

/// A command line that cannot be understood, and what to do about it.
public struct UsageError: Error, Hashable, Sendable {
    /// What is wrong, in one line.
    public let message: String
    /// What to do next, in one line.
    public let hint: String

    /// EX_USAGE of sysexits.
    public static let exitStatus: Int32 = 64

    /// An error with its way out.
    public init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
