// SPDX-License-Identifier: MIT
// A program and its commands as tables.

/// Related options under a heading of their own.
package struct OptionGroup: Sendable {
    /// The heading.
    package let title: String
    /// A placeholder for the whole group in a synopsis; nil lists each option there.
    package let placeholder: String?
    /// One or two sentences under the heading in the man page.
    package let about: String
    /// The options that most people use, in the order in which help lists them.
    package let usual: [Declaration]
    /// The others, which follow them in the manual and the whole help.
    package let rare: [Declaration]
    /// All of them.
    package var options: [Declaration] { usual + rare }

    /// The group with `--no-config` and `--help` added, which end the last group of every command with options.
    fileprivate func withHelp(hidesRare: Bool) -> OptionGroup {
        let (help, other) = (Command.help.declaration, Command.noConfiguration.declaration)
        return hidesRare
            ? OptionGroup(self, usual: usual + [help], rare: rare + [other])
            : OptionGroup(self, usual: usual + [other, help], rare: rare)
    }

    private init(_ group: OptionGroup, usual: [Declaration], rare: [Declaration]) {
        title = group.title
        placeholder = group.placeholder
        about = group.about
        self.usual = usual
        self.rare = rare
    }

    /// Creates a group. Groups with the same title in several commands must be identical: the man page prints only one
    /// of them.
    package init(
        _ title: String, placeholder: String? = nil, about: String = "", _ usual: [any Declared],
        rare: [any Declared] = []
    ) {
        self.title = title
        self.placeholder = placeholder
        self.about = about
        self.usual = usual.map(\.declaration)
        self.rare = rare.map(\.declaration)
    }
}

/// An example command line and its effect.
package struct Example: Sendable {
    /// The command line, without a prompt.
    package let line: String
    /// The effect of the command line.
    package let meaning: String

    /// Creates an example.
    package init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}

/// A dependency: an option that has no effect unless one of several others is given. Reported as an error instead of
/// being ignored.
package struct Need: Sendable {
    /// The long name of the dependent option.
    let option: String
    /// The long names of the others.
    let others: [String]

    /// Declares that `option` needs one of `others`.
    package init(_ option: any Declared, oneOf others: [any Declared]) {
        self.option = option.declaration.name
        self.others = others.map(\.declaration.name)
    }
}

/// One command of a program.
package struct Command: Sendable {
    /// The name as typed.
    package let name: String
    /// A short description, half a line long.
    package let summary: String
    /// A description beyond the options, with paragraphs separated by empty lines.
    package let discussion: String
    /// Its positional arguments.
    package let positionals: [Declaration]
    /// Its options.
    package let groups: [OptionGroup]
    /// Groups of long names of which only one may be given.
    package let exclusive: [[String]]
    /// The options that need others.
    package let needs: [Need]
    /// Example command lines.
    package let examples: [Example]
    /// Its actions, each with its own arguments; empty if the command has none.
    package let actions: [Command]
    /// The word of the action that is meant when none is typed; nil if one must be.
    private let usualWord: String?

    /// Creates a command that is followed by one of its actions, or else means the `usual` one. The action's name
    /// begins with the command's: `library list`.
    package init(
        _ name: String, summary: String, discussion: String = "", actions: [Command], usual: String? = nil,
        examples: [Example] = []
    ) {
        precondition(!actions.isEmpty, "\(name): there is nothing it could do")
        precondition(
            actions.allSatisfy { $0.name.hasPrefix("\(name) ") }, "\(name): an action's name begins with another word")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.actions = actions
        usualWord = usual
        precondition(usual == nil || actions.contains { $0.word == usual }, "\(name): there is no such action")
        self.examples = examples
        positionals = []
        groups = [OptionGroup("Options", [Self.help])]
        exclusive = []
        needs = []
    }

    /// Creates a command. `--help` is added automatically.
    package init(
        _ name: String, summary: String, discussion: String = "", positionals: [any Declared] = [],
        groups: [OptionGroup] = [], exclusive: [[any Declared]] = [], needs: [Need] = [], examples: [Example] = []
    ) {
        actions = []
        usualWord = nil
        self.name = name
        self.needs = needs
        self.summary = summary
        self.discussion = discussion
        self.positionals = positionals.map(\.declaration)
        self.groups =
            groups.isEmpty
            ? [OptionGroup("Options", [Self.help])]
            : groups.dropLast() + [groups.last!.withHelp(hidesRare: groups.contains { !$0.rare.isEmpty })]
        self.exclusive = exclusive.map { $0.map(\.declaration.name) }
        self.examples = examples
        checkTable()
    }

    /// Available in every command.
    static let help = Flag("help", short: "h", help: "Show this help")

    /// The word after `--help` that asks for all options.
    static let wholeHelpWord = "all"

    /// How many options `--help` leaves to `--help all`.
    var rareCount: Int { groups.reduce(0) { $0 + $1.rare.count } }

    /// The word that is typed for it: the last word of its name.
    package var word: String { name.split(separator: " ").last.map(String.init) ?? name }

    /// The action that is meant when none is typed.
    var usualAction: Command? { actions.first { $0.word == usualWord } }

    /// The runnable commands: its actions or, if it has none, the command itself.
    package var leaves: [Command] { actions.isEmpty ? [self] : actions.flatMap(\.leaves) }

    /// Available in every command with options: ignores the configuration file.
    static let noConfiguration = Flag("no-config", help: "Do not read the configuration file")

    /// The options of all groups.
    package var options: [Declaration] { groups.flatMap(\.options) }

    /// Traps if a name is declared twice or refers to nothing, because the program is then broken.
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
package struct Program: Sendable {
    /// The name as typed.
    package let name: String
    /// Its version.
    package let version: String
    /// A short description, half a line long.
    package let summary: String
    /// A description of a few paragraphs, separated by empty lines.
    package let discussion: String
    /// Its commands, in the order in which help lists them.
    package let commands: [Command]
    /// Options that stand for a command when given in its place, such as `--version` for `version`.
    package let shortcuts: [Shortcut]
    /// Options of other programs, and their replacements.
    package let foreign: [ForeignOption]
    /// Additional sections of the man page and of the program's help.
    package let sections: [Section]
    /// Example command lines.
    package let examples: [Example]

    /// An option used in place of a command.
    package struct Shortcut: Sendable {
        /// The option's name, help and short form.
        package let declaration: Declaration
        /// The command it stands for.
        package let command: String

        /// Declares that `flag` stands for `command`.
        package init(_ flag: Flag, for command: String) {
            declaration = flag.declaration
            self.command = command
        }
    }

    /// A list of terms and their meanings, such as exit statuses or environment variables.
    package struct Section: Sendable {
        /// The heading.
        package let title: String
        /// A description of the whole list.
        package let about: String
        /// The terms and their meanings.
        package let terms: [(String, String)]

        /// Creates a section.
        package init(_ title: String, about: String = "", _ terms: [(String, String)]) {
            self.title = title
            self.about = about
            self.terms = terms
        }
    }

    /// Creates a program.
    package init(
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

    /// The command called `name`, or the action if `name` has two words.
    package func command(_ name: String) -> Command? {
        (commands + leaves).first { $0.name == name }
    }

    /// The runnable commands: actions replace the command they belong to.
    package var leaves: [Command] { commands.flatMap(\.leaves) }
}
