// SPDX-License-Identifier: MIT
// Signals as a shutter: `kill -USR1`, and queued real-time signals that may carry the age of a press.

import Frames
import Glibc
import LivecapCSystem

/// Presses by signals.
///
/// - SIGUSR1 is a press, now. Such signals coalesce: two in quick succession may be one press.
/// - Each SIGRTMIN is a press, because these signals are queued (up to `ulimit -i` of them).
/// - A number sent with either, as with `sigqueue(3)` or `kill -s RTMIN -q 250 PID`, is the age of the press in
///   milliseconds: its time is now minus that number. Negative numbers would lie in the future and count as 0.
///
/// "Now" is when this shutter's thread reads the signal, because the kernel keeps no time for signals. Each press is
/// released at once.
///
/// Create the shutter on the main thread, before there are any threads other than `SystemThread`s (which receive no
/// signals): it blocks its signals in the calling thread, and threads inherit that. The signals stay blocked after
/// `close`, so that a late one does not end the program.
public final class SignalShutter: Sendable {
    private let thread: ShutterThread

    /// The number of presses that were pending when the shutter started listening. Their times are unknown, and they
    /// are reported nowhere else. Several SIGUSR1 count as one.
    public let earlyPresses: Int

    /// The numbers of the signals that are presses: SIGUSR1 and the first real-time signal.
    public static var signals: [Int32] { [SIGUSR1, lc_first_realtime_signal()] }

    /// Blocks the signals in the calling thread and the threads it starts, so that they wait for a shutter instead of
    /// ending the program. Call this first if a tap may arrive before the shutter exists.
    public static func block() {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for signal in signals { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    /// Starts listening. `onEvent` is called on the shutter's thread.
    public init(onEvent: @escaping @Sendable (ShutterEvent) -> Void) throws(ShutterError) {
        let signals = try BlockedSignals(Self.signals, whose: "signals")
        var early = 0
        while signals.next() != nil { early += 1 }
        earlyPresses = early
        thread = try ShutterThread(name: "tap signals") { stop in
            var polled = [pollfd(stop.wake.descriptor), pollfd(signals.descriptor)]
            while !stop.isStopping {
                polled.wait()
                while !stop.isStopping, let (_, value) = signals.next() {
                    let time = Timestamp.now - .milliseconds(Int64(max(0, value)))
                    onEvent(.pressed(at: time))
                    onEvent(.released(at: time))
                }
            }
        }
    }

    /// Stops listening. After it returns `onEvent` is not called any more, unless `close` was called from `onEvent`
    /// itself.
    public func close() { thread.close() }
}
