// SPDX-License-Identifier: MIT
// The state that the threads of a pool share: the work to do, and how much of it is done.

import LivecapThreads
import Synchronization

/// One run at a time, in parts that any thread may claim.
///
/// `job` is not atomic. `post` writes it before `unclaimed`, and only a thread that has claimed a part reads it. A
/// claimed part keeps its run from ending, so the job stays valid until the part is done. If a thread means to claim
/// a part of one run and the next run starts meanwhile, it claims a part of the new run: it keeps nothing from the
/// earlier one.
package final class WorkBoard: @unchecked Sendable {
    private struct Job {
        let count: Int
        let body: @Sendable (Int) -> Void
    }

    // The work of the current run; nil between runs.
    private var job: Job?
    /// Whether a run has reserved the board.
    private let isReserved = Atomic<Bool>(false)
    /// Parts not yet claimed.
    private let unclaimed = Atomic<Int>(0)
    /// Parts not yet done, claimed or not.
    private let unfinished = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let posted: Doorbell
    private let done: Doorbell

    /// Creates a board without work. A thread that waits at it stays awake for `spinNanoseconds` before it sleeps.
    package init(spinNanoseconds: Int64) {
        posted = Doorbell(spinNanoseconds: spinNanoseconds)
        done = Doorbell(spinNanoseconds: spinNanoseconds)
    }

    /// Tries to reserve the board for the caller; if true, the caller has it until `waitUntilDone` returns.
    func reserve() -> Bool {
        // Pairs with the release in `waitUntilDone`.
        !isReserved.exchange(true, ordering: .acquiring)
    }

    /// Posts `count` parts. The caller must have reserved the board, or be the only one that posts to it.
    package func post(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        job = Job(count: count, body: body)
        unfinished.store(count, ordering: .relaxed)
        // Pairs with the acquiring exchange in `claim`: a thread that has claimed a part sees its job.
        unclaimed.store(count, ordering: .releasing)
        posted.ring()
    }

    /// Does parts until none is left to claim.
    func work() { while workOnce() {} }

    /// Does one part; returns `false` if none is left to claim.
    package func workOnce() -> Bool {
        guard let part = claim() else { return false }
        perform(part)
        // Pairs with the acquiring load in `waitUntilDone`: the thread that sees the last part done sees the results
        // of all parts.
        if unfinished.wrappingSubtract(1, ordering: .releasing).newValue == 0 { done.ring() }
        return true
    }

    /// Whether any part is left to claim.
    package var hasParts: Bool { unclaimed.load(ordering: .acquiring) > 0 }

    /// Waits until all parts are done, then releases the board.
    package func waitUntilDone() {
        done.wait { unfinished.load(ordering: .acquiring) == 0 }
        job = nil
        isReserved.store(false, ordering: .releasing)
    }

    /// Waits until there are parts to do; returns false when the board has closed.
    func waitForWork() -> Bool {
        posted.wait { unclaimed.load(ordering: .acquiring) > 0 || isClosed.load(ordering: .acquiring) }
        return !isClosed.load(ordering: .acquiring)
    }

    /// Wakes the waiting threads and tells them that there will be no more work.
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

    /// A separate function, so that any reference it retains to the body is released before the part counts as done.
    @inline(never)
    private func perform(_ part: Int) {
        // Parts are claimed from the last to the first; bodies are called from the first to the last.
        guard let job else { preconditionFailure("a part of nothing") }
        job.body(job.count - 1 - part)
    }
}
