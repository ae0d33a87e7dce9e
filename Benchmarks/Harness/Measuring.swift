// SPDX-License-Identifier: MIT
// Times many short operations one by one, and summarises the times.

import LivecapFrames

/// The durations, in nanoseconds, of many runs of the same operation.
struct Timings {
    private var sorted: [Int64]

    /// Times each of `count` runs of `body`, after a warm-up, with `before` in front of each. Every figure includes
    /// the cost of the clock, some 25 ns.
    init(count: Int, before: () -> Void = {}, _ body: (Int) -> Void) {
        for round in 0..<min(count, 1000) { body(round) }
        var all = [Int64](repeating: 0, count: count)
        for round in 0..<count {
            before()
            let start = Timestamp.now
            body(round)
            all[round] = (Timestamp.now - start).nanoseconds
        }
        sorted = all.sorted()
    }

    /// Creates timings from durations measured elsewhere; figures need at least one.
    init(of spans: [Duration]) { sorted = spans.map(\.nanoseconds).sorted() }

    var isEmpty: Bool { sorted.isEmpty }
    var median: Double { quantile(0.5) }

    /// The duration that a share of `q` of all runs does not exceed.
    func quantile(_ q: Double) -> Double {
        isEmpty ? .nan : Double(sorted[min(sorted.count - 1, Int(q * Double(sorted.count)))])
    }
}
