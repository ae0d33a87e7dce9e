// SPDX-License-Identifier: MIT
// Decides when a session's processors are free to finish earlier photos.

import LivecapFrames
import LivecapThreads
import Synchronization

/// Holds up background work while a session's shots need the processors. Any thread may use it.
///
/// No change is missed: every change is stored before the bell rings, and a waiting thread checks again between reading
/// the bell's word and going to sleep.
package final class FinishingGate: Sendable {
    /// Whether shots are in progress.
    private let isBusy = Atomic<Bool>(false)
    /// Whether there may be photos to finish.
    private let hasWork = Atomic<Bool>(true)
    private let isClosed = Atomic<Bool>(false)
    /// How many times work was held up.
    private let pauses = Atomic<Int>(0)
    /// When the processors were last needed by a shot, in nanoseconds of CLOCK_MONOTONIC.
    private let lastWish = Atomic<Int64>(Timestamp.now.nanoseconds)
    private let bell = Doorbell(spinNanoseconds: 0)
    /// Whether a program is waiting for a final. Then work goes on while shots are in progress.
    private let isAwaited: @Sendable () -> Bool

    /// A gate that is open while `isAwaited` holds. `noteWork` is to be called when that begins.
    package init(unless isAwaited: @escaping @Sendable () -> Bool = { false }) { self.isAwaited = isAwaited }

    /// Records whether shots are in progress.
    package func note(isBusy busy: Bool) {
        if busy { lastWish.store(Timestamp.now.nanoseconds, ordering: .releasing) }
        // Pairs with the acquiring loads in `pause` and `waitForWork`.
        let was = isBusy.exchange(busy, ordering: .acquiringAndReleasing)
        guard was != busy else { return }
        if was { lastWish.store(Timestamp.now.nanoseconds, ordering: .releasing) }
        bell.ring()
    }

    /// Records that there may be a photo to finish.
    package func noteWork() {
        // Pairs with the acquiring loads in `waitForWork`.
        hasWork.store(true, ordering: .releasing)
        bell.ring()
    }

    /// Ends the session's finishing: every waiting thread returns.
    package func close() {
        isClosed.store(true, ordering: .releasing)
        bell.ring()
    }

    /// How many times work was held up so far. Work that was held up says nothing about how long such work takes.
    package var timesHeldUp: Int { pauses.load(ordering: .relaxed) }

    package var hasClosed: Bool { isClosed.load(ordering: .acquiring) }

    /// Waits while shots are in progress. Called before each part of the work.
    package func pause() {
        guard isBusy.load(ordering: .acquiring), !hasClosed, !isAwaited() else { return }
        // Relaxed: it is only a count, and its reader has joined the threads that were held up.
        pauses.wrappingAdd(1, ordering: .relaxed)
        bell.wait { !isBusy.load(ordering: .acquiring) || hasClosed || isAwaited() }
    }

    /// Waits until there may be something to finish, and either no shot has needed the processors for `calm`, or a
    /// program is waiting for a final. Returns false when the session ends. Clears the note that there is work: the
    /// caller calls `noteWork` if it finds some.
    package func waitForWork(idleFor calm: Duration) -> Bool {
        while !hasClosed {
            bell.wait {
                hasClosed || hasWork.load(ordering: .acquiring) && (!isBusy.load(ordering: .acquiring) || isAwaited())
            }
            if isAwaited() { break }
            let end = Timestamp(nanoseconds: lastWish.load(ordering: .acquiring)) + calm
            if hasClosed || Timestamp.now >= end { break }
            bell.wait(until: end.nanoseconds) { hasClosed || isBusy.load(ordering: .acquiring) || isAwaited() }
        }
        // Cleared before the caller looks in the library, so that a photo added meanwhile sets it again.
        hasWork.store(false, ordering: .sequentiallyConsistent)
        return !hasClosed
    }
}
