// SPDX-License-Identifier: MIT
// Zsh completions: `_arguments` specifications.

extension Program {
    var zshCompletions: String {
        """
        #compdef \(name)
        # Completions of \(name) for zsh: put this file as '\(functionName)' into a directory of $fpath.
        \(functionName)() {
            local -a commands
            commands=(
        \(commandList)
            )
            if ((CURRENT == 2)); then
                if [[ $words[2] == -* ]]; then
                    compadd -- \(firstWords.filter { $0.hasPrefix("-") }.joined(separator: " "))
                else
                    _describe -t commands command commands
                fi
                return
            fi
            local command=$words[2]
            shift words
            ((CURRENT--))
        \(commands.filter { !$0.actions.isEmpty }.map(zshActions).joined(separator: "\n"))
            case $command in
        \(leaves.map(zshCase).joined(separator: "\n"))
            esac
        }
        if [[ $funcstack[1] == \(functionName) ]]; then
            \(functionName) "$@"
        else
            compdef \(functionName) \(name)
        fi

        """
    }

    private var commandList: String { described(commands) }

    private func described(_ commands: [Command]) -> String {
        commands.map { "        \(Quote.shell("\($0.word):\($0.summary.escaped([":", "\\"]))"))" }
            .joined(separator: "\n")
    }

    /// Completes the second word of a command with actions and appends it to the command's name.
    private func zshActions(_ command: Command) -> String {
        """
            if [[ $command == \(command.name) ]]; then
                if ((CURRENT == 2)); then
                    commands=(
        \(described(command.actions))
                    )
                    _describe -t commands action commands
                    return
                fi
                command="$command $words[2]"
                shift words
                ((CURRENT--))
            fi
        """
    }

    private func zshCase(_ command: Command) -> String {
        var lines = ["    \(Quote.shell(command.name)))", "        _arguments -s -S \\"]
        for option in command.options {
            let excluded = command.exclusive.filter { $0.contains(option.name) }.joined()
                .filter { $0 != option.name }.map { "--\($0)" }
            for name in (option.short.map { ["-\($0)"] } ?? []) + option.longNames {
                let own = option.isRepeatable ? [] : (option.short.map { ["-\($0)"] } ?? []) + option.longNames
                let list = (own + excluded).joined(separator: " ")
                let exclusion = list.isEmpty ? "" : "(\(list))"
                let repeats = option.isRepeatable ? "*" : ""
                let help = "[\(option.help.escaped(["[", "]", "\\", ":"]))]"
                guard let value = option.value else {
                    lines.append("            \(Quote.shell("\(exclusion)\(repeats)\(name)\(help)")) \\")
                    continue
                }
                let suffix = name.hasPrefix("--") ? "=" : "+"
                let spec =
                    "\(exclusion)\(repeats)\(name)\(suffix)\(help):\(value.placeholder):\(value.completion.zshAction)"
                lines.append("            \(Quote.shell(spec)) \\")
            }
        }
        for argument in command.positionals {
            let place = argument.isRepeatable ? "*:" : argument.isRequired ? ":" : "::"
            let action = argument.value?.completion.zshAction ?? " "
            lines.append("            \(Quote.shell("\(place)\(argument.name):\(action)")) \\")
        }
        lines[lines.count - 1].removeLast(2)
        lines.append("        ;;")
        return lines.joined(separator: "\n")
    }
}

extension Completion {
    fileprivate var zshAction: String {
        switch self {
        case .nothing: " "
        case .files: "_files"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .pattern(let pattern, let words): "(\(words.joined(separator: " ")) \(pattern)(N))"
        }
    }
}

extension String {
    fileprivate func escaped(_ characters: Set<Character>) -> String {
        map { characters.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
