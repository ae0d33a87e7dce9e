// SPDX-License-Identifier: MIT
// Sleeping until a frame's time, unless told to stop.

import CSystem
import FrameRing
import Frames
import Synchronization

/// A sleep that another thread can end, for good.
final class Alarm: Sendable {
    private let gate: FollowerGate
    // One word at a fixed address, because the kernel is told it; 1 once the alarm is off.
    nonisolated(unsafe) private let word: UnsafeMutablePointer<Atomic<UInt32>>

    init(_ gate: FollowerGate) {
        self.gate = gate
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(0))
    }

    deinit { word.deinitialize(count: 1).deallocate() }

    /// Whether no sleep is wanted any more.
    var isOff: Bool { word.pointee.load(ordering: .acquiring) != 0 }

    /// Ends every sleep, also of those who wait at the gate.
    func switchOff() {
        // Pairs with the acquiring load in `isOff`; a sleeper about to sleep finds the word changed.
        word.pointee.store(1, ordering: .releasing)
        _ = lc_futex_wake_all(address)
        gate.open()
    }

    /// Sleeps until `time` on CLOCK_MONOTONIC.
    func wait(until time: Timestamp) {
        while !isOff && Timestamp.now < time { _ = lc_futex_wait_until(address, 0, time.nanoseconds) }
    }

    private var address: UnsafePointer<UInt32> { UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self) }
}
