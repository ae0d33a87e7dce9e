// SPDX-License-Identifier: MIT
// Enter and space as a shutter, in a terminal or from a pipe.

import Frames
import Glibc

/// Presses by Enter or space, each let go at once: a terminal knows no release, and a key that is held repeats as presses.
///
/// A terminal is set to hand over keys one by one without showing them, and put back by `close`, when the shutter goes away,
/// and while the process is stopped by Ctrl-Z. While the process is in the background the terminal is left alone. Ctrl-C keeps
/// its meaning: whoever handles it closes the shutter, or calls `restoreTerminal` where there is no time for that.
///
/// A pipe or file is read just the same, and its end is told.
///
/// For Ctrl-Z to work as told it has to be made on the main thread, before there are threads other than `SystemThread`s (which
/// take no signals): it blocks SIGTSTP and SIGCONT in the calling thread, which threads inherit, and stops the process itself.
/// They stay blocked after `close`: Ctrl-Z does nothing then.
public final class TerminalShutter: Sendable {
    private let mode: TerminalMode?
    private let thread: ShutterThread

    /// Begins to read keys from `descriptor`, which stays open as long as the shutter and is read by nobody else.
    ///
    /// All closures are called on the shutter's thread: `onEvent` for presses, timed when the key was there to be read;
    /// `onKey` for every other character (arrow and function keys are none); `onEnd` when there is nothing more to read, or
    /// Ctrl-D was typed.
    public init(
        descriptor: Int32 = STDIN_FILENO, onEvent: @escaping @Sendable (ShutterEvent) -> Void,
        onKey: @escaping @Sendable (Character) -> Void = { _ in },
        onEnd: @escaping @Sendable (ShutterEnd) -> Void = { _ in }
    ) throws(ShutterError) {
        if fcntl(descriptor, F_GETFD) < 0 { throw .failed("standard input", call: "fcntl", errno: errno) }
        let mode = TerminalMode(descriptor)
        // A process whose starter ignores Ctrl-Z does so too.
        let signals: BlockedSignals? =
            if mode != nil, !BlockedSignals.isIgnored(SIGTSTP) {
                try BlockedSignals([SIGTSTP, SIGCONT], whose: "the terminal's signals")
            } else { nil }
        self.mode = mode
        // Set before anything is said to the user, who may type ahead.
        if let mode, mode.isInForeground { mode.begin() }
        do throws(ShutterError) {
            thread = try ShutterThread(name: "tap keys") { stop in
                let loop = TerminalLoop(descriptor: descriptor, mode: mode, signals: signals, stop: stop)
                let end = loop.run(onEvent: onEvent, onKey: onKey)
                mode?.end(forGood: true)
                if let end { onEnd(end) }
            }
        } catch {
            mode?.end(forGood: true)
            throw error
        }
    }

    /// Whether keys come from a terminal, so that a person may be told which there are.
    public var isTerminal: Bool { mode != nil }

    /// Puts the terminal back at once and from any thread, for a program about to end without closing anything.
    public func restoreTerminal() { mode?.end(forGood: true) }

    /// Stops reading and puts the terminal back. When it returns no closure is called any more, unless one of them called it.
    public func close() {
        thread.close()
        mode?.end(forGood: true)
    }
}
