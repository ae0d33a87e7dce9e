// SPDX-License-Identifier: MIT
// Timing things against each other, in turns, so that whatever disturbs the machine disturbs them alike.

import Frames
import Glibc

/// What a benchmark's time is.
enum BenchmarkClock {
    /// The time that passes.
    case wall
    /// The time a processor spends on the calling thread: what passes on a machine that does nothing else. For work of
    /// that one thread only.
    case thread

    var now: Timestamp {
        guard self == .thread else { return .now }
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// How many nanoseconds `body` takes.
    func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int64 {
        let start = now
        try body()
        return (now - start).nanoseconds
    }
}

/// The median times of several things, in milliseconds, in their order. Each runs once unmeasured to warm up and to tell
/// how long it takes; then an equal share of `budget` goes to each (three runs at least), and their runs alternate.
func mediansInTurns<Failure: Error>(
    budget: TimeSpan, clock: BenchmarkClock = .wall, _ rivals: [() throws(Failure) -> Void]
) throws(Failure) -> [Double] {
    var counts: [Int] = []
    for rival in rivals {
        let once = max(1000, try BenchmarkClock.wall.time(rival))
        counts.append(min(201, max(3, Int(budget.nanoseconds / Int64(rivals.count) / once))))
    }
    var times = [[Int64]](repeating: [], count: rivals.count)
    let rounds = counts.max() ?? 0
    for round in 0..<rounds {
        // Those with fewer runs take theirs evenly over all rounds.
        for (index, rival) in rivals.enumerated() where (round + 1) * counts[index] / rounds > times[index].count {
            times[index].append(try clock.time(rival))
        }
    }
    return times.map { times in Double(times.sorted()[times.count / 2]) * 1e-6 }
}
