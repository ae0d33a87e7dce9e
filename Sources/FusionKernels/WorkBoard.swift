// SPDX-License-Identifier: MIT
// What the threads of a pool share: the work there is, and what has become of it.

import Synchronization
import Threads

/// One piece of work at a time, in parts that any thread may take.
///
/// `job` is no atomic: `post` writes it before `unclaimed`, and only who has claimed a part reads it. A part that is
/// claimed keeps its run from ending, so the job stays until the part is done. A thread that was about to claim a part of
/// one run and finds the next one's instead has claimed a part of that: nothing of the run before is kept.
package final class WorkBoard: @unchecked Sendable {
    private struct Job {
        let count: Int
        let body: @Sendable (Int) -> Void
    }

    private var job: Job?
    /// Whether some run has the board.
    private let isReserved = Atomic<Bool>(false)
    /// Parts that nobody has claimed.
    private let unclaimed = Atomic<Int>(0)
    /// Parts that are not done.
    private let unfinished = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let posted: Doorbell
    private let done: Doorbell

    /// A board without work; who waits at it stays awake for so long before it sleeps.
    package init(wakefulNanoseconds: Int64) {
        posted = Doorbell(wakefulNanoseconds: wakefulNanoseconds)
        done = Doorbell(wakefulNanoseconds: wakefulNanoseconds)
    }

    /// Whether the board is the caller's now, until `waitUntilDone` returns.
    func reserve() -> Bool {
        // Pairs with the release in `waitUntilDone`.
        !isReserved.exchange(true, ordering: .acquiring)
    }

    /// Puts `count` parts up, for who has reserved the board, or is the only one to post on it.
    package func post(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        job = Job(count: count, body: body)
        unfinished.store(count, ordering: .relaxed)
        // Pairs with the acquiring exchange in `claim`: who has a part has its job.
        unclaimed.store(count, ordering: .releasing)
        posted.ring()
    }

    /// Does parts until none is left to claim.
    func work() { while workOnce() {} }

    /// Does one part; `false` when none is left to claim.
    package func workOnce() -> Bool {
        guard let part = claim() else { return false }
        perform(part)
        // Pairs with the acquiring load in `waitUntilDone`: who sees the last part done sees what all have done.
        if unfinished.wrappingSubtract(1, ordering: .releasing).newValue == 0 { done.ring() }
        return true
    }

    /// Whether some part is left to claim.
    package var hasParts: Bool { unclaimed.load(ordering: .acquiring) > 0 }

    /// Waits until all parts are done, and gives the board back.
    package func waitUntilDone() {
        done.wait { unfinished.load(ordering: .acquiring) == 0 }
        job = nil
        isReserved.store(false, ordering: .releasing)
    }

    /// Waits for parts to do; false when there will be no more.
    func waitForWork() -> Bool {
        posted.wait { unclaimed.load(ordering: .acquiring) > 0 || isClosed.load(ordering: .acquiring) }
        return !isClosed.load(ordering: .acquiring)
    }

    /// Tells those who wait for work that there will be none.
    func close() {
        isClosed.store(true, ordering: .releasing)
        posted.ring()
    }

    private func claim() -> Int? {
        var left = unclaimed.load(ordering: .relaxed)
        while left > 0 {
            let result = unclaimed.weakCompareExchange(
                expected: left, desired: left - 1, successOrdering: .acquiring, failureOrdering: .relaxed)
            if result.exchanged { return left - 1 }
            left = result.original
        }
        return nil
    }

    /// Apart, so that whatever is retained of the body is released before its part counts as done.
    @inline(never)
    private func perform(_ part: Int) {
        // Parts are claimed from the last; bodies are called from the first.
        guard let job else { preconditionFailure("a part of nothing") }
        job.body(job.count - 1 - part)
    }
}
