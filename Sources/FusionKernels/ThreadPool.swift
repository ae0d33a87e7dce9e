// SPDX-License-Identifier: MIT
// A pool of threads for fusions, kept from one to the next.

import LivecapCSystem
import LivecapThreads

/// A pool made of its own threads and the caller's: the caller of `run` works too, and returns when everything is
/// done.
///
/// After a run the threads stay awake for some microseconds, because a fusion's next run follows immediately; then
/// they sleep. The threads serve one run at a time: a run that is started from inside a body, or by another thread
/// during a run, is done by its caller alone. The threads end with the pool.
public final class ThreadPool: FusionPool {
    /// The maximum number of bodies that run at the same time, the caller's included.
    public let threads: Int
    private let board: WorkBoard
    private let workers: [SystemThread]

    /// The number of processors this process may use.
    public static var processors: Int { Int(lc_processor_count()) }

    /// This machine's memory in bytes.
    public static var physicalMemory: Int { Int(clamping: lc_physical_memory()) }

    /// Creates a pool of `threads` threads, the caller's included: 1 adds none. The pool has fewer if the system
    /// refuses to create more.
    public init(threads: Int = ThreadPool.processors) {
        precondition(threads >= 1, "the caller's own thread is always there")
        // A thread that stays awake needs a processor that no other thread of the pool uses.
        let board = WorkBoard(spinNanoseconds: threads <= Self.processors ? 50_000 : 0)
        self.board = board
        var workers: [SystemThread] = []
        for number in 1..<threads {
            let worker = try? SystemThread(name: "fuse \(number)") { while board.waitForWork() { board.work() } }
            guard let worker else { break }
            workers.append(worker)
        }
        self.workers = workers
        self.threads = 1 + workers.count
    }

    deinit {
        board.close()
        for worker in workers { worker.join() }
    }

    /// Calls `body` once for each of 0..<count, in any order and possibly concurrently, and returns when all calls
    /// are done.
    public func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard count > 1, !workers.isEmpty, board.reserve() else { return CallersThread().run(count, body) }
        // The board drops the body before `waitUntilDone` returns, so the body does not escape.
        withoutActuallyEscaping(body) { body in
            board.post(count, body)
            board.work()
            board.waitUntilDone()
        }
    }
}
