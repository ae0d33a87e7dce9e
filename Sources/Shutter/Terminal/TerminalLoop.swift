// SPDX-License-Identifier: MIT
// The loop that reads a terminal: it handles keys, Ctrl-Z, and moves to and from the background.

import Glibc
import LivecapFrames

/// Reads keys to the end. Used by one thread, which has all signals blocked, including those that would stop a process
/// that touches the terminal just after being moved to the background.
struct TerminalLoop {
    let descriptor: Int32
    /// Nil if the descriptor is not a terminal.
    let mode: TerminalMode?
    let signals: BlockedSignals?
    let stop: StopRequest

    /// How often a background process checks whether it is in the foreground again, in milliseconds: nothing notifies
    /// it.
    private static let backgroundPause: Int32 = 250

    /// Delivers keys until there are no more and returns the reason; nil if it was stopped.
    func run(onEvent: (ShutterEvent) -> Void, onKey: (Character) -> Void) -> ShutterEnd? {
        var keys = TerminalKeys()
        var lines = PipedLines()
        while !stop.isStopping {
            let isInFront = mode?.isInForeground ?? true
            if isInFront { mode?.begin() } else { mode?.forget() }
            var polled = [
                pollfd(stop.wake.descriptor), pollfd(signals?.descriptor ?? -1), pollfd(isInFront ? descriptor : -1),
            ]
            polled.wait(milliseconds: isInFront ? -1 : Self.backgroundPause)
            let now = Timestamp.now
            while let (signal, _) = signals?.next() { obey(signal) }
            // If Ctrl-Z was typed, read the keys typed before it only afterwards, when it is known who is in the
            // foreground.
            guard polled[2].isReadable, !polled[1].isReadable, !stop.isStopping else { continue }
            switch Self.read(descriptor, mode: mode) {
            case .nothing: break
            case .end(let end):
                if mode == nil, let key = lines.last() { deliver(key, at: now, onEvent, onKey) }
                return stop.isStopping ? nil : end
            case .bytes(let bytes):
                for key in mode == nil ? lines.keys(in: bytes) : keys.keys(in: bytes) {
                    // A handler may have closed the shutter.
                    if stop.isStopping { return nil }
                    if key == .end { return .endOfInput }
                    deliver(key, at: now, onEvent, onKey)
                }
            }
        }
        return nil
    }

    private func deliver(
        _ key: TerminalKeys.Key, at now: Timestamp, _ onEvent: (ShutterEvent) -> Void, _ onKey: (Character) -> Void
    ) {
        switch key {
        case .press:
            onEvent(.pressed(at: now))
            onEvent(.released(at: now))
        case .character(let character): onKey(character)
        case .end: break
        }
    }

    /// The keys typed before anything read them, from a terminal that delivers them one by one.
    static func keysTypedAhead(_ descriptor: Int32) -> [TerminalKeys.Key] {
        var keys = TerminalKeys()
        var typed: [TerminalKeys.Key] = []
        while true {
            var polled = [pollfd(descriptor)]
            polled.wait(milliseconds: 0)
            guard polled[0].isReadable, case .bytes(let bytes) = read(descriptor, mode: nil) else { return typed }
            typed += keys.keys(in: bytes)
        }
    }

    private func obey(_ signal: Int32) {
        if signal == SIGTSTP {
            mode?.end(forGood: false)
            stopProcess()
        }
        // Another program that was in the foreground meanwhile may have changed the terminal.
        mode?.forget()
    }

    /// Does what Ctrl-Z does by default: the process stops in here until it is continued.
    private func stopProcess() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private enum Reading {
        case bytes([UInt8])
        case nothing
        case end(ShutterEnd)
    }

    private static func read(_ descriptor: Int32, mode: TerminalMode?) -> Reading {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress!, buffer.count)
            if count > 0 { return .bytes(Array(buffer[..<count])) }
            if count == 0 { return .end(.endOfInput) }
            switch errno {
            case EINTR, EAGAIN: return .nothing
            // The process has just been moved to the background.
            case EIO where mode?.isInForeground == false: return .nothing
            // The terminal was hung up.
            case EIO where mode != nil: return .end(.endOfInput)
            default: return .end(.failed(.failed("standard input", call: "read", errno: errno)))
            }
        }
    }
}
