// SPDX-License-Identifier: MIT
// The progress line, shown if standard error is a terminal.

import Glibc
import LivecapFrames

/// A line rewritten in place, at most a few times a second. Nothing is shown if standard error is not a terminal.
struct Progress: ~Copyable {
    private let terminal = Terminal.standardError
    private var nextTime = Timestamp.zero
    private var isShown = false

    init() {}

    deinit { if isShown { Progress.clearLine() } }

    /// Whether anybody would see a line.
    var isPossible: Bool { terminal.isInteractive && !Console.isQuiet.load(ordering: .relaxed) }

    /// When a line is to be shown again; never if nobody would see it.
    var nextChange: Timestamp { isPossible ? .now + Self.interval : .distantFuture }

    /// How often a line changes at most.
    private static let interval = Duration.milliseconds(100)

    /// Shows `line()`, unless the last update was too recent.
    mutating func show(_ line: () -> String) {
        guard isPossible, Timestamp.now >= nextTime else { return }
        nextTime = .now + Self.interval
        isShown = true
        let text = line().prefix(max(1, terminal.columns - 1))
        Progress.write("\r\(text)\u{1B}[K")
    }

    /// Clears the line if standard error is a terminal, with one `write(2)`.
    static func clearLine() {
        if Terminal.standardError.isInteractive { write(clearing) }
    }

    /// What clears the line on a terminal.
    static let clearing = "\r\u{1B}[K"

    private static func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
