// SPDX-License-Identifier: MIT
// Fish completions: one `complete` command per word.

extension Program {
    var fishCompletions: String {
        var lines = [
            "# Completions of \(name) for fish: put this file into ~/.config/fish/completions/\(name).fish",
            "complete -c \(name) -f",
            // Tests whether the line begins with a command. Further along, words of the same name mean something else.
            "function \(functionName)_at",
            "    set -l words (commandline -opc)",
            "    string match -q -- \"$argv[1] *\" \"$words[2..-1] \"",
            "end",
        ]
        for command in commands {
            lines.append(
                "complete -c \(name) -n __fish_use_subcommand -a \(command.name) -d \(Quote.fish(command.summary))")
        }
        for declaration in shortcuts.map(\.declaration) + [Command.help.declaration] {
            lines.append(
                "complete -c \(name) -n __fish_use_subcommand \(declaration.fishNames) -d \(Quote.fish(declaration.help))"
            )
        }
        for command in commands where !command.actions.isEmpty {
            let condition = "-n '\(functionName)_at \"\(command.name)\"; and test (count (commandline -opc)) -eq 2'"
            for action in command.actions {
                lines.append(
                    "complete -c \(name) \(condition) -a \(action.word) -d \(Quote.fish(action.summary))")
            }
        }
        for command in leaves {
            let condition = "-n '\(functionName)_at \"\(command.name)\"'"
            for option in command.options {
                let value = option.value.map { " " + $0.completion.fishArguments } ?? ""
                lines.append(
                    "complete -c \(name) \(condition) \(option.fishNames)\(value) -d \(Quote.fish(option.help))")
            }
            if let positional = command.positionals.first?.value?.completion, positional != .nothing {
                let arguments = positional.fishArguments.replacing("-x ", with: "-f ").replacing("-r ", with: "")
                lines.append("complete -c \(name) \(condition) \(arguments)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Declaration {
    fileprivate var fishNames: String {
        let short = short.map { "-s \($0) " } ?? ""
        return short + ([name] + aliases).map { "-l \($0)" }.joined(separator: " ")
    }
}

extension Completion {
    fileprivate var fishArguments: String {
        switch self {
        case .nothing: "-x"
        case .files: "-r -F"
        case .words(let words): "-x -a \(Quote.fish(words.joined(separator: " ")))"
        case .pattern(let pattern, let words):
            "-x -a \(Quote.fish("\(words.joined(separator: " ")) (set -l found \(pattern); string join \\n -- $found)"))"
        }
    }
}
