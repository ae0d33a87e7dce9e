// SPDX-License-Identifier: MIT
// Six digits that stand for the token, for those who have to type it.

import LivecapThreads

/// A code by which somebody who sees the server's screen gets in. It is short, so it can be guessed only so often:
/// after `maxTries` wrong codes, whoever sent them, it lets nobody in any more, and the token alone does.
package final class EntryCode: Sendable {
    /// How many wrong codes are answered: one in 100,000 of those who guess gets in.
    static let maxTries = 10
    /// The code. Another one with each start.
    package let digits: String
    private let wrong = Guarded(0)

    init() {
        let text = String(Int.random(in: 0..<1_000_000))
        digits = String(repeating: "0", count: 6 - text.count) + text
    }

    /// As people read it: `123 456`.
    package var words: String { "\(digits.prefix(3)) \(digits.suffix(3))" }

    /// Whether a text is a code, right or wrong.
    static func isCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether this is the code. Wrong ones are counted.
    func opens(with entered: String) -> Bool {
        wrong.withLock { wrong in
            guard wrong < Self.maxTries else { return false }
            if Gatekeeper.isEqual(entered, digits) { return true }
            wrong += 1
            return false
        }
    }
}
