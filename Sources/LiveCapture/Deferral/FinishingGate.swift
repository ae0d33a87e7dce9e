// SPDX-License-Identifier: MIT
// When a session leaves the processors to photos of before.

import Frames
import Synchronization
import Threads

/// Holds work of the background up while a session's shots want the processors. Any thread may use it.
///
/// Nobody sleeps through a change: each is stored first and the bell rung behind it, and who waits looks again between reading the
/// bell's word and sleeping.
final class FinishingGate: Sendable {
    /// Whether shots are on their way.
    private let isBusy = Atomic<Bool>(false)
    /// Whether there may be photos to finish.
    private let hasWork = Atomic<Bool>(true)
    private let isClosed = Atomic<Bool>(false)
    /// How often somebody was held up.
    private let pauses = Atomic<Int>(0)
    /// When the processors were wanted last, in nanoseconds of CLOCK_MONOTONIC.
    private let lastWish = Atomic<Int64>(Timestamp.now.nanoseconds)
    private let bell = Doorbell(wakefulNanoseconds: 0)

    /// Whether shots are on their way now.
    func note(isBusy busy: Bool) {
        if busy { lastWish.store(Timestamp.now.nanoseconds, ordering: .releasing) }
        // Pairs with the acquiring loads of who waits.
        let was = isBusy.exchange(busy, ordering: .acquiringAndReleasing)
        guard was != busy else { return }
        if was { lastWish.store(Timestamp.now.nanoseconds, ordering: .releasing) }
        bell.ring()
    }

    /// There may be a photo that is to be finished.
    func noteWork() {
        // Pairs with the acquiring loads of who waits.
        hasWork.store(true, ordering: .releasing)
        bell.ring()
    }

    /// The session ends: nobody waits any more.
    func close() {
        isClosed.store(true, ordering: .releasing)
        bell.ring()
    }

    /// How often work was held up so far: what took longer for that tells nothing of how long it takes.
    var timesHeldUp: Int { pauses.load(ordering: .relaxed) }

    var hasClosed: Bool { isClosed.load(ordering: .acquiring) }

    /// Waits while shots are on their way. Called before every part of the work.
    func pause() {
        guard isBusy.load(ordering: .acquiring), !hasClosed else { return }
        // A count and no more: who reads it has joined the threads that were held up.
        pauses.wrappingAdd(1, ordering: .relaxed)
        bell.wait { !isBusy.load(ordering: .acquiring) || hasClosed }
    }

    /// Waits until there may be something to finish and no shot has wanted the processors for so long; false where the session
    /// ends. From then on nothing is known of work: who finds some says so.
    func waitForWork(idleFor calm: TimeSpan) -> Bool {
        while !hasClosed {
            bell.wait { hasClosed || hasWork.load(ordering: .acquiring) && !isBusy.load(ordering: .acquiring) }
            let end = Timestamp(nanoseconds: lastWish.load(ordering: .acquiring)) + calm
            if hasClosed || Timestamp.now >= end { break }
            bell.wait(until: end.nanoseconds) { hasClosed || isBusy.load(ordering: .acquiring) }
        }
        // Before the library is looked at: a photo that comes meanwhile is not forgotten.
        hasWork.store(false, ordering: .sequentiallyConsistent)
        return !hasClosed
    }
}
