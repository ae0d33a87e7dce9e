// SPDX-License-Identifier: MIT
// How well a still's work can be shared out: what two threads could reach at best on a machine that does nothing else.

import Frames
import FusionKernels
import Threads

/// One thread does all the work and notes how long each part takes. From that follows when two threads would be done that
/// take the parts in the same order and need no time for anything else.
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
    /// A run: how many parts it had, how long they took together, and how long two threads would have taken.
    struct Run {
        var count: Int
        var work: Int64
        var span: Int64
    }

    /// So many that no stage has a part for each: a run of that many is one whose parts are shared out as they go.
    let threads = 17
    private let noted = Guarded<[Run]>([])

    var runs: [Run] { noted.withLock { $0 } }

    func forget() { noted.withLock { $0.removeAll(keepingCapacity: true) } }

    func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        var (busy, work) = ((Int64(0), Int64(0)), Int64(0))
        for part in 0..<count {
            let time = BenchmarkClock.thread.time { body(part) }
            work += time
            // Whoever is free first takes the next part.
            if busy.0 <= busy.1 { busy.0 += time } else { busy.1 += time }
        }
        let span = count == threads ? work / 2 : max(busy.0, busy.1)
        let run = Run(count: count, work: work, span: span)
        noted.withLock { $0.append(run) }
    }
}
