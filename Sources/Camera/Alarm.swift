// SPDX-License-Identifier: MIT
// The waits of sources that keep their own time: until a frame is due, the followers are done, or the source is
// stopped.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

/// A sleep that another thread can end for good: what the `interrupt` of a source needs that keeps its own time.
public final class Alarm: Sendable {
    /// Opened together with the end of the sleeps.
    private let gate: FollowerGate?
    /// Raised together with the signal.
    private let event: WakeEvent?
    private let signal = OwnedSignal()
    private let hasRung = Atomic<Bool>(false)

    /// An alarm that nobody has switched off.
    public convenience init() { self.init(gate: nil, event: nil) }

    /// An alarm that also ends the waits at the followers' gate.
    convenience init(_ gate: FollowerGate) { self.init(gate: gate, event: nil) }

    /// An alarm that also ends waits for an event.
    convenience init(raising event: WakeEvent?) { self.init(gate: nil, event: event) }

    private init(gate: FollowerGate?, event: WakeEvent?) {
        self.gate = gate
        self.event = event
    }

    /// Whether the alarm has been switched off, so that nothing may sleep any more.
    public var isOff: Bool { hasRung.load(ordering: .acquiring) }

    /// Ends every sleep, present and future. Any thread may call it.
    public func switchOff() {
        // Pairs with the acquiring load in `isOff`.
        hasRung.store(true, ordering: .releasing)
        rouse()
        gate?.open()
    }

    /// Sleeps until `time` on CLOCK_MONOTONIC, or until the alarm is switched off.
    public func wait(until time: Timestamp) { _ = signal.wait(until: time) { isOff } }

    /// Sleeps until the condition holds, which is looked at after each `rouse()`, or until the alarm is switched off.
    func wait(for condition: () -> Bool) { _ = signal.wait(until: .distantFuture) { isOff || condition() } }

    /// Has sleepers look at their conditions again.
    func rouse() {
        signal.notify()
        event?.raise()
    }
}
