// SPDX-License-Identifier: MIT
// A file of settings: the options of the command line by their names, for whoever wants them every time.

/// Options written down: `name = value` lines, for every command that has the option; those after `[command]` for that one.
/// Empty lines, and lines that begin with `#`, mean nothing.
public struct Configuration: Sendable {
    /// A line that sets an option.
    struct Entry: Sendable {
        let name: String
        let value: String
        /// The command it is for; nil for all that have the option.
        let command: String?
        /// Where it is, as `FILE:LINE`.
        let place: String

        /// Whether it stands in the section of a command, or of the one whose action that is.
        func isOwn(of other: Command) -> Bool {
            command.map { other.name == $0 || other.name.hasPrefix($0 + " ") } ?? false
        }
    }

    /// Where the file is, for the man page.
    let path: String
    let entries: [Entry]
    /// What `~/` stands for at the beginning of a path.
    let home: String?

    /// Reads a file's text after the program's table: what no command knows is refused, wherever it is.
    public init(_ text: String, path: String, home: String?, for program: Program) throws(UsageError) {
        var command: Command?
        var entries: [Entry] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            let place = "\(path):\(index + 1)"
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                let name = line.dropFirst().dropLast().trimmed
                command = program.command(name)
                guard command != nil else {
                    let error = program.unknownCommand(name)
                    throw UsageError("\(place): \(error.message)", hint: error.hint)
                }
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw UsageError("\(place): \(quoted(line)) is no setting", hint: "write it as 'name = value'")
            }
            let entry = Entry(
                name: parts[0].trimmed, value: parts[1].trimmed.unquoted, command: command?.name, place: place)
            try program.checkName(of: entry)
            entries.append(entry)
        }
        (self.path, self.entries, self.home) = (path, entries, home)
    }
}

extension Program {
    /// Refuses a name that is no option, or none that can be set once for all.
    fileprivate func checkName(of entry: Configuration.Entry) throws(UsageError) {
        let among = leaves.filter { entry.command == nil || entry.isOwn(of: $0) }.flatMap(\.options)
        let spelling = "--\(entry.name)"
        guard let option = among.first(where: { $0.longNames.contains(spelling) }) else {
            let near = Spelling.nearest(to: spelling, among: among.filter(\.isConfigurable).flatMap(\.longNames))
            let of = entry.command.map { "'\($0)' has no option" } ?? "there is no option"
            throw UsageError(
                "\(entry.place): \(of) \(quoted(entry.name))",
                hint: near.map { "did you mean '\($0.dropFirst(2))'?" }
                    ?? "names are those of options, without the dashes: '\(name) COMMAND --help' lists them")
        }
        guard option.isConfigurable else {
            throw UsageError(
                "\(entry.place): '\(entry.name)' can only be given on the command line", hint: "remove the line")
        }
    }
}

extension Declaration {
    /// Whether it makes sense every time.
    fileprivate var isConfigurable: Bool {
        !standsAlone && ![Command.help.declaration.name, Command.noConfiguration.declaration.name].contains(name)
    }
}

extension CommandParser {
    /// Fills in what the line leaves open. A command's own section counts before what is set for all.
    mutating func apply(_ configuration: Configuration) throws(UsageError) {
        let typed = Set(arguments.values.keys)
        let own = configuration.entries.filter { $0.isOwn(of: command) }
        try take(own, typed, configuration)
        let settled = Set(arguments.values.keys)
        try take(configuration.entries.filter { $0.command == nil }, settled, configuration)
        arguments.configured = Set(arguments.values.keys).subtracting(typed)
        // What means nothing beside what was typed is no mistake of the line.
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
    /// Without white space around it.
    fileprivate var trimmed: String {
        let body = drop(while: \.isWhitespace)
        return String(body.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension String {
    /// Without a pair of double quotes around it.
    fileprivate var unquoted: String {
        count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }
}
