// SPDX-License-Identifier: MIT
// Signals as a shutter: `kill -USR1`, and queued real-time signals that may say how long ago.

import CSystem
import Frames
import Glibc

/// Presses by signals.
///
/// - SIGUSR1 is a press, now. Signals of that kind coalesce: two that are close together may be one press.
/// - SIGRTMIN is a press for each signal, for those are queued (up to `ulimit -i` of them).
/// - A number sent along with either, as `sigqueue(3)` or `kill -s RTMIN -q 250 PID` do, is how many milliseconds ago the
///   press was: its time is now less so many. Negative numbers would be in the future and count as 0.
///
/// "Now" is when this shutter's thread takes the signal: the kernel keeps no time for signals. Each press is let go at once.
///
/// To be made on the main thread, before there are threads other than `SystemThread`s (which take no signals): it blocks its
/// signals in the calling thread, and threads inherit that. They stay blocked after `close`, so that a late one does not end
/// the program.
public final class SignalShutter: Sendable {
    private let thread: ShutterThread

    /// How many presses were waiting when the shutter began to listen: nobody knows when they were made, and they are told of
    /// nowhere else. Several SIGUSR1 count as one.
    public let earlyPresses: Int

    /// The signals that are presses, by number: SIGUSR1 and the first real-time signal.
    public static var signals: [Int32] { [SIGUSR1, lc_first_realtime_signal()] }

    /// Keeps the signals from the calling thread and those it starts, so that they wait for a shutter instead of ending the
    /// program. To be called first of all where a tap may come before there is a shutter.
    public static func block() {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for signal in signals { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    /// Begins to listen; `onEvent` is called on the shutter's thread.
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

    /// Stops listening. When it returns, `onEvent` is not called any more, unless it was called by `onEvent` itself.
    public func close() { thread.close() }
}
