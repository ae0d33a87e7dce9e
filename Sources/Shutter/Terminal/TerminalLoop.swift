// SPDX-License-Identifier: MIT
// The life of a terminal's reader: keys, Ctrl-Z, being moved to the background and back.

import Frames
import Glibc

/// Reads keys until the end. Used by one thread, which has all signals blocked: also those that would stop a process that
/// touches the terminal just when it has been moved to the background.
struct TerminalLoop {
    let descriptor: Int32
    /// Nil when it is no terminal.
    let mode: TerminalMode?
    let signals: BlockedSignals?
    let stop: StopRequest

    /// How often a process in the background looks whether it is in front again: nothing tells it.
    private static let backgroundPause: Int32 = 250

    /// Hands over keys until there are no more, and says why; nil when it was stopped.
    func run(onEvent: (ShutterEvent) -> Void, onKey: (Character) -> Void) -> ShutterEnd? {
        var keys = TerminalKeys()
        while !stop.isStopping {
            let isInFront = mode?.isInForeground ?? true
            if isInFront { mode?.begin() } else { mode?.forget() }
            var polled = [
                pollfd(stop.wake.descriptor), pollfd(signals?.descriptor ?? -1), pollfd(isInFront ? descriptor : -1),
            ]
            polled.wait(milliseconds: isInFront ? -1 : Self.backgroundPause)
            let now = Timestamp.now
            while let (signal, _) = signals?.next() { obey(signal) }
            // Keys typed before a Ctrl-Z are read after it, when it is known who is in front.
            guard polled[2].isReadable, !polled[1].isReadable, !stop.isStopping else { continue }
            switch read() {
            case .nothing: break
            case .end(let end): return end
            case .bytes(let bytes):
                for key in keys.keys(in: bytes) {
                    // A handler may have closed the shutter.
                    if stop.isStopping { return nil }
                    switch key {
                    case .press:
                        onEvent(.pressed(at: now))
                        onEvent(.released(at: now))
                    case .character(let character): onKey(character)
                    case .end where mode != nil: return .endOfInput
                    case .end: break
                    }
                }
            }
        }
        return nil
    }

    private func obey(_ signal: Int32) {
        if signal == SIGTSTP {
            mode?.end(forGood: false)
            stopProcess()
        }
        // Whoever was in front meanwhile left the terminal as they like it.
        mode?.forget()
    }

    /// What Ctrl-Z does by default: the process stands still in here until somebody continues it.
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

    private func read() -> Reading {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress!, buffer.count)
            if count > 0 { return .bytes(Array(buffer[..<count])) }
            if count == 0 { return .end(.endOfInput) }
            switch errno {
            case EINTR, EAGAIN: return .nothing
            // Moved to the background in this moment.
            case EIO where mode?.isInForeground == false: return .nothing
            // A terminal that was hung up.
            case EIO where mode != nil: return .end(.endOfInput)
            default: return .end(.failed(.failed("standard input", call: "read", errno: errno)))
            }
        }
    }
}
