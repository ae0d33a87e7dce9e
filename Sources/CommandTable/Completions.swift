// SPDX-License-Identifier: MIT
// Completions for the shells people use, made from the table.

extension Program {
    /// A shell completions can be made for.
    public enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    /// A script that teaches `shell` the program's commands, options and choices.
    public func completions(for shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletions
        case .zsh: zshCompletions
        case .fish: fishCompletions
        }
    }

    /// The program's name as a shell function may be called.
    var functionName: String { "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() }

    /// Words in a command's place.
    var firstWords: [String] {
        commands.map(\.name) + shortcuts.flatMap(\.declaration.longNames) + ["--help"]
    }
}

/// Quoting for shells.
enum Quote {
    /// One word, taken as it stands by bash, zsh and (save for backslashes, which the table has none of) fish.
    static func shell(_ text: String) -> String { "'" + text.split("'").joined(separator: "'\\''") + "'" }

    /// One word for fish, whose single quotes know two escapes.
    static func fish(_ text: String) -> String {
        "'" + text.split("\\").joined(separator: "\\\\").split("'").joined(separator: "\\'") + "'"
    }
}

extension String {
    /// Its pieces between `separator`s, empty ones too.
    fileprivate func split(_ separator: Character) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
