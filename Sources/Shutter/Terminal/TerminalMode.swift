// SPDX-License-Identifier: MIT
// A terminal that hands over every key at once, and is put back as it was.

import Glibc
import Threads

/// The mode of a terminal: as it was found, or key by key. Any thread may put it back.
final class TerminalMode: Sendable {
    private let descriptor: Int32
    private let original: termios
    private let state = Guarded(State.found)

    private enum State {
        case found
        case keyByKey
        /// As it was found, for good.
        case over
    }

    /// Remembers the terminal's mode; nil when the descriptor is no terminal.
    init?(_ descriptor: Int32) {
        var found = termios()
        guard tcgetattr(descriptor, &found) == 0 else { return nil }
        self.descriptor = descriptor
        original = found
    }

    /// Whether this process may read from the terminal and change it. One that controls another session, or none, is free
    /// to use.
    var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// Keys come one by one and are not shown; Ctrl-C, Ctrl-Z and Ctrl-\ keep their meaning.
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

    /// As it was found, until the next `begin` or for good. Nothing is done in the background: the terminal is then in the
    /// mode of whoever is in front.
    func end(forGood: Bool) {
        state.withLock { state in
            if state == .keyByKey, isInForeground { _ = set(original) }
            if state != .over { state = forGood ? .over : .found }
        }
    }

    /// Somebody else has had the terminal and may have changed it: the next `begin` sets it again.
    func forget() { state.withLock { if $0 == .keyByKey { $0 = .found } } }

    private func set(_ mode: termios) -> Bool {
        var mode = mode
        while tcsetattr(descriptor, TCSANOW, &mode) < 0 {
            // A terminal that was hung up has no mode to be in; reading tells.
            guard errno == EINTR else { return false }
        }
        return true
    }
}
