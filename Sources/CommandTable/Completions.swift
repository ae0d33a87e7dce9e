// SPDX-License-Identifier: MIT
// Completions for common shells, generated from the table.

extension Program {
    /// A shell that completions can be generated for.
    package enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    /// A script that teaches `shell` the program's commands, options and choices.
    package func completions(for shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletions
        case .zsh: zshCompletions
        case .fish: fishCompletions
        }
    }

    /// The name of the completion function, derived from the program's name.
    var functionName: String { "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() }

    /// The words that can take a command's place.
    var firstWords: [String] {
        commands.map(\.name) + shortcuts.flatMap(\.declaration.longNames) + ["--help"]
    }
}

/// Quoting for shells.
enum Quote {
    /// Quotes one word for bash, zsh and fish. In fish, backslashes would need escaping; the table has none.
    static func shell(_ text: String) -> String { "'" + text.split("'").joined(separator: "'\\''") + "'" }

    /// Quotes one word for fish, whose single quotes have two escapes.
    static func fish(_ text: String) -> String {
        "'" + text.split("\\").joined(separator: "\\\\").split("'").joined(separator: "\\'") + "'"
    }
}

extension String {
    /// The pieces between `separator`s, including empty ones.
    fileprivate func split(_ separator: Character) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
