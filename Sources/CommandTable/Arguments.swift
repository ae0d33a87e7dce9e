// SPDX-License-Identifier: MIT
// Parsed command lines: each option's values, looked up by the option itself and therefore with their type.

/// The arguments of one command. All of them are known and valid.
package struct Arguments: Sendable {
    /// By name. A flag that was given has the single value `true`.
    var values: [String: [any Sendable]] = [:]
    /// The names of options set by the configuration file instead of the command line.
    var configured: Set<String> = []

    /// The option's value; the last one if it was given several times.
    package subscript<Value>(option: Option<Value>) -> Value? { values[option.declaration.name]?.last as? Value }

    /// All values of a repeatable option, in the order given.
    package func all<Value>(_ option: Option<Value>) -> [Value] {
        (values[option.declaration.name] ?? []).compactMap { $0 as? Value }
    }

    /// All values of a repeatable argument, in the order given.
    package func all<Value>(_ positional: Positional<Value>) -> [Value] {
        (values[positional.declaration.name] ?? []).compactMap { $0 as? Value }
    }

    /// Whether the flag was given.
    package subscript(flag: Flag) -> Bool { values[flag.declaration.name] != nil }

    /// The positional argument's value.
    package subscript<Value>(positional: Positional<Value>) -> Value? {
        values[positional.declaration.name]?.last as? Value
    }

    /// The value of a required option, which the parser guarantees.
    package func required<Value>(_ option: Option<Value>) -> Value {
        precondition(option.declaration.isRequired, "only a required option is always there")
        return self[option]!
    }

    /// The value of a required argument, which the parser guarantees.
    package func required<Value>(_ positional: Positional<Value>) -> Value {
        precondition(positional.declaration.isRequired, "only a required argument is always there")
        return self[positional]!
    }

    /// The same arguments with another value of an option that was given.
    package func replacing<Value>(_ option: Option<Value>, with value: Value) -> Arguments {
        precondition(contains(option), "only what was given can be replaced")
        var copy = self
        copy.values[option.declaration.name] = [value]
        return copy
    }

    /// Whether something was given on the command line itself, not only in the configuration file.
    package func isTyped(_ declared: some Declared) -> Bool {
        contains(declared) && !configured.contains(declared.declaration.name)
    }

    /// Whether the flag of this name was given, on the command line or in the configuration file.
    package func isSet(_ flag: String) -> Bool { values[flag] != nil }

    /// Whether something was given at all, on the command line or in the configuration file.
    package func contains(_ declared: some Declared) -> Bool { values[declared.declaration.name] != nil }
}

/// The action a command line requests.
package enum Invocation: Sendable {
    /// Run a command with its arguments.
    case run(Command, Arguments)
    /// Show the help of a command, or of the program if nil.
    case help(Command?)
    /// Show the help of a command with all its options.
    case wholeHelp(Command)
}

/// A command line that cannot be understood, and how to fix it.
package struct UsageError: Error, Hashable, Sendable {
    /// A one-line description of the problem.
    package let message: String
    /// A one-line suggestion of what to do next.
    package let hint: String

    /// EX_USAGE of sysexits.h.
    package static let exitStatus: Int32 = 64

    /// Creates an error with a hint.
    package init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
