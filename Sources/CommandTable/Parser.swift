// SPDX-License-Identifier: MIT
// Parses a command line according to the table, GNU style: options anywhere, `--opt=value`, `-abc`, `--` ends options.

extension Program {
    /// Parses the words after the program's name. Options not given are taken from `configuration`, which is called
    /// only if the command has options.
    package func parse(
        _ words: [String], configuration: () throws(UsageError) -> Configuration? = { () throws(UsageError) in nil }
    ) throws(UsageError) -> Invocation {
        guard let first = words.first else {
            throw UsageError("no command given", hint: "see '\(name) --help' for the commands")
        }
        if ["--help", "-h"].contains(first) { return .help(nil) }
        let rest = Array(words.dropFirst())
        if let shortcut = shortcuts.first(where: { $0.declaration.matches(first) }) {
            return try parse([shortcut.command] + rest, configuration: configuration)
        }
        guard let command = commands.first(where: { $0.name == first }) else { throw unknownCommand(first) }
        guard command.actions.isEmpty else { return try parse(rest, actionOf: command, configuration) }
        var parser = CommandParser(program: self, command: command, words: rest)
        return try parser.parse(configuration)
    }

    /// Parses the words after a command that has actions. Options may come before the action, as anywhere else.
    private func parse(
        _ words: [String], actionOf command: Command, _ configuration: () throws(UsageError) -> Configuration?
    ) throws(UsageError) -> Invocation {
        var index = 0
        while index < words.count, words[index].hasPrefix("-"), words[index] != "--" {
            let word = words[index]
            if Command.help.declaration.matches(word) { return .help(command) }
            let option = command.actions.lazy.flatMap(\.options).first { $0.matches(word) }
            guard let option else { throw unknownOption(word, of: command) }
            // The option's value is the next word, unless it is part of this one.
            let isWhole = word.hasPrefix("--") ? !word.contains("=") : word.count == 2
            index += option.value != nil && isWhole ? 2 : 1
        }
        if index >= words.count, let action = command.usualAction {
            var parser = CommandParser(program: self, command: action, words: words)
            return try parser.parse(configuration)
        }
        guard index < words.count else {
            let actions = command.actions.map(\.word).joined(separator: ", ")
            throw UsageError(
                "'\(command.name)' needs an action: \(actions)", hint: "see '\(name) \(command.name) --help'")
        }
        guard let action = command.actions.first(where: { $0.word == words[index] }) else {
            throw unknownCommand("\(command.name) \(words[index])")
        }
        var rest = words
        rest.remove(at: index)
        var parser = CommandParser(program: self, command: action, words: rest)
        return try parser.parse(configuration)
    }

    private func unknownOption(_ word: String, of command: Command) -> UsageError {
        let known = command.actions.flatMap(\.options).flatMap(\.longNames)
        let near = Spelling.nearest(to: word, among: known)
        return UsageError(
            "unknown option \(quoted(word))",
            hint: near.map { "did you mean \($0)?" } ?? "see '\(name) \(command.name) --help'")
    }

    /// The error for an unknown word in a command's place.
    package func unknownCommand(_ word: String) -> UsageError {
        if let group = commands.first(where: { !$0.actions.isEmpty && word.hasPrefix("\($0.name) ") }) {
            let action = String(word.dropFirst(group.name.count + 1))
            let near = Spelling.nearest(to: action, among: group.actions.map(\.word))
            return UsageError(
                "'\(group.name)' has no action \(quoted(action))",
                hint: near.map { "did you mean '\(group.name) \($0)'?" } ?? "see '\(name) \(group.name) --help'")
        }
        let overview = "see '\(name) --help' for the commands"
        if word.hasPrefix("-") {
            let known = shortcuts.flatMap(\.declaration.longNames) + ["--help"]
            if let instead = instead(of: String(word.prefix { $0 != "=" })) {
                return UsageError("there is no option \(quoted(word))", hint: instead)
            }
            if let near = Spelling.nearest(to: word, among: known) {
                return UsageError("unknown option \(quoted(word))", hint: "did you mean \(near)?")
            }
            let owners = commands.filter { command in command.options.contains { $0.matches(word) } }
            if !owners.isEmpty {
                let example = "\(name) \(owners[0].name) \(word)"
                return UsageError("no command given", hint: "options follow the command, as in '\(example)'")
            }
            return UsageError("unknown option \(quoted(word))", hint: overview)
        }
        let near = Spelling.nearest(to: word, among: commands.map(\.name))
        return UsageError("unknown command \(quoted(word))", hint: near.map { "did you mean '\($0)'?" } ?? overview)
    }
}

