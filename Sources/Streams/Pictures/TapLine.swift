// SPDX-License-Identifier: MIT
// Of which samples along a line each sample of a shorter or longer line is made.

/// The weights that turn a line of samples into one of another length. Made smaller, each sample is the mean of those
/// that it covers; made larger, it lies between its two neighbours.
struct TapLine {
    /// Weights of a sample add up to this.
    static let whole = 256

    /// For each sample, the first one of which it is made.
    let firsts: [Int]
    /// The number of samples of which each is made.
    let taps: Int
    /// Their weights: `taps` for each sample.
    let weights: [UInt16]
    /// Whether each sample is one of the line's.
    var isPlain: Bool { taps == 1 }

    /// `count` samples that show the part of a line of `total` from `start` on, `length` long.
    init(_ count: Int, of total: Int, from start: Double, length: Double) {
        let step = length / Double(count)
        var lists: [(first: Int, weights: [Double])] = []
        for place in 0..<count {
            let begin = start + Double(place) * step
            lists.append(step > 1 ? Self.covered(begin, begin + step, total) : Self.between(begin + step / 2, total))
        }
        taps = lists.map(\.weights.count).max() ?? 1
        var firsts: [Int] = []
        var weights: [UInt16] = []
        for list in lists {
            // All have the same number of weights; some of them are zero.
            let first = min(list.first, total - taps)
            firsts.append(first)
            let padded = Array(repeating: 0, count: list.first - first) + list.weights
            weights += Self.rounded(padded + Array(repeating: 0, count: taps - padded.count))
        }
        self.firsts = firsts
        self.weights = weights
    }

    /// The samples between two places, each by how much of it is covered.
    private static func covered(_ begin: Double, _ end: Double, _ total: Int) -> (Int, [Double]) {
        let begin = min(max(begin, 0), Double(total - 1))
        let end = min(max(end, begin + 1e-6), Double(total))
        // A share of a thousandth is an error of rounding.
        let first = Int((begin + 1e-3).rounded(.down)), last = max(first, Int((end - 1e-3).rounded(.up)) - 1)
        return (first, (first...last).map { min(end, Double($0 + 1)) - max(begin, Double($0)) })
    }

    /// The samples on both sides of a place. Samples lie in the middle of their unit.
    private static func between(_ place: Double, _ total: Int) -> (Int, [Double]) {
        let place = min(max(place - 0.5, 0), Double(total - 1))
        let first = Int(place.rounded(.down)), weight = place - place.rounded(.down)
        // A part of 1/256 that is rounded to nothing.
        if weight < 1 / Double(2 * whole) { return (first, [1]) }
        if weight > 1 - 1 / Double(2 * whole) { return (first + 1, [1]) }
        return (first, [1 - weight, weight])
    }

    /// Whole weights that add up to `whole`: what one loses by rounding goes to the next.
    private static func rounded(_ weights: [Double]) -> [UInt16] {
        let sum = weights.reduce(0, +)
        var (asked, given) = (0.0, 0)
        return weights.map { weight in
            asked += weight / sum * Double(whole)
            let part = Int(asked.rounded()) - given
            given += part
            return UInt16(part)
        }
    }
}
