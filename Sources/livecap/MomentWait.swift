// SPDX-License-Identifier: MIT
// What people see while a moment of the future is waited for.

import Frames

/// Shows how long it still takes: on a terminal all the time, and elsewhere once, when it takes long.
struct MomentWait: ~Copyable {
    private var progress = Progress()
    private var begin: Timestamp?
    private var hasSaid = false

    /// So long must the wait be, and have been, before a line is spent on it.
    private static let long = TimeSpan.seconds(1)

    init() {}

    /// The next of `count` pictures is so far away, and `taken` are done.
    mutating func show(left: TimeSpan, taken: Int, of count: Int) {
        let words = Self.words(left: left, taken: taken, of: count)
        progress.show { words }
        begin = begin ?? .now
        guard !hasSaid, !Terminal.standardError.isInteractive, let begin, left > Self.long, .now - begin > Self.long
        else {
            return
        }
        hasSaid = true
        Console.tell(words)
    }

    /// Takes the line away.
    mutating func clear() {
        Progress.clearLine()
        begin = nil
    }

    /// "waiting for the moment, 59 s from now"; of several, also which.
    static func words(left: TimeSpan, taken: Int, of count: Int) -> String {
        let moment = count > 1 ? "picture \(taken + 1) of \(count)" : "the moment"
        let seconds = left.seconds
        let time = seconds < 10 ? fixed(seconds, 1) : fixed(seconds.rounded(.up), 0)
        return "waiting for \(moment), \(time) s from now"
    }
}
