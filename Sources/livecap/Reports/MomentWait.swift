// SPDX-License-Identifier: MIT
// Shows people that a future moment is being waited for.

import LivecapFrames

/// Shows how long the wait will take: continuously on a terminal, and elsewhere once, if it is long.
struct MomentWait: ~Copyable {
    private var progress = Progress()
    private var begin: Timestamp?
    private var hasSaid = false

    /// A line is printed only if the wait has lasted this long and will last this long.
    private static let long = Duration.seconds(1)

    init() {}

    /// Shows that the next of `count` pictures is `left` away, and `taken` are done.
    mutating func show(left: Duration, taken: Int, of count: Int) {
        let words = Self.words(left: left, taken: taken, of: count)
        progress.show { words }
        begin = begin ?? .now
        guard !hasSaid, !Terminal.standardError.isInteractive, let begin, left > Self.long, .now - begin > Self.long
        else {
            return
        }
        hasSaid = true
        Console.note(words)
    }

    /// When there is something to show again; never if all is said that anybody would see.
    var nextChange: Timestamp {
        progress.isPossible || hasSaid ? progress.nextChange : .now + Self.long
    }

    /// Clears the line.
    mutating func clear() {
        Progress.clearLine()
        begin = nil
    }

    /// "waiting for the moment, 59 s from now"; with several pictures, it says which one.
    static func words(left: Duration, taken: Int, of count: Int) -> String {
        let moment = count > 1 ? "picture \(taken + 1) of \(count)" : "the moment"
        let seconds = left.seconds
        let time = seconds < 10 ? fixed(seconds, 1) : fixed(seconds.rounded(.up), 0)
        return "waiting for \(moment), \(time) s from now"
    }
}
