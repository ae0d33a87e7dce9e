// SPDX-License-Identifier: MIT
// Signals that are read from a descriptor instead of interrupting a thread.

import Glibc
import LivecapCSystem

/// Blocks signals in the calling thread and the threads it starts, and makes them readable from a descriptor:
/// `signalfd(2)`.
///
/// Threads that already exist and do not block these signals still receive them, with their default effect.
final class BlockedSignals: Sendable {
    /// The descriptor to poll for reading.
    let descriptor: Int32

    /// Blocks the signals in the calling thread.
    init(_ signals: [Int32], whose name: String) throws(ShutterError) {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for signal in signals { sigaddset(&blocked, signal) }
        descriptor = lc_signalfd(&blocked)
        if descriptor < 0 { throw .failed(name, call: "signalfd", errno: -descriptor) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    deinit { close(descriptor) }

    /// The next pending signal and the value sent with it (0 if there is none); nil if no signal is pending.
    func next() -> (signal: Int32, value: Int32)? {
        var value: Int32 = 0
        let signal = lc_read_signal(descriptor, &value)
        return signal > 0 ? (signal, value) : nil
    }

    /// Whether the parent process made this process ignore the signal.
    static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        return sigaction(signal, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }
}
