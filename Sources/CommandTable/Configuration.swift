// SPDX-License-Identifier: MIT
// The configuration file: command-line options by name, for settings that apply every time.

/// Options in a file, as `name = value` lines. They apply to every command that has the option or, after a `[command]`
/// line, to that command only. Values may be in quotes. Empty lines and comments, from a `#` at the beginning of a line
/// or after white space, are ignored.
package struct Configuration: Sendable {
    /// A line that sets an option.
    struct Entry: Sendable {
        let name: String
        let value: String
        /// The command it applies to; nil for all commands that have the option.
        let command: String?
        /// Its location as `FILE:LINE`.
        let place: String

        /// Whether it is in the section of this command, or of the command whose action this is.
        func isOwn(of other: Command) -> Bool {
            command.map { other.name == $0 || other.name.hasPrefix($0 + " ") } ?? false
        }
    }

    /// The file's path, for messages.
    let path: String
    let entries: [Entry]
    /// The replacement for `~` in `~/` at the beginning of a path.
    let home: String?

    /// Parses a file's text. An option that no command has is an error, in whichever section it is.
    package init(_ text: String, path: String, home: String?, for program: Program) throws(UsageError) {
        var command: Command?
        var entries: [Entry] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            let place = "\(path):\(index + 1)"
            if line.isEmpty || line.hasPrefix("#") { continue }
            let section = line.withoutComment
            if section.hasPrefix("["), section.hasSuffix("]") {
                let name = section.dropFirst().dropLast().trimmed
                command = program.command(name)
                guard command != nil else {
                    let error = program.unknownCommand(name)
                    throw UsageError("\(place): \(error.message)", hint: error.hint)
                }
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw UsageError("\(place): \(quoted(line)) is not a setting", hint: "write it as 'name = value'")
            }
            let entry = Entry(
                name: parts[0].trimmed, value: parts[1].trimmed.settingValue, command: command?.name, place: place)
            try program.checkName(of: entry)
            entries.append(entry)
        }
        self.path = path
        self.entries = entries
        self.home = home
    }
}

extension Program {
    /// Throws unless the name is an option that may be set in the file.
    fileprivate func checkName(of entry: Configuration.Entry) throws(UsageError) {
        let commands = leaves.filter { entry.command == nil || entry.isOwn(of: $0) }
        let spelling = "--\(entry.name)"
        let named = commands.compactMap { command in
            command.options.first { $0.longNames.contains(spelling) }.map { (command: command.name, option: $0) }
        }
        guard let (first, option) = named.first else {
            let among = commands.flatMap(\.options)
            let near = Spelling.nearest(to: spelling, among: among.filter(\.isConfigurable).flatMap(\.longNames))
            let of = entry.command.map { "'\($0)' has no option" } ?? "there is no option"
            throw UsageError(
                "\(entry.place): \(of) \(quoted(entry.name))",
                hint: near.map { "did you mean '\($0.dropFirst(2))'?" }
                    ?? "names are options without their dashes: '\(name) COMMAND --help' lists them")
        }
        guard option.isConfigurable else {
            throw UsageError(
                "\(entry.place): '\(entry.name)' can only be given on the command line", hint: "remove the line")
        }
        if let other = named.first(where: { !$0.option.means(option) }) {
            throw UsageError(
                "\(entry.place): '\(entry.name)' means one thing for '\(first)' and another for '\(other.command)'",
                hint: "put it after a line such as '[\(first)]', which names its command")
        }
    }
}

extension Declaration {
    /// Whether it accepts the same values as another option of the same name, so that one line can set both.
    fileprivate func means(_ other: Declaration) -> Bool { value?.expects == other.value?.expects }

    /// Whether it makes sense to set the option for every run.
    fileprivate var isConfigurable: Bool {
        !standsAlone && ![Command.help.declaration.name, Command.noConfiguration.declaration.name].contains(name)
    }
}

extension CommandParser {
    /// Fills in options missing from the command line. A command's own section takes precedence over settings for all
    /// commands.
    mutating func apply(_ configuration: Configuration) throws(UsageError) {
        let typed = Set(arguments.values.keys)
        let own = configuration.entries.filter { $0.isOwn(of: command) }
        try take(own, typed, configuration)
        let settled = Set(arguments.values.keys)
        try take(configuration.entries.filter { $0.command == nil }, settled, configuration)
        arguments.configured = Set(arguments.values.keys).subtracting(typed)
        // A configured option that lacks what it needs on the command line is dropped: it is not the user's mistake.
        for need in command.needs where arguments.configured.contains(need.option) {
            if need.others.allSatisfy({ arguments.values[$0] == nil }) { arguments.values[need.option] = nil }
        }
    }

    private mutating func take(
        _ entries: [Configuration.Entry], _ settled: Set<String>, _ configuration: Configuration
    ) throws(UsageError) {
        for entry in entries {
            guard let option = command.options.first(where: { $0.longNames.contains("--\(entry.name)") }) else {
                continue
            }
            let rivals = command.exclusive.filter { $0.contains(option.name) }.joined()
            guard !settled.contains(option.name), !rivals.contains(where: settled.contains) else { continue }
            guard let kind = option.value else {
                guard let isOn = Self.switches[entry.value.lowercased()] else {
                    throw UsageError(
                        "\(entry.place): \(entry.name): \(quoted(entry.value)) is neither yes nor no",
                        hint: "write '\(entry.name) = yes', or remove the line")
                }
                if isOn { take(flag: option) } else { arguments.values[option.name] = nil }
                continue
            }
            let isPath = kind.completion == .files && entry.value.hasPrefix("~/")
            let value = isPath ? (configuration.home ?? "~") + entry.value.dropFirst() : entry.value
            do {
                try take(option, spelt: entry.name, value: value)
            } catch {
                throw UsageError("\(entry.place): \(error.message)", hint: error.hint)
            }
        }
    }

    private static let switches = [
        "yes": true, "true": true, "on": true, "1": true, "no": false, "false": false, "off": false, "0": false,
    ]
}

extension StringProtocol {
    /// The text without surrounding white space.
    fileprivate var trimmed: String {
        let body = drop(while: \.isWhitespace)
        return String(body.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension String {
    /// The value that the text after `=` stands for: without a comment, and without a pair of quotes around all of it.
    /// A value with quotes within, such as a shell command, stays as it is.
    fileprivate var settingValue: String {
        let value = withoutComment
        guard value.count >= 2, let quote = value.first, quote == "\"" || quote == "'", value.last == quote else {
            return value
        }
        let content = value.dropFirst().dropLast()
        return content.contains(quote) ? value : String(content)
    }

    /// The text before a `#` that follows white space and is not in quotes. An apostrophe within a word is no quote.
    fileprivate var withoutComment: String {
        var quote: Character?
        var previous: Character = " "
        for index in indices {
            let character = self[index]
            if quote == nil, character == "#", previous.isWhitespace { return self[..<index].trimmed }
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" && !previous.isLetter {
                quote = character
            }
            previous = character
        }
        return self
    }
}
