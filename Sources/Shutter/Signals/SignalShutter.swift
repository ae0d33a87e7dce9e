// SPDX-License-Identifier: MIT
// Signals as a shutter: `kill -USR1`, and queued real-time signals that may carry the age of a press.

import Glibc
import LivecapCSystem
import LivecapFrames

/// Presses by signals.
///
/// - SIGUSR1 is a press. Such signals coalesce: while one is pending, the kernel discards further ones, so two in quick
///   succession may be one press. Nothing can count those.
/// - Each SIGRTMIN is a press, because these signals are queued (up to `ulimit -i` of them).
/// - A number sent with either, as with `sigqueue(3)` or `kill -s RTMIN -q 250 PID`, is the age of the press in
///   milliseconds: its time is that much earlier. Negative numbers would lie in the future and count as 0.
///
/// A press has the time when the signal interrupted one of the process's threads, because the kernel keeps no time for
/// signals. Each press is released at once.
///
/// A signal handler notes the presses, and the shutter's thread delivers them. Signals may therefore interrupt any
/// thread, whatever it blocks and whenever it was started, and none of them ends the process while the shutter exists.
/// System calls that a signal interrupts are restarted (`SA_RESTART`), except those that never are, such as `poll` and
/// `nanosleep`: `signal(7)`.
///
/// A whole program that prints the time of each press:
///
/// ```swift
/// import Shutter
///
/// @main struct Presses {
///     static func main() async throws {
///         let shutter = try SignalShutter()
///         print("kill -USR1 PID presses the button")
///         var count = 0
///         for await case .pressed(let time) in shutter.events {
///             count += 1
///             print("press \(count) at \(time.nanoseconds) ns")
///             if count == 10 { break }
///         }
///         shutter.close()
///     }
/// }
/// ```
public final class SignalShutter: Sendable {
    private let presses: CaughtPresses
    private let feed = ShutterFeed()
    private let thread: ShutterThread

    /// The number of presses that came before the shutter listened, since the handlers were installed. Their signals
    /// are delivered nowhere else. Several SIGUSR1 may count as one.
    public let earlyPresses: Int

    /// Installs the signal handlers for the rest of the process, in which these signals then never end it: presses
    /// before a shutter exists are its `earlyPresses`, and those after `close` do nothing.
    ///
    /// Call this first in a program that may be sent a press before its shutter exists. Other programs need not.
    public static func installHandlers() { CaughtPresses.installForGood() }

    /// Starts listening. `onEvent` is called on the shutter's thread for each press and release.
    ///
    /// Throws `ShutterError.signalsInUse` if the process has another `SignalShutter` that is not closed, because a
    /// signal has one handler, and `ShutterError.failed` if the system has no descriptor or thread left.
    public init(onEvent: @escaping @Sendable (ShutterEvent) -> Void = { _ in }) throws(ShutterError) {
        let presses = try CaughtPresses()
        let feed = feed
        self.presses = presses
        earlyPresses = presses.early
        do throws(ShutterError) {
            thread = try ShutterThread(name: "tap signals") { stop in
                // Should all other threads block these signals, this one takes them.
                lc_presses_unblock()
                var polled = [pollfd(stop.wake.descriptor), pollfd(presses.wake.descriptor)]
                while !stop.isStopping {
                    polled.wait()
                    // Before reading, or the event of a press that comes now would be lost.
                    presses.wake.clear()
                    while !stop.isStopping, let time = presses.next() {
                        for event in [ShutterEvent.pressed(at: time), .released(at: time)] {
                            onEvent(event)
                            feed.send(event)
                        }
                    }
                }
                presses.end()
                feed.end()
            }
        } catch {
            presses.end()
            throw error
        }
    }

    /// The presses and releases from now on, as a sequence.
    public var events: ShutterEvents { ShutterEvents(feed, of: self) }

    /// The number of presses that the handler could not keep, because 1024 were waiting for `onEvent` to return.
    public var droppedPresses: Int { presses.dropped }

    /// Stops listening, ends `events`, and makes the signals do again what they did before, unless `installHandlers`
    /// was called. Signals that were sent before are discarded. After it returns `onEvent` is not called any more,
    /// unless `close` was called from `onEvent` itself.
    public func close() { thread.close() }
}
