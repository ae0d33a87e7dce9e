// SPDX-License-Identifier: MIT
// What all errors have in common: words for people.

/// An error in words. All errors that livecap throws are of this kind, and print as both together.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// What happened, in one line without a full stop.
    var message: String { get }
    /// What to do about it, in one line without a full stop.
    var hint: String { get }
}

extension ExplainedError {
    /// What happened, and what to do about it.
    public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}
