// SPDX-License-Identifier: MIT
// Threads that share the work of fusions, kept between them.

import CSystem
import Threads

/// Threads of its own and the caller's: `run` has the caller work too, and returns when all is done.
///
/// The threads stay awake for some microseconds after a run, because a fusion's next run follows at once, and sleep
/// after that. One run at a time has the threads; a run from within a body, or from another thread meanwhile, is done by
/// its caller alone. The threads end with the pool.
public final class ThreadPool: FusionPool {
    /// How many bodies may run at once, the caller's among them.
    public let threads: Int
    private let board: WorkBoard
    private let workers: [SystemThread]

    /// How many processors this process may use.
    public static var processors: Int { Int(lc_processor_count()) }

    /// Bytes of memory this machine has.
    public static var physicalMemory: Int { Int(clamping: lc_physical_memory()) }

    /// A pool of so many threads, the caller's among them: with 1 there is no other. It has fewer where the system has no more.
    public init(threads: Int = ThreadPool.processors) {
        precondition(threads >= 1, "the caller's own thread is always there")
        // Who stays awake needs a processor that nobody else of us works on.
        let board = WorkBoard(wakefulNanoseconds: threads <= Self.processors ? 50_000 : 0)
        self.board = board
        var workers: [SystemThread] = []
        for number in 1..<threads {
            let worker = try? SystemThread(name: "fuse \(number)") { while board.waitForWork() { board.work() } }
            guard let worker else { break }
            workers.append(worker)
        }
        (self.workers, self.threads) = (workers, 1 + workers.count)
    }

    deinit {
        board.close()
        for worker in workers { worker.join() }
    }

    /// Calls `body` once for each of 0..<count, in any order and perhaps at once, and returns when all are done.
    public func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard count > 1, !workers.isEmpty, board.reserve() else { return CallersThread().run(count, body) }
        // The board forgets the body before it is given back, so it escapes nowhere.
        withoutActuallyEscaping(body) { body in
            board.post(count, body)
            board.work()
            board.waitUntilDone()
        }
    }
}