extension Declaration {
    /// Whether a word, ignoring its value, is this option.
    fileprivate func matches(_ word: String) -> Bool {
        if word.hasPrefix("--") { return longNames.contains(String(word.prefix { $0 != "=" })) }
        return short.map { word.hasPrefix("-\($0)") } ?? false
    }
}

/// The state of parsing one command's words.
struct CommandParser {
    let program: Program
    let command: Command
    var words: ArraySlice<String>
    var arguments = Arguments()
    var positionalCount = 0
    var wantsHelp = false

    init(program: Program, command: Command, words: [String]) {
        self.program = program
        self.command = command
        self.words = words[...]
    }

    fileprivate mutating func parse(
        _ configuration: () throws(UsageError) -> Configuration?
    ) throws(UsageError) -> Invocation {
        var optionsAreOver = false
        while let word = words.popFirst() {
            if optionsAreOver || word == "-" || !word.hasPrefix("-") {
                try takePositional(word)
            } else if word == "--" {
                optionsAreOver = true
            } else if word.hasPrefix("--") {
                try takeLong(word)
            } else {
                try takeShorts(word.dropFirst())
            }
            if wantsHelp { return words.first == Command.wholeHelpWord ? .wholeHelp(command) : .help(command) }
        }
        let isConfigured = command.options.contains { $0.name == Command.noConfiguration.declaration.name }
        if isConfigured, !arguments[Command.noConfiguration], let settings = try configuration() { try apply(settings) }
        try checkRequired()
        try checkExclusive()
        try checkNeeds()
        return .run(command, arguments)
    }

    private mutating func takeLong(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = command.options.first(where: { $0.longNames.contains(parts[0]) }) else {
            throw unknownOption(parts[0])
        }
        if option.value == nil {
            if parts.count == 2 { throw usage("\(parts[0]) takes no value", hint: "leave out '=\(parts[1])'") }
            take(flag: option)
        } else {
            try take(option, spelt: parts[0], value: parts.count == 2 ? parts[1] : nextWord(for: option, parts[0]))
        }
    }

