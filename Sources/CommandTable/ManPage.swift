// SPDX-License-Identifier: MIT
// The manual page, generated from the table, in roff with the man macros.

extension Program {
    /// The complete page, for section 1.
    package var manPage: String {
        var page = Roff()
        page.line(#".\" Generated from the program's own table of options: '\#(name) man'."#)
        page.macro("TH", [name.uppercased(), "1", "", "\(name) \(version)", "User Commands"])
        page.section("NAME")
        page.text("\(name) \\- \(Roff.escape(summary))", raw: true)
        page.section("SYNOPSIS")
        for command in leaves {
            page.macro("TP", ["4"])
            page.text(
                (["\\fB\(Roff.escape(name)) \(Roff.escape(command.name))\\fR"]
                    + command.synopsis(isWhole: true).map(Roff.synopsis))
                    .joined(separator: " "), raw: true)
        }
        page.section("DESCRIPTION")
        page.paragraphs(discussion)
        page.section("COMMANDS")
        for command in commands {
            page.macro("SS", ["\(name) \(command.name)"])
            describe(command, &page)
            for action in command.actions {
                page.macro("SS", ["\(name) \(action.name)"])
                describe(action, &page)
            }
        }
        for group in sharedGroups {
            page.section("\(group.title) OPTIONS".uppercased())
            page.paragraphs(group.about)
            page.options(group.options)
        }
        page.section("OPTIONS")
        page.options(
            shortcuts.map(\.declaration) + [Command.noConfiguration.declaration, Command.help.declaration])
        for section in sections {
            page.section(section.title.uppercased())
            page.paragraphs(section.about)
            for (term, meaning) in section.terms { page.entry("\\fB\(Roff.escape(term))\\fR", meaning) }
        }
        page.section("EXAMPLES")
        page.examples(examples + commands.flatMap { $0.examples + $0.actions.flatMap(\.examples) })
        return page.source
    }

    private func describe(_ command: Command, _ page: inout Roff) {
        page.paragraphs(command.summary.capitalisedFirst + ".")
        page.paragraphs(command.discussion)
        for argument in command.positionals {
            page.entry("\\fI\(Roff.escape(argument.name))\\fR", argument.wholeHelp + ".")
        }
        let shared = Set(sharedGroups.map(\.title))
        for group in command.groups {
            if shared.contains(group.title) {
                page.paragraphs("The \(group.title.lowercased()) options apply; they are described below.")
            } else {
                page.options(
                    group.options.filter {
                        ![Command.help, Command.noConfiguration].map(\.declaration.name).contains($0.name)
                    })
            }
        }
    }

    /// The groups that several commands share, each listed once.
    private var sharedGroups: [OptionGroup] {
        let groups = leaves.flatMap(\.groups)
        var shared: [OptionGroup] = []
        for group in groups where groups.count(where: { $0.title == group.title }) > 1 {
            let isShared = group.placeholder != nil && !shared.contains { $0.title == group.title }
            if isShared { shared.append(group) }
        }
        return shared
    }
}

extension String {
    /// The text with its first letter capitalised.
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// The source of a page, line by line.
private struct Roff {
    private(set) var source = ""
    /// Whether nothing has been written since the heading, which already begins a paragraph.
    private var beginsSection = false

    /// Escapes text so that nothing in it is an instruction and hyphens can be copied.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case "\"": escaped += "\\(dq"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// Formats a part of a synopsis. Words in capitals are placeholders.
    static func synopsis(_ part: String) -> String {
        var escaped = ""
        for word in part.split(separator: " ") {
            let letters = word.filter(\.isLetter)
            let isPlaceholder = !letters.isEmpty && letters.allSatisfy(\.isUppercase) && !word.contains("-")
            // Parts must not be broken across lines.
            escaped += escaped.isEmpty ? "" : "\\ "
            escaped += isPlaceholder ? "\\fI\(escape(String(word)))\\fR" : escape(String(word))
        }
        return escaped
    }

    mutating func line(_ line: String) {
        source += line + "\n"
        beginsSection = line.hasPrefix(".SH") || line.hasPrefix(".SS")
    }

    mutating func macro(_ name: String, _ arguments: [String] = []) {
        let words = arguments.map { $0.isEmpty || $0.contains(" ") ? "\"\(Self.escape($0))\"" : Self.escape($0) }
        line(([".\(name)"] + words).joined(separator: " "))
    }

    mutating func section(_ title: String) { macro("SH", [title]) }

    /// Writes a line of text, escaped if it begins like an instruction.
    mutating func text(_ text: String, raw: Bool = false) {
        let escaped = raw ? text : Self.escape(text)
        line(escaped.hasPrefix(".") ? "\\&" + escaped : escaped)
    }

    mutating func paragraphs(_ paragraphs: String) {
        for paragraph in paragraphs.paragraphs {
            if !beginsSection { macro("PP") }
            for line in TextLayout.lines(paragraph) { text(line) }
        }
    }

    mutating func entry(_ term: String, _ meaning: String) {
        macro("TP")
        text(term, raw: true)
        for line in TextLayout.lines(meaning) { text(line) }
    }

    mutating func options(_ options: [Declaration]) {
        for option in options {
            let names = (option.short.map { ["-\($0)"] } ?? []) + option.longNames
            let bold = names.map { "\\fB\(Self.escape($0))\\fR" }.joined(separator: ", ")
            let term = bold + (option.value.map { " \\fI\(Self.escape($0.placeholder))\\fR" } ?? "")
            entry(term, option.wholeHelp + ".")
        }
    }

    mutating func examples(_ examples: [Example]) {
        for example in examples {
            if !beginsSection { macro("PP") }
            text(example.meaning.capitalisedFirst + ":")
            macro("PP")
            macro("RS", ["4"])
            macro("EX")
            text(example.line)
            macro("EE")
            macro("RE")
        }
    }
}
