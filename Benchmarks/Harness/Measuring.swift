// SPDX-License-Identifier: MIT
// Timing many short things one by one, and what the timings come to.

import Frames

/// Durations of the same thing done many times, in nanoseconds.
struct Timings {
    private var sorted: [Int64]

    /// Times `body` on its own, `count` times, after a warm-up and each time after `before`. The clock's own cost, some
    /// 25 ns, is in every figure.
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

    /// Durations that were measured otherwise; at least one.
    init(of spans: [TimeSpan]) { sorted = spans.map(\.nanoseconds).sorted() }

    var median: Double { quantile(0.5) }

    /// The duration that a share of `q` of all do not exceed.
    func quantile(_ q: Double) -> Double { Double(sorted[min(sorted.count - 1, Int(q * Double(sorted.count)))]) }
}
