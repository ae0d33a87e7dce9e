// SPDX-License-Identifier: MIT
// How well the work of a still can be shared: the best possible speed-up by two threads on an otherwise idle machine.

import Fusion
import LivecapFrames
import LivecapThreads

/// Does all the work on one thread, and notes how long each part takes. From that, it computes when two threads would
/// finish that take the parts in the same order and lose no time otherwise.
struct SharedWork: FallibleBenchmark {
    let name = "fusion.shared.balanced"
    let store: BurstStore

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan()
        var result = BenchmarkResult(name, plan)
        let pool = NotingPool()
        let shot = try Shot(plan, store, pool: pool)
        try shot.takeCold()
        var (all, shared, best, stills) = (Int64(0), Int64(0), Int64(0), 0)
        let start = Timestamp.now
        var runs: [NotingPool.Run] = []
        while stills < 3 || Timestamp.now - start < options.budget {
            pool.forget()
            all += try BenchmarkClock.thread.time(shot.takeCold)
            let found = pool.runs
            if runs.isEmpty { runs = found }
            for (place, run) in found.enumerated() where place < runs.count {
                shared += run.work
                best += run.span
                runs[place].work = min(runs[place].work, run.work)
                runs[place].span = min(runs[place].span, run.span)
            }
            stills += 1
        }
        let milliseconds = { (nanoseconds: Int64) in Double(nanoseconds) * 1e-6 / Double(stills) }
        result.msPerStill = milliseconds(all)
        result.figures = [
            ("sharedMs", milliseconds(shared)), ("byTwoMs", milliseconds(best)),
            ("aloneMs", milliseconds(all - shared)),
        ]
        for (place, run) in runs.enumerated() where options.isThorough {
            result.figures.append(("run\(place)of\(run.count)Work", Double(run.work) * 1e-6))
            result.figures.append(("run\(place)of\(run.count)Span", Double(run.span) * 1e-6))
        }
        result.ratios = [("bestSpeedUpOfTwoThreads", Double(all) / Double(all - shared + best))]
        result.notes = [
            "by the processor's clock of one thread; what waking, memory and the clock rate take comes on top"
        ]
        return result
    }
}

/// Does all work on the caller's thread, and notes how long each part of each run takes.
private final class NotingPool: FusionPool {
    /// A run: the number of its parts, their total time, and the time two threads would have needed.
    struct Run {
        var count: Int
        var work: Int64
        var span: Int64
    }

    /// More threads than any stage has parts for. A run of exactly this many parts is one in which threads take work as
    /// they go, so it counts as evenly shared.
    let threads = 17
    private let noted = Guarded<[Run]>([])

    var runs: [Run] { noted.withLock { $0 } }

    func forget() { noted.withLock { $0.removeAll(keepingCapacity: true) } }

    func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        var (busy, work) = ((Int64(0), Int64(0)), Int64(0))
        for part in 0..<count {
            let time = BenchmarkClock.thread.time { body(part) }
            work += time
            // The thread that is free first takes the next part.
            if busy.0 <= busy.1 { busy.0 += time } else { busy.1 += time }
        }
        let span = count == threads ? work / 2 : max(busy.0, busy.1)
        let run = Run(count: count, work: work, span: span)
        noted.withLock { $0.append(run) }
    }
}
