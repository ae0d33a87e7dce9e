// SPDX-License-Identifier: MIT
// The threads that develop photos: one per processor. Each develops a shot of its own while there are enough shots, and
// otherwise helps the others.

import Camera
import Fusion
import LivecapCSystem
import LivecapDeveloping
import LivecapFrames
import LivecapThreads
import Synchronization

/// The worker threads. No more threads are at work than there are workers: the parts of a fusion are shared among
/// workers without a shot of their own. A single shot thus gets all workers, and many shots get one each, which wastes
/// least.
final class Crew: Sendable {
    private let desk: Desk
    private let boards: [WorkBoard]
    private let threads: Guarded<[SystemThread]>
    private let shift: Shift

    /// The state that workers share.
    fileprivate final class Shift: Sendable {
        /// Whether the workers are to end.
        let isOver = Atomic<Bool>(false)
        /// How many workers have a shot of their own or a frame to read. It only hints that parts may come, so it
        /// orders nothing.
        let busy = Atomic<Int>(0)
    }

    /// Carries a bench to its worker. `@unchecked`: nothing else uses the bench after that.
    private struct Handover: @unchecked Sendable {
        let bench: Workbench
    }

    /// Starts `size` workers. Each has a bench of its own, which no other thread touches.
    init(_ desk: Desk, size: Int, makeBench: (Int, WorkerPool) throws(PhotoError) -> Workbench) throws(CameraError) {
        self.desk = desk
        // A worker that stays awake needs a processor that no other worker uses.
        let wakeful: Int64 = size <= ThreadPool.processors ? wakefulBetweenParts : 0
        let boards = (0..<size).map { _ in WorkBoard(spinNanoseconds: wakeful) }
        let shift = Shift()
        self.boards = boards
        self.shift = shift
        var benches: [Handover] = []
        for number in boards.indices {
            let pool = WorkerPool(desk, boards[number], size: boards.count)
            do throws(PhotoError) {
                benches.append(Handover(bench: try makeBench(number, pool)))
            } catch { throw .noMemory(bytes: 1 << 20) }
        }
        threads = Guarded([])
        for (number, handover) in benches.enumerated() {
            func start() throws(SystemShortage) -> SystemThread {
                try SystemThread(name: "develop \(number + 1)") {
                    // The select and capture threads come first, even where real-time priority is not available.
                    _ = lc_thread_nice(workerNiceness)
                    while work(desk, boards: boards, bench: handover.bench, shift: shift)
                        || !shift.isOver.load(ordering: .acquiring)
                    {
                        desk.bell.wait(awakeFor: shift.busy.load(ordering: .relaxed) > 0 ? wakeful : 0) {
                            desk.hasJobs || boards.contains { $0.hasParts } || shift.isOver.load(ordering: .acquiring)
                        }
                    }
                }
            }
            do throws(SystemShortage) {
                let thread = try start()
                threads.withLock { $0.append(thread) }
            } catch {
                close()
                throw .shortage(error)
            }
        }
    }

    /// Waits until all work that can be taken is done, and ends the threads.
    func close() {
        // Pairs with the acquiring loads in the workers' loops.
        shift.isOver.store(true, ordering: .releasing)
        desk.bell.ring()
        let left = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in left { thread.join() }
    }
}

/// Below the threads that wait for frames, so that a fusion never keeps them from a processor.
private let workerNiceness: Int32 = 5

/// A fusion posts parts some dozen times, a tenth of a millisecond apart: waking a thread for each would take longer.
private let wakefulBetweenParts: Int64 = 300_000

/// Works until there is nothing left to do. Returns whether there was anything.
private func work(_ desk: Desk, boards: [WorkBoard], bench: Workbench, shift: Crew.Shift) -> Bool {
    var hasWorked = false
    while true {
        if let job = desk.takeJob() {
            shift.busy.wrappingAdd(1, ordering: .relaxed)
            bench.perform(job)
            shift.busy.wrappingSubtract(1, ordering: .relaxed)
        } else if !boards.contains(where: { $0.workOnce() }) {
            return hasWorked
        }
        hasWorked = true
    }
}

/// The pool for one worker's fusions: the worker itself, and all workers that are idle.
final class WorkerPool: FusionPool {
    let threads: Int
    private let desk: Desk
    private let board: WorkBoard
    /// Reads frames between parts. The worker sets it once, before any fusion.
    nonisolated(unsafe) var readFrames: (() -> Void)?  // used by the worker's own thread alone

    init(_ desk: Desk, _ board: WorkBoard, size: Int) {
        self.desk = desk
        self.board = board
        threads = size
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
