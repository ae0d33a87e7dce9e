// SPDX-License-Identifier: MIT
// Makes a terminal deliver every key at once, and restores its original mode.

import Glibc
import LivecapThreads

/// The mode of a terminal: as it was found, or key by key. Any thread may restore it.
final class TerminalMode: Sendable {
    private let descriptor: Int32
    private let original: termios
    private let state = Guarded(State.found)

    private enum State {
        case found
        case keyByKey
        /// Restored to how it was found, for good.
        case over
    }

    /// Saves the terminal's mode; nil if the descriptor is not a terminal.
    init?(_ descriptor: Int32) {
        var found = termios()
        guard tcgetattr(descriptor, &found) == 0 else { return nil }
        self.descriptor = descriptor
        original = found
    }

    /// Whether this process may read from the terminal and change it. A terminal that does not control this process's
    /// session is always available.
    var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// Makes keys arrive one by one, without echo. Ctrl-C, Ctrl-Z and Ctrl-\ keep their meaning.
    func begin() {
        state.withLock { state in
            guard state == .found else { return }
            var keys = original
            keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
            keys.c_lflag |= tcflag_t(ISIG)
            withUnsafeMutableBytes(of: &keys.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            if set(keys) { state = .keyByKey }
        }
    }

    /// Restores the original mode, until the next `begin` or for good. Does nothing in the background, where the
    /// terminal's mode belongs to the foreground process.
    func end(forGood: Bool) {
        state.withLock { state in
            if state == .keyByKey, isInForeground { _ = set(original) }
            if state != .over { state = forGood ? .over : .found }
        }
    }

    /// Notes that another process may have changed the terminal, so that the next `begin` sets the mode again.
    func forget() { state.withLock { if $0 == .keyByKey { $0 = .found } } }

    private func set(_ mode: termios) -> Bool {
        var mode = mode
        while tcsetattr(descriptor, TCSANOW, &mode) < 0 {
            // A terminal that was hung up has no mode; the next read reports it.
            guard errno == EINTR else { return false }
        }
        return true
    }
}
