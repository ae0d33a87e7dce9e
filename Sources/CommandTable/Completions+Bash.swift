// SPDX-License-Identifier: MIT
// Bash completions. They require only bash, not the bash-completion package.

extension Program {
    var bashCompletions: String {
        """
        # Completions of \(name) for bash: source this file, or put it into
        # ~/.local/share/bash-completion/completions/\(name)
        \(functionName)() {
            local current previous command="" position=0 options="" words=""
            current="${COMP_WORDS[COMP_CWORD]}"
            previous="${COMP_WORDS[COMP_CWORD-1]}"
            # Bash breaks words at '=': '--option=value' comes as three of them.
            if [[ $current == "=" ]]; then
                current=""
            elif [[ $previous == "=" ]]; then
                previous="${COMP_WORDS[COMP_CWORD-2]}"
            fi
            COMPREPLY=()
            compopt +o default 2>/dev/null
            if ((COMP_CWORD == 1)); then
                COMPREPLY=($(compgen -W \(Quote.shell(firstWords.joined(separator: " "))) -- "$current"))
                return
            fi
            command="${COMP_WORDS[1]}"
        \(commands.filter { !$0.actions.isEmpty }.map(bashActions).joined(separator: "\n"))
            case "$command" in
        \(leaves.map(bashCase).joined(separator: "\n"))
            *)
                return
                ;;
            esac
            if [[ $current == -* ]]; then
                COMPREPLY=($(compgen -W "$options" -- "$current"))
            elif [[ -n $words ]]; then
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            fi
        }
        complete -F \(functionName) \(name)

        """
    }

    /// Completes the second word of a command with actions and appends it to the command's name.
    private func bashActions(_ command: Command) -> String {
        """
            if [[ $command == \(command.name) ]]; then
                if ((COMP_CWORD == 2)); then
                    COMPREPLY=($(compgen -W \(Quote.shell(command.actions.map(\.word).joined(separator: " "))) -- "$current"))
                    return
                fi
                command="$command ${COMP_WORDS[2]}"
            fi
        """
    }

    private func bashCase(_ command: Command) -> String {
        let names = command.options.flatMap { ($0.short.map { ["-\($0)"] } ?? []) + $0.longNames }
        var lines = [
            "    \(Quote.shell(command.name)))",
            "        options=\(Quote.shell(names.joined(separator: " ")))",
        ]
        let withValues = command.options.filter { $0.value != nil }
        if !withValues.isEmpty {
            lines.append("        case \"$previous\" in")
            for option in withValues {
                let names = (option.short.map { ["-\($0)"] } ?? []) + option.longNames
                lines.append("        \(names.joined(separator: "|")))")
                if let action = option.value?.completion.bashAction { lines.append("            \(action)") }
                lines.append("            return")
                lines.append("            ;;")
            }
            lines.append("        esac")
        }
        // Words that are not options: the first argument's kind is used for all of them.
        if let positional = command.positionals.first?.value?.completion {
            if case .words(let words) = positional {
                lines.append("        words=\(Quote.shell(words.joined(separator: " ")))")
            } else if let action = positional.bashAction {
                lines.append("        [[ $current != -* ]] && \(action)")
            }
        }
        lines.append("        ;;")
        return lines.joined(separator: "\n")
    }
}

extension Completion {
    fileprivate var bashAction: String? {
        switch self {
        case .nothing: nil
        // Readline's own file completion handles spaces and slashes.
        case .files: "compopt -o default 2>/dev/null"
        case .words(let words):
            "COMPREPLY=($(compgen -W \(Quote.shell(words.joined(separator: " "))) -- \"$current\"))"
        case .pattern(let pattern, let words):
            "COMPREPLY=($(compgen -W \"\(words.joined(separator: " ")) $(compgen -G '\(pattern)')\" -- \"$current\"))"
        }
    }
}
