// SPDX-License-Identifier: MIT
// A program and its commands as tables.

/// Options that belong together, under a heading of their own.
public struct OptionGroup: Sendable {
    /// The heading.
    public let title: String
    /// What stands for the whole group in a synopsis; nil lists each option there.
    public let placeholder: String?
    /// A sentence or two under the heading in the man page.
    public let about: String
    /// The options, in the order of help.
    public let options: [Declaration]

    /// The same with `--no-config` and `--help`, which every command with options has at its end.
    fileprivate var withHelp: OptionGroup {
        OptionGroup(self, adding: [Command.noConfiguration.declaration, Command.help.declaration])
    }

    private init(_ group: OptionGroup, adding options: [Declaration]) {
        title = group.title
        placeholder = group.placeholder
        about = group.about
        self.options = group.options + options
    }

    /// A group. Groups with the same title in several commands must be the same: the man page prints one of them.
    public init(_ title: String, placeholder: String? = nil, about: String = "", _ options: [any Declared]) {
        self.title = title
        self.placeholder = placeholder
        self.about = about
        self.options = options.map(\.declaration)
    }
}

/// A command line worth showing, and what it does.
public struct Example: Sendable {
    /// As typed, without the prompt.
    public let line: String
    /// What it does.
    public let meaning: String

    /// An example.
    public init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}

/// An option that changes nothing unless one of others is given. Leaving it out is better than ignoring it.
public struct Need: Sendable {
    /// Its long name.
    let option: String
    /// Theirs.
    let others: [String]

    /// `option` needs one of `others`.
    public init(_ option: any Declared, oneOf others: [any Declared]) {
        self.option = option.declaration.name
        self.others = others.map(\.declaration.name)
    }
}

/// One command of a program.
public struct Command: Sendable {
    /// As typed.
    public let name: String
    /// What it does, in half a line.
    public let summary: String
    /// What there is to know besides the options; paragraphs apart by empty lines.
    public let discussion: String
    /// Its arguments by place.
    public let positionals: [Declaration]
    /// Its options.
    public let groups: [OptionGroup]
    /// Long names of options of which only one may be given.
    public let exclusive: [[String]]
    /// What changes nothing unless something else is given.
    public let needs: [Need]
    /// Command lines to learn from.
    public let examples: [Example]
    /// What the command can be told to do, each with arguments of its own; empty where the command itself does something.
    public let actions: [Command]

    /// A command that is always followed by one of its actions, whose names begin with its own: `library list`.
    public init(
        _ name: String, summary: String, discussion: String = "", actions: [Command], examples: [Example] = []
    ) {
        precondition(!actions.isEmpty, "\(name): there is nothing it could do")
        precondition(
            actions.allSatisfy { $0.name.hasPrefix("\(name) ") }, "\(name): an action's name begins with another word")
        (self.name, self.summary, self.discussion) = (name, summary, discussion)
        (self.actions, self.examples) = (actions, examples)
        (positionals, groups, exclusive, needs) = ([], [OptionGroup("Options", [Self.help])], [], [])
    }

    /// A command. `--help` need not be listed.
    public init(
        _ name: String, summary: String, discussion: String = "", positionals: [any Declared] = [],
        groups: [OptionGroup] = [], exclusive: [[any Declared]] = [], needs: [Need] = [], examples: [Example] = []
    ) {
        actions = []
        self.name = name
        self.needs = needs
        self.summary = summary
        self.discussion = discussion
        self.positionals = positionals.map(\.declaration)
        self.groups =
            groups.isEmpty ? [OptionGroup("Options", [Self.help])] : groups.dropLast() + [groups.last!.withHelp]
        self.exclusive = exclusive.map { $0.map(\.declaration.name) }
        self.examples = examples
        checkTable()
    }

    /// What every command understands.
    static let help = Flag("help", short: "h", help: "Show this help")

    /// The word it is typed with: the last one of its name.
    public var word: String { name.split(separator: " ").last.map(String.init) ?? name }

    /// The commands that do something: itself, or its actions.
    public var leaves: [Command] { actions.isEmpty ? [self] : actions.flatMap(\.leaves) }

    /// What every command with options understands: only the line counts.
    static let noConfiguration = Flag("no-config", help: "Do not read the file of settings")

    /// All options of all groups.
    public var options: [Declaration] { groups.flatMap(\.options) }

    /// A table with two meanings for one name is a broken program.
    private func checkTable() {
        let longNames = options.flatMap { [$0.name] + $0.aliases }
        precondition(Set(longNames).count == longNames.count, "\(name): a long name is declared twice")
        let shorts = options.compactMap(\.short)
        precondition(Set(shorts).count == shorts.count, "\(name): a short name is declared twice")
        precondition(positionals.dropLast().allSatisfy { !$0.isRepeatable }, "\(name): only the last argument repeats")
        precondition(
            exclusive.joined().allSatisfy(longNames.contains), "\(name): an excluded option is not in the table")
        precondition(
            needs.allSatisfy { need in longNames.contains(need.option) && need.others.allSatisfy(longNames.contains) },
            "\(name): an option that is needed is not in the table")
    }
}

/// A program with commands.
public struct Program: Sendable {
    /// As typed.
    public let name: String
    /// Its version.
    public let version: String
    /// What it is, in half a line.
    public let summary: String
    /// What it is, in a few paragraphs apart by empty lines.
    public let discussion: String
    /// Its commands, in the order of help.
    public let commands: [Command]
    /// Options before any command that stand for one, as `--version` for `version`.
    public let shortcuts: [Shortcut]
    /// Options of other programs, and what to use instead.
    public let foreign: [ForeignOption]
    /// Further sections of the man page and of the program's help.
    public let sections: [Section]
    /// Command lines to learn from.
    public let examples: [Example]

    /// An option in a command's place.
    public struct Shortcut: Sendable {
        /// The option's name, help and short form.
        public let declaration: Declaration
        /// The command it stands for.
        public let command: String

        /// `flag` stands for `command`.
        public init(_ flag: Flag, for command: String) {
            declaration = flag.declaration
            self.command = command
        }
    }

    /// A list of terms with their meanings: exit statuses, variables of the environment.
    public struct Section: Sendable {
        /// The heading.
        public let title: String
        /// What is true of the whole list.
        public let about: String
        /// The terms and what they mean.
        public let terms: [(String, String)]

        /// A section.
        public init(_ title: String, about: String = "", _ terms: [(String, String)]) {
            self.title = title
            self.about = about
            self.terms = terms
        }
    }

    /// A program.
    public init(
        _ name: String, version: String, summary: String, discussion: String = "", commands: [Command],
        shortcuts: [Shortcut] = [], foreign: [ForeignOption] = [], sections: [Section] = [], examples: [Example] = []
    ) {
        self.name = name
        self.foreign = foreign
        self.version = version
        self.summary = summary
        self.discussion = discussion
        self.commands = commands
        self.shortcuts = shortcuts
        self.sections = sections
        self.examples = examples
        precondition(Set(commands.map(\.name)).count == commands.count, "a command is declared twice")
        precondition(
            shortcuts.allSatisfy { shortcut in commands.contains { $0.name == shortcut.command } },
            "a shortcut stands for no command")
    }

    /// The command called `name`, or the action with both words of its name.
    public func command(_ name: String) -> Command? {
        (commands + leaves).first { $0.name == name }
    }

    /// The commands that do something: actions stand for the command they belong to.
    public var leaves: [Command] { commands.flatMap(\.leaves) }
}
