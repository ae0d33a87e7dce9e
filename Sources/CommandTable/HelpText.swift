// SPDX-License-Identifier: MIT
// The text of `--help` for the program and each command, generated from the table, in 80 columns.

extension Program {
    /// The program's help.
    package var help: String {
        var blocks = [
            "\(name): \(summary)",
            TextLayout.hanging("Usage: \(name)", ["COMMAND", "[ARGUMENT]..."]),
        ]
        if !discussion.isEmpty { blocks.append(TextLayout.paragraphs(discussion)) }
        let column = 4 + (commands.map(\.name.count).max() ?? 0)
        blocks.append(block("Commands", commands.map { TextLayout.entry($0.name, $0.summary, column: column) }))
        let options = shortcuts.map(\.declaration) + [Command.help.declaration]
        blocks.append(block("Options", options.map(\.helpEntry)))
        for section in sections {
            let column = min(26, 4 + (section.terms.map(\.0.count).max() ?? 0))
            let about = TextLayout.lines(section.about, indent: 2)
            blocks.append(
                block(section.title, about + section.terms.map { TextLayout.entry($0.0, $0.1, column: column) }))
        }
        if !examples.isEmpty { blocks.append(block("Examples", examples.map(\.helpEntry))) }
        blocks.append("See '\(name) COMMAND --help' for a command's options.")
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// A command's help: all of it, or, where there are options that few people use, what most people need.
    package func help(for command: Command, isWhole: Bool = true) -> String {
        let hidden = isWhole ? 0 : command.rareCount
        var blocks = [
            "\(name) \(command.name): \(command.summary)",
            TextLayout.hanging("Usage: \(name) \(command.name)", command.synopsis(isWhole: hidden == 0)),
        ]
        if !command.discussion.isEmpty {
            let all = command.discussion.paragraphs
            blocks.append(TextLayout.paragraphs(hidden == 0 ? command.discussion : all[0]))
        }
        if !command.actions.isEmpty {
            let column = 4 + (command.actions.map(\.word.count).max() ?? 0)
            blocks.append(
                block("Actions", command.actions.map { TextLayout.entry($0.word, $0.summary, column: column) }))
        }
        if !command.positionals.isEmpty {
            blocks.append(block("Arguments", command.positionals.map(\.helpEntry)))
        }
        for group in command.groups {
            let entries = hidden == 0 ? group.options.map(\.helpEntry) : group.usual.map(\.shortHelpEntry)
            if !entries.isEmpty { blocks.append(block(group.title, entries)) }
        }
        if !command.examples.isEmpty { blocks.append(block("Examples", command.examples.map(\.helpEntry))) }
        if !command.actions.isEmpty {
            let usual = command.usualAction.map { " Without an action, \($0.word) is meant." } ?? ""
            blocks.append(
                TextLayout.paragraphs(
                    "See '\(name) \(command.name) ACTION --help' for an action's options.\(usual)"))
        }
        if hidden > 0 {
            blocks.append(
                TextLayout.paragraphs(
                    "\(hidden) more options, and details: "
                        + "'\(name) \(command.name) --help \(Command.wholeHelpWord)' or 'man \(name)'."))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private func block(_ title: String, _ entries: [String]) -> String {
        ([title + ":"] + entries).joined(separator: "\n")
    }
}

extension Command {
    /// The parts of the command's synopsis, each of which stays on one line: `FILE`, `[--frames N | --duration T]`,
    /// `[--json]`. Alternatives that are too long for one line are a part each. Unless it is whole, options that few
    /// people use are `[OPTION]...`.
    func synopsis(isWhole: Bool) -> [String] {
        guard actions.isEmpty else { return [usualAction == nil ? "ACTION" : "[ACTION]", "[ARGUMENT]..."] }
        var parts: [String] = []
        var seen: Set<String> = [Self.help.declaration.name, Self.noConfiguration.declaration.name]
        for group in groups where group.placeholder != nil {
            parts.append("[\(group.placeholder!)]")
            seen.formUnion(group.options.map(\.name))
        }
        parts += positionals.map { argument in
            let dots = argument.isRepeatable ? "..." : ""
            return argument.isRequired ? argument.name + dots : "[\(argument.name)]\(dots)"
        }
        let shown = isWhole ? options : groups.flatMap(\.usual)
        let remaining = shown.filter { !seen.contains($0.name) }
        for option in remaining.filter(\.isRequired) + remaining.filter({ !$0.isRequired }) {
            guard seen.insert(option.name).inserted else { continue }
            let others = (exclusive.first { $0.contains(option.name) } ?? [option.name])
                .filter { $0 == option.name || !seen.contains($0) }
            seen.formUnion(others)
            let either = others.compactMap { name in shown.first { $0.name == name }?.synopsisWord }
            var pieces = either.dropLast().map { "\($0) |" } + either.suffix(1)
            if !option.isRequired {
                pieces[0] = "[" + pieces[0]
                pieces[pieces.count - 1] += "]"
            }
            if option.isRepeatable { pieces[pieces.count - 1] += "..." }
            let whole = pieces.joined(separator: " ")
            parts += whole.count <= Self.longestPart ? [whole] : pieces
        }
        return isWhole ? parts : parts + ["[OPTION]..."]
    }

    /// Longer parts of a synopsis go over several lines.
    private static var longestPart: Int { 56 }
}

extension Declaration {
    /// The shortest spelling, with its value.
    fileprivate var synopsisWord: String {
        let word = short.map { "-\($0)" } ?? spelling
        return value.map { "\(word) \($0.placeholder)" } ?? word
    }

    /// All its names and its value, as help lists them.
    var term: String {
        guard spelling != "--\(value?.placeholder ?? "")" else { return name }
        let names = (short.map { ["-\($0)"] } ?? []) + longNames
        return names.joined(separator: ", ") + (value.map { " \($0.placeholder)" } ?? "")
    }

    fileprivate var helpEntry: String { helpEntry(wholeHelp) }
    fileprivate var shortHelpEntry: String { helpEntry(shortHelp) }

    private func helpEntry(_ help: String) -> String {
        let isPositional = value?.placeholder == name
        let indent = short == nil && !isPositional ? 6 : 2
        return TextLayout.entry(term, help, indent: indent, column: 26)
    }
}

extension Example {
    fileprivate var helpEntry: String {
        ["  \(line)"].joined() + "\n" + TextLayout.lines(meaning, indent: 6).joined(separator: "\n")
    }
}
