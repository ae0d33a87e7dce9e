// SPDX-License-Identifier: MIT
// The waits of sources that keep their own time: until a frame is due, the followers are done, or the source is
// stopped.

import FrameRing
import Frames
import Synchronization

/// A sleep that another thread can end for good, together with the waits at the followers' gate.
final class Alarm: Sendable {
    private let gate: FollowerGate
    private let signal = OwnedSignal()
    private let hasRung = Atomic<Bool>(false)

    init(_ gate: FollowerGate) { self.gate = gate }

    /// Whether the alarm has been switched off, so that nothing may sleep any more.
    var isOff: Bool { hasRung.load(ordering: .acquiring) }

    /// Ends every sleep, including waits at the gate.
    func switchOff() {
        // Pairs with the acquiring load in `isOff`.
        hasRung.store(true, ordering: .releasing)
        signal.notify()
        gate.open()
    }

    /// Sleeps until `time` on CLOCK_MONOTONIC.
    func wait(until time: Timestamp) { _ = signal.wait(until: time) { isOff } }
}
