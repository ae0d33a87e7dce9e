// SPDX-License-Identifier: MIT
// Enter and space as a shutter, from a terminal or a pipe.

import Glibc
import LivecapFrames

/// Presses by Enter or space. Each is released at once, because a terminal does not report releases, and a held key
/// repeats as presses.
///
/// The terminal is set to deliver keys one by one without echo. It is restored by `close`, when the shutter is
/// released, and while the process is stopped by Ctrl-Z. While the process is in the background the terminal is left
/// alone. Ctrl-C keeps its meaning: its handler must close the shutter, or call `restoreTerminal` if there is no time
/// for that.
///
/// Each line of a pipe or file is a press, unless it is one other key alone; the end is reported.
///
/// For Ctrl-Z to work as described, create the shutter on the main thread, before there are any threads that receive
/// signals: it blocks SIGTSTP and SIGCONT in the calling thread, which threads inherit, and stops the process itself.
/// These signals stay blocked after `close`, when Ctrl-Z has no effect. In a program whose `main` is asynchronous,
/// other threads exist before: Ctrl-Z then stops it without restoring the terminal.
public final class TerminalShutter: Sendable {
    private let mode: TerminalMode?
    private let feed = ShutterFeed()
    private let thread: ShutterThread

    /// The number of presses that a terminal had waiting when the shutter began to read. Their times are unknown, so no
    /// events are sent for them. Other keys typed ahead are reported as if they were typed then; the lines of a pipe
    /// wait.
    public let earlyPresses: Int

    /// Starts reading keys from `descriptor` (default: standard input), which must stay open as long as the shutter
    /// exists and must not be read elsewhere.
    ///
    /// All closures are called on the shutter's thread: `onEvent` for presses, with the time when the key could be
    /// read, because terminals and pipes keep no time; `onKey` for every other character (arrow and function keys are
    /// ignored); `onEnd` when the input has ended or Ctrl-D was typed.
    ///
    /// Throws `ShutterError.failed` if the descriptor is not open, or if the system has no descriptor or thread left.
    public init(
        descriptor: Int32 = STDIN_FILENO, onEvent: @escaping @Sendable (ShutterEvent) -> Void = { _ in },
        onKey: @escaping @Sendable (Character) -> Void = { _ in },
        onEnd: @escaping @Sendable (ShutterEnd) -> Void = { _ in }
    ) throws(ShutterError) {
        if fcntl(descriptor, F_GETFD) < 0 { throw .failed("standard input", call: "fcntl", errno: errno) }
        let mode = TerminalMode(descriptor)
        // If the parent process made this process ignore Ctrl-Z, keep ignoring it.
        let signals: BlockedSignals? =
            if mode != nil, !BlockedSignals.isIgnored(SIGTSTP) {
                try BlockedSignals([SIGTSTP, SIGCONT], whose: "the terminal's signals")
            } else { nil }
        self.mode = mode
        let feed = feed
        // Set the mode before the user is prompted, because the user may type ahead.
        var early: [TerminalKeys.Key] = []
        if let mode, mode.isInForeground {
            mode.begin()
            early = TerminalLoop.keysTypedAhead(descriptor)
        }
        let rest = early.filter { $0 != .press }
        earlyPresses = early.count - rest.count
        do throws(ShutterError) {
            thread = try ShutterThread(name: "tap keys") { stop in
                for case .character(let character) in rest { onKey(character) }
                let loop = TerminalLoop(descriptor: descriptor, mode: mode, signals: signals, stop: stop)
                let end = loop.run(
                    onEvent: {
                        onEvent($0)
                        feed.send($0)
                    }, onKey: onKey)
                mode?.end(forGood: true)
                feed.end()
                if let end { onEnd(end) }
            }
        } catch {
            mode?.end(forGood: true)
            throw error
        }
    }

    /// Whether keys come from a terminal, so that the program can show a person the available keys.
    public var isTerminal: Bool { mode != nil }

    /// The presses and releases from now on, as a sequence. It ends with the input.
    public var events: ShutterEvents { ShutterEvents(feed, of: self) }

    /// Restores the terminal at once, from any thread, for a program that is about to end without closing anything.
    public func restoreTerminal() { mode?.end(forGood: true) }

    /// Stops reading, restores the terminal and ends `events`. After it returns no closure is called any more, unless
    /// it was called from one of them.
    public func close() {
        thread.close()
        mode?.end(forGood: true)
    }
}
