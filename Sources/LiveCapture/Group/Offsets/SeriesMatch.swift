// SPDX-License-Identifier: MIT
// Finds how much later one signal is than another, and how far that may be from the truth.

/// Two smoothed signals of the same light, of which the second may be later.
struct SeriesMatch {
    let first: SmoothedSeries
    let second: SmoothedSeries

    /// How alike the signals are if the second is `offset` seconds later, from -1 to 1; nil if they have less than two
    /// seconds in common.
    func likeness(_ offset: Double, every stride: Int = 1) -> Double? {
        var (count, ones, others, squares, otherSquares, products) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for index in Swift.stride(from: 0, to: first.values.count, by: stride) where first.isKnown[index] {
            guard let other = second.value(index, later: offset) else { continue }
            let one = first.values[index]
            count += 1
            ones += one
            others += other
            squares += one * one
            otherSquares += other * other
            products += one * other
        }
        guard count * SmoothedSeries.step * Double(stride) >= 2 else { return nil }
        let spread = (squares - ones * ones / count) * (otherSquares - others * others / count)
        guard spread > 0 else { return 0 }
        return (products - ones * others / count) / spread.squareRoot()
    }

    /// How far the time of one change may be wrong, in seconds, because it fell between two frames: the more, the more
    /// abrupt changes are.
    var betweenFrames: Double {
        func share(_ series: SmoothedSeries) -> Double {
            series.variation > 0 ? series.width * min(1, series.roughness / series.variation) : 0
        }
        return 0.22 * (share(first) * share(first) + share(second) * share(second)).squareRoot()
    }

    /// A likeness at an offset.
    struct Peak {
        let offset: Double
        let likeness: Double
    }

    /// All offsets up to `limit` seconds where the signals are more alike than at those beside them, the best first.
    func peaks(within limit: Double) -> [Peak] {
        let step = 2 * SmoothedSeries.step
        let reach = Int(limit / step)
        let found = (-reach...reach).map { likeness(Double($0) * step, every: 2) ?? -1 }
        var peaks: [Peak] = []
        for index in 1..<found.count - 1
        where found[index] >= found[index - 1] && found[index] > found[index + 1] {
            peaks.append(Peak(offset: Double(index - reach) * step, likeness: found[index]))
        }
        return peaks.sorted { $0.likeness > $1.likeness }
    }

    /// The offset near `offset` where the signals are most alike.
    func refined(_ peak: Peak) -> Peak {
        var best = peak.offset
        for step in [0.006, 0.003, 0.002] {
            guard let here = likeness(best), let before = likeness(best - step), let after = likeness(best + step)
            else { continue }
            let bend = before - 2 * here + after
            guard bend < 0 else { continue }
            best += min(max(0.5 * (before - after) / bend, -2), 2) * step
        }
        return Peak(offset: best, likeness: likeness(best) ?? peak.likeness)
    }

    /// How sure an offset is.
    struct Certainty {
        /// In how many parts of the recording something happens that says when.
        let parts: Double
        /// The standard error in seconds, from how much these parts disagree.
        let error: Double
        /// By how many seconds the offset seems to change in a second, if more than chance would do it; or else 0.
        let drift: Double
        /// For how many seconds the signals were compared.
        let span: Double
    }

    /// The time of a part, in seconds: longer than what is seen of one movement, so that parts are independent.
    private static let part = 0.8

    /// Judges an offset by the parts of the recording: each says by itself how far it is from it, and how surely.
    func certainty(of offset: Double) -> Certainty? {
        let gain = gain(at: offset)
        let length = Int(Self.part / SmoothedSeries.step)
        let count = first.values.count / length + 1
        var pulls = [Double](repeating: 0, count: count), weights = pulls
        var known: [Int] = []
        for index in first.values.indices where first.isKnown[index] {
            guard let other = second.value(index, later: offset),
                let before = second.value(index, later: offset - SmoothedSeries.step),
                let after = second.value(index, later: offset + SmoothedSeries.step)
            else { continue }
            let slope = gain * (after - before) / (2 * SmoothedSeries.step)
            pulls[index / length] += (first.values[index] - gain * other) * slope
            weights[index / length] += slope * slope
            known.append(index)
        }
        let weight = weights.reduce(0, +)
        guard weight > 0, let start = known.first, let end = known.last else { return nil }
        let parts = weight * weight / weights.reduce(0) { $0 + $1 * $1 }
        guard parts > 1.5 else { return Certainty(parts: parts, error: .infinity, drift: 0, span: 0) }
        let squares = pulls.reduce(0) { $0 + $1 * $1 }
        let error = squares.squareRoot() / weight * (parts / (parts - 1)).squareRoot()
        return Certainty(
            parts: parts, error: error, drift: Self.drift(pulls, weights, parts),
            span: Double(end - start) * SmoothedSeries.step)
    }

    /// By how much the second signal has to be multiplied to be the first one.
    private func gain(at offset: Double) -> Double {
        var (products, squares) = (0.0, 0.0)
        for index in first.values.indices where first.isKnown[index] {
            guard let other = second.value(index, later: offset) else { continue }
            products += first.values[index] * other
            squares += other * other
        }
        return squares > 0 ? products / squares : 0
    }

    /// The slope of the parts' own offsets over time, if it is four times its error.
    private static func drift(_ pulls: [Double], _ weights: [Double], _ parts: Double) -> Double {
        guard parts >= 5 else { return 0 }
        let weight = weights.reduce(0, +)
        let times = weights.indices.map { (Double($0) + 0.5) * part }
        let middle = zip(times, weights).reduce(0) { $0 + $1.0 * $1.1 } / weight
        let mean = pulls.reduce(0, +) / weight
        var (spread, product) = (0.0, 0.0)
        for index in times.indices {
            spread += weights[index] * (times[index] - middle) * (times[index] - middle)
            product += (times[index] - middle) * (pulls[index] - mean * weights[index])
        }
        guard spread > 0 else { return 0 }
        let slope = product / spread
        var squares = 0.0
        for index in times.indices {
            let away = times[index] - middle
            let pull = pulls[index] - (mean + slope * away) * weights[index]
            squares += pull * pull * away * away
        }
        let error = squares.squareRoot() / spread
        // A pull is to an earlier offset of the second signal: what it lacks, it is later.
        return abs(slope) > 4 * error ? slope : 0
    }
}
