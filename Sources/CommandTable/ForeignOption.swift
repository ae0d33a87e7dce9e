// SPDX-License-Identifier: MIT
// Options that users know from other programs, and their replacements here.

/// An option of similar programs that does not exist here.
package struct ForeignOption: Sendable {
    /// Its spellings, including dashes.
    let spellings: [String]
    /// A one-line suggestion of what to use instead.
    let instead: String
    /// The long names of the options that `instead` mentions. A command without them does not give this suggestion.
    let names: [String]

    /// Declares that `spellings` do not exist here. `instead` suggests a replacement and mentions `options`.
    package init(_ spellings: [String], instead: String, options: [any Declared] = []) {
        self.spellings = spellings
        self.instead = instead
        names = options.map(\.declaration.name)
    }
}

extension Program {
    /// The suggestion for another program's option in `command`; nil if there is none.
    func instead(of spelling: String, in command: Command? = nil) -> String? {
        let known = Set(command?.options.map(\.name) ?? leaves.flatMap { $0.options.map(\.name) })
        return foreign.first { $0.spellings.contains(spelling) && known.isSuperset(of: $0.names) }?.instead
    }
}
