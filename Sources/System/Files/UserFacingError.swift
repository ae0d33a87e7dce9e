// SPDX-License-Identifier: MIT
// What every error says of itself, to people and to programs.

/// An error with words of its own: what a program reports when it ends because of it.
package protocol UserFacingError: Error, Hashable, Sendable {
    /// What went wrong, in one line, without a full stop.
    var message: String { get }
    /// What to do next, in one line.
    var hint: String { get }
    /// The error's name in JSON: words joined by hyphens. It never changes.
    var code: String { get }
    /// The exit status of a program that ends with it: `sysexits.h`.
    var exitStatus: Int32 { get }
}
