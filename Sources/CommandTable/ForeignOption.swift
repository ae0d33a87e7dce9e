// SPDX-License-Identifier: MIT
// Options that fingers know from other programs, and what to use here.

/// A spelling that is no option here but of programs like this one.
public struct ForeignOption: Sendable {
    /// As typed, with its dashes.
    let spellings: [String]
    /// What to use instead, in one line.
    let instead: String
    /// Long names of the options that `instead` speaks of; a command without them does not give this answer.
    let names: [String]

    /// `spellings` are none here; `instead`, which speaks of `options`, says what is.
    public init(_ spellings: [String], instead: String, options: [any Declared] = []) {
        self.spellings = spellings
        self.instead = instead
        names = options.map(\.declaration.name)
    }
}

extension Program {
    /// What to use in `command` for a spelling of other programs; nil where it is not known.
    func instead(of spelling: String, in command: Command? = nil) -> String? {
        let known = Set(command?.options.map(\.name) ?? leaves.flatMap { $0.options.map(\.name) })
        return foreign.first { $0.spellings.contains(spelling) && known.isSuperset(of: $0.names) }?.instead
    }
}
