// SPDX-License-Identifier: MIT
// The overhead of sharing work among threads.

import Fusion
import Glibc
import Synchronization

struct PoolRun: Benchmark {
    let name = "kernels.pool"

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let threads = min(ThreadPool.processors, 8)
        let pool = ThreadPool(threads: threads)
        let arrived = Atomic<Int>(0)
        /// A run that ends when every thread has arrived.
        func meet() {
            arrived.store(0, ordering: .relaxed)
            pool.run(threads) { _ in
                arrived.wrappingAdd(1, ordering: .relaxed)
                while arrived.load(ordering: .relaxed) < threads {}
            }
        }
        let empty = Timings(count: 20_000) { _ in pool.run(threads) { _ in } }
        let awake = Timings(count: 20_000) { _ in meet() }
        // Rests for longer than the threads stay awake.
        let asleep = Timings(count: 500, before: { usleep(1000) }) { _ in meet() }
        var result = BenchmarkResult(name, threads: threads)
        result.figures = [
            ("emptyMedianNs", empty.median), ("awakeMedianNs", awake.median), ("awakeP99Ns", awake.quantile(0.99)),
            ("asleepMedianNs", asleep.median), ("asleepP99Ns", asleep.quantile(0.99)),
        ]
        let rounds = 1000
        if let counts = Probe()?.count({ for _ in 0..<rounds { pool.run(threads) { _ in } } }) {
            result.figures.append(("allocationsPerRun", Double(counts.allocations) / Double(rounds)))
        }
        result.notes = [
            "until every thread has begun on a part: right after another run, and after a millisecond of rest"
        ]
        return result
    }
}
