// SPDX-License-Identifier: MIT
// Times operations against each other in turns, so that anything that disturbs the machine affects all of them.

import Glibc
import LivecapFrames

/// The clock of a benchmark.
enum BenchmarkClock {
    /// Elapsed time.
    case wall
    /// The processor time of the calling thread: the elapsed time on an otherwise idle machine. Only for work on that
    /// one thread.
    case thread

    var now: Timestamp {
        guard self == .thread else { return .now }
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Returns how many nanoseconds `body` takes.
    func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int64 {
        let start = now
        try body()
        return (now - start).nanoseconds
    }
}

/// The median times of several operations, in milliseconds and in their order. Each runs once to warm up and to
/// estimate its duration. Then each gets an equal share of `budget` (at least three runs), and their runs alternate.
func mediansInTurns<Failure: Error>(
    budget: Duration, clock: BenchmarkClock = .wall, _ rivals: [() throws(Failure) -> Void]
) throws(Failure) -> [Double] {
    var counts: [Int] = []
    for rival in rivals {
        let once = max(1000, try BenchmarkClock.wall.time(rival))
        counts.append(min(201, max(3, Int(budget.nanoseconds / Int64(rivals.count) / once))))
    }
    var times = [[Int64]](repeating: [], count: rivals.count)
    let rounds = counts.max() ?? 0
    for round in 0..<rounds {
        // Operations with fewer runs spread them evenly over all rounds.
        for (index, rival) in rivals.enumerated() where (round + 1) * counts[index] / rounds > times[index].count {
            times[index].append(try clock.time(rival))
        }
    }
    return times.map { times in Double(times.sorted()[times.count / 2]) * 1e-6 }
}
