// SPDX-License-Identifier: MIT
// Signals that are waited for at a descriptor instead of interrupting anybody.

import CSystem
import Glibc

/// Signals kept from the calling thread and those it starts, and readable at a descriptor instead: `signalfd(2)`.
///
/// A thread that existed before and does not block them still takes them, with whatever they do by default.
final class BlockedSignals: Sendable {
    /// To be polled for reading.
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

    /// The next signal that has come, and the number sent with it, 0 when there is none; nil when no more has come.
    func next() -> (signal: Int32, value: Int32)? {
        var value: Int32 = 0
        let signal = lc_read_signal(descriptor, &value)
        return signal > 0 ? (signal, value) : nil
    }

    /// Whether whoever started this process wants it not to be bothered by the signal.
    static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        return sigaction(signal, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }
}
