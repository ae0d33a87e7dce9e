// SPDX-License-Identifier: MIT
// The threads that develop photos: one a processor, each with a shot of its own while there are enough, and otherwise
// helping the others.

import CSystem
import Frames
import FusionKernels
import Synchronization
import Threads

/// The workers. Never more threads are at work than there are workers: a fusion's parts are shared among those who have
/// no shot of their own, so that a single shot has all of them, and many shots have one each, which wastes least.
final class Crew: Sendable {
    private let desk: Desk
    private let boards: [WorkBoard]
    private let threads: Guarded<[SystemThread]>
    private let isClosed: Closing

    /// Tells workers to go home.
    private final class Closing: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// Carries a bench to its worker. `@unchecked`: nobody else has it after that.
    private struct Handover: @unchecked Sendable {
        let bench: Workbench
    }

    /// Starts the workers, each with a bench of its own, which nobody else touches.
    init(_ desk: Desk, makeBench: (Int, WorkerPool) throws(PhotoError) -> Workbench) throws(PhotoError) {
        self.desk = desk
        let boards = (0..<desk.workers).map { _ in WorkBoard(wakefulNanoseconds: 20_000) }
        let isClosed = Closing()
        (self.boards, self.isClosed) = (boards, isClosed)
        var benches: [Handover] = []
        for number in boards.indices {
            benches.append(
                Handover(bench: try makeBench(number, WorkerPool(desk, boards[number], size: boards.count))))
        }
        let threads = benches.enumerated().map { number, handover in
            SystemThread(name: "develop \(number + 1)") {
                // The select and capture threads come first, also where real-time priority is not to be had.
                _ = lc_thread_nice(workerNiceness)
                while work(desk, boards, handover.bench) || !isClosed.isSet.load(ordering: .acquiring) {
                    desk.bell.wait {
                        desk.hasJobs || boards.contains { $0.hasParts } || isClosed.isSet.load(ordering: .acquiring)
                    }
                }
            }
        }
        self.threads = Guarded(threads)
    }

    /// Waits until all work that can be taken is done, and ends the threads.
    func close() {
        // Pairs with the acquiring loads in the workers' loops.
        isClosed.isSet.store(true, ordering: .releasing)
        desk.bell.ring()
        let left = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in left { thread.join() }
    }
}

/// Below the threads that wait for frames, so that these are never kept from a processor by a fusion.
private let workerNiceness: Int32 = 5

/// Does what there is to do, until there is nothing; whether there was something.
private func work(_ desk: Desk, _ boards: [WorkBoard], _ bench: Workbench) -> Bool {
    var hasWorked = false
    while true {
        if let job = desk.takeJob() {
            bench.perform(job)
        } else if !boards.contains(where: { $0.workOnce() }) {
            return hasWorked
        }
        hasWorked = true
    }
}

/// What a worker's fusions have as their pool: the worker itself, and whoever has nothing better to do.
final class WorkerPool: FusionPool {
    let threads: Int
    private let desk: Desk
    private let board: WorkBoard
    /// Reads frames in between; set once, by the worker, before any fusion.
    nonisolated(unsafe) var readFrames: (() -> Void)?  // used by the worker's own thread alone

    init(_ desk: Desk, _ board: WorkBoard, size: Int) {
        (self.desk, self.board, threads) = (desk, board, size)
    }

    func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        if desk.hasUrgentJobs { readFrames?() }
        guard count > 1, threads > 1 else { return CallersThread().run(count, body) }
        withoutActuallyEscaping(body) { body in
            board.post(count, body)
            desk.bell.ring()
            while board.workOnce() { if desk.hasUrgentJobs { readFrames?() } }
            board.waitUntilDone()
        }
    }
}
