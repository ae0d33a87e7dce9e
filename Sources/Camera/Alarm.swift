// SPDX-License-Identifier: MIT
// The sleeps of sources that keep their own time: until a frame is due, until the followers are done, or until stopped.

import FrameRing
import Frames
import Synchronization

/// Sleeps that another thread can end, for good, together with the waits at the followers' gate.
final class Alarm: Sendable {
    private let gate: FollowerGate
    private let signal = OwnedSignal()
    private let hasRung = Atomic<Bool>(false)

    init(_ gate: FollowerGate) { self.gate = gate }

    /// Whether no sleep is wanted any more.
    var isOff: Bool { hasRung.load(ordering: .acquiring) }

    /// Ends every sleep, also of those who wait at the gate.
    func switchOff() {
        // Pairs with the acquiring load in `isOff`.
        hasRung.store(true, ordering: .releasing)
        signal.notify()
        gate.open()
    }

    /// Sleeps until `time` on CLOCK_MONOTONIC.
    func wait(until time: Timestamp) { _ = signal.wait(until: time) { isOff } }
}