    /// Parses several flags after one dash, or an option with its value directly after it or in the next word.
    private mutating func takeShorts(_ letters: Substring) throws(UsageError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = command.options.first(where: { $0.short == letter }) else {
                throw unknownOption("-\(letter)")
            }
            if option.value == nil {
                take(flag: option)
            } else {
                let value = letters.isEmpty ? try nextWord(for: option, "-\(letter)") : String(letters)
                return try take(option, spelt: "-\(letter)", value: value)
            }
        }
    }

    /// The word that is the option's value. If it is itself an option of this command, the value was probably
    /// forgotten. To pass such a value on purpose, write `--option=--value`.
    private mutating func nextWord(for option: Declaration, _ spelling: String) throws(UsageError) -> String {
        let isForgotten = words.first.map { next in
            next.hasPrefix("--") && command.options.contains { $0.matches(next) }
        }
        guard isForgotten == false, let value = words.popFirst() else {
            let placeholder = option.value?.placeholder ?? ""
            throw usage("\(spelling) needs a value", hint: "give it as '\(spelling) \(placeholder)'")
        }
        return value
    }

    mutating func take(flag: Declaration) {
        if flag.name == Command.help.declaration.name { wantsHelp = true }
        arguments.values[flag.name] = [true]
    }

    mutating func take(_ declaration: Declaration, spelt: String, value text: String) throws(UsageError) {
        guard let kind = declaration.value else { preconditionFailure("\(spelt) has no value to read") }
        do {
            let value = try kind.parse(text)
            arguments.values[declaration.name, default: []].append(value)
        } catch {
            let what = error.detail ?? "is not \(kind.expects)"
            throw usage("\(spelt): \(quoted(text)) \(what)", hint: error.suggestion.map { "did you mean '\($0)'?" })
        }
    }

    private mutating func takePositional(_ word: String) throws(UsageError) {
        guard let last = command.positionals.last else {
            let option = command.options.first { $0.value?.isMeant(word) ?? false }
            throw usage(
                "'\(command.name)' takes no argument \(quoted(word))",
                hint: option.map { "did you mean \($0.spelling) \(word)?" })
        }
        let inRange = positionalCount < command.positionals.count
        guard inRange || last.isRepeatable else {
            let count = command.positionals.count
            let limit = count == 1 ? "one argument" : "\(count) arguments"
            throw usage("\(quoted(word)) is one argument too many: '\(command.name)' takes \(limit)", hint: nil)
        }
        let declaration = inRange ? command.positionals[positionalCount] : last
        positionalCount += 1
        try take(declaration, spelt: declaration.name, value: word)
    }

    private func checkRequired() throws(UsageError) {
        if command.options.contains(where: { $0.standsAlone && arguments.values[$0.name] != nil }) { return }
        for declaration in command.positionals + command.options where declaration.isRequired {
            guard arguments.values[declaration.name] == nil else { continue }
            let isPositional = command.positionals.contains { $0.name == declaration.name }
            let missing = isPositional ? declaration.name : declaration.usage
            let example = command.examples.first { isPositional || $0.line.mentions(declaration) }
            throw usage("'\(command.name)' needs \(missing)", hint: example.map { "for example '\($0.line)'" })
        }
    }

    private func checkExclusive() throws(UsageError) {
        for names in command.exclusive {
            let given = names.filter { arguments.values[$0] != nil }
            if given.count > 1 {
                throw usage("--\(given[0]) and --\(given[1]) exclude each other", hint: "leave one of them out")
            }
        }
    }

    private func checkNeeds() throws(UsageError) {
        for need in command.needs where arguments.values[need.option] != nil {
            guard need.others.allSatisfy({ arguments.values[$0] == nil }) else { continue }
            let others = need.others.compactMap { name in command.options.first { $0.name == name }?.usage }
            throw usage(
                "--\(need.option) changes nothing without \(others.joined(separator: " or "))",
                hint: "add \(others.count == 1 ? "it" : "one of them"), or leave --\(need.option) out")
        }
    }

    private func unknownOption(_ spelling: String) -> UsageError {
        if let instead = program.instead(of: spelling, in: command) {
            return usage("there is no option \(quoted(spelling))", hint: instead)
        }
        let known = command.options.flatMap(\.longNames)
        let word = spelling.count > 2 && !spelling.hasPrefix("--") ? "-" + spelling : spelling
        // An option that belongs to another action of the same command is not a typing error.
        let others = program.commands.first { $0.actions.contains { $0.name == command.name } }?.actions ?? []
        if let owner = others.first(where: { $0.options.contains { $0.matches(word) } }) {
            return usage("'\(command.name)' has no option \(quoted(spelling))", hint: "it belongs to '\(owner.name)'")
        }
        let near = spelling.count > 2 ? Spelling.nearest(to: word, among: known) : nil
        return usage("unknown option \(quoted(spelling))", hint: near.map { "did you mean \($0)?" })
    }

    private func usage(_ message: String, hint: String?) -> UsageError {
        UsageError(message, hint: hint ?? "see '\(program.name) \(command.name) --help'")
    }
}

extension String {
    fileprivate func mentions(_ declaration: Declaration) -> Bool {
        let words = split(separator: " ").map(String.init)
        return words.contains { declaration.matches($0) }
    }
}

/// A word as typed, in quotes, on one line whatever it contains.
func quoted(_ word: String) -> String {
    let visible = word.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return "'\(visible.count > 80 ? visible.prefix(80) + "…" : visible)'"
}
