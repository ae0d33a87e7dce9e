// SPDX-License-Identifier: MIT
// A signal of frames at uneven times, smoothed and read at even ones.

/// A signal that was measured at uneven times, at times that are `step` apart.
///
/// It is smoothed so that nothing of when its samples were taken is left: without that, two series match best where
/// their samples fall together. Slow changes are taken out, because they say little of time and match by chance.
struct SmoothedSeries {
    /// One measurement.
    struct Point {
        /// In seconds.
        let time: Double
        let value: Double
    }

    /// Between values, in seconds.
    static let step = 0.005
    /// What takes longer than about this, in seconds, is taken out.
    private static let slow = 0.7

    /// The time of the first value.
    let start: Double
    /// Zero where nothing is known.
    let values: [Double]
    /// Where the signal is known: not near gaps.
    let isKnown: [Bool]
    /// The standard deviation of the bell that it was smoothed with, in seconds.
    let width: Double
    /// How much the samples differ from the smooth curve, on average.
    let roughness: Double
    /// How much the values vary.
    let variation: Double

    /// The usual interval of points, which are in order; nil for fewer than eight.
    static func interval(of points: [Point]) -> Double? {
        guard points.count >= 8 else { return nil }
        let steps = zip(points.dropFirst(), points).map { $0.time - $1.time }.sorted()
        let median = steps[steps.count / 2]
        return median > 0 ? median : nil
    }

    /// Smooths points, which are in order, with a bell of standard deviation `width`, between two times.
    init(_ points: [Point], width: Double, interval: Double, from start: Double, to end: Double) {
        let count = max(0, Int((end - start) / Self.step) + 1)
        var smooth = [Double](repeating: 0, count: count)
        var isKnown = [Bool](repeating: false, count: count)
        var first = 0
        for index in 0..<count {
            let time = start + Double(index) * Self.step
            while first < points.count, points[first].time < time - 4 * width { first += 1 }
            guard let value = Self.line(through: points, from: first, at: time, width) else { continue }
            smooth[index] = value
            isKnown[index] = true
        }
        Self.forgetGaps(points, wider: 1.7 * interval, width, from: start, &isKnown)
        var (sum, number) = (0.0, 0.0)
        for point in points {
            let index = Int(((point.time - start) / Self.step).rounded())
            guard index >= 0, index < count, isKnown[index] else { continue }
            let difference = point.value - smooth[index]
            sum += difference * difference
            number += 1
        }
        roughness = number > 0 ? (sum / number).squareRoot() : 0
        values = Self.withoutSlow(smooth, isKnown)
        self.isKnown = isKnown
        self.start = start
        self.width = width
        var (squares, known) = (0.0, 0.0)
        for index in 0..<count where isKnown[index] {
            squares += values[index] * values[index]
            known += 1
        }
        let varies = known > 0 ? (squares / known).squareRoot() : 0
        // What is less is rounding.
        let level = points.reduce(0) { $0 + abs($1.value) } / Double(max(1, points.count))
        variation = varies > 1e-9 * level ? varies : 0
    }

    /// The value at `time` of the line that fits nearby points best; nil with fewer than three. A mean of them would be
    /// that of another time wherever they lie unevenly.
    private static func line(through points: [Point], from first: Int, at time: Double, _ width: Double) -> Double? {
        var (weights, places, squares, sums, products) = (0.0, 0.0, 0.0, 0.0, 0.0)
        var index = first
        while index < points.count, points[index].time <= time + 4 * width {
            let place = (points[index].time - time) / width
            let weight = bell(place)
            weights += weight
            places += weight * place
            squares += weight * place * place
            sums += weight * points[index].value
            products += weight * place * points[index].value
            index += 1
        }
        let spread = weights * squares - places * places
        guard index - first >= 3, spread > 1e-6 else { return nil }
        return (squares * sums - places * products) / spread
    }

    /// About `exp(-x * x / 2)`, by arithmetic alone, so that results are the same on every machine.
    private static func bell(_ x: Double) -> Double {
        let base = max(0, 1 - x * x / 32)
        let fourth = base * base * base * base
        return fourth * fourth * fourth * fourth
    }

    /// Marks what lies in gaps, and close to their edges, as unknown.
    private static func forgetGaps(
        _ points: [Point], wider limit: Double, _ width: Double, from start: Double, _ isKnown: inout [Bool]
    ) {
        func forget(_ from: Double, _ to: Double) {
            let low = max(0, ((from - start) / step).rounded(.up)),
                high = min(Double(isKnown.count), (to - start) / step)
            guard low < high else { return }
            for index in Int(low)..<Int(high) { isKnown[index] = false }
        }
        guard let first = points.first, let last = points.last else { return }
        forget(start, first.time + width)
        forget(last.time - width, .infinity)
        for (before, after) in zip(points, points.dropFirst()) where after.time - before.time > limit {
            forget(before.time - width / 2, after.time + width / 2)
        }
    }

    /// Less the mean of what is known nearby.
    private static func withoutSlow(_ values: [Double], _ isKnown: [Bool]) -> [Double] {
        let reach = Int(slow / step / 2)
        var sums = [0.0]
        var counts = [0]
        for (value, known) in zip(values, isKnown) {
            sums.append(sums[sums.count - 1] + (known ? value : 0))
            counts.append(counts[counts.count - 1] + (known ? 1 : 0))
        }
        return values.indices.map { index in
            let low = max(0, index - reach), high = min(values.count, index + reach + 1)
            guard isKnown[index], counts[high] > counts[low] else { return 0 }
            return values[index] - (sums[high] - sums[low]) / Double(counts[high] - counts[low])
        }
    }

    /// The value `offset` seconds after that of `index`, between values on a smooth curve; nil where nothing is known.
    func value(_ index: Int, later offset: Double) -> Double? {
        let place = Double(index) + offset / Self.step
        let floor = place.rounded(.down)
        let index = Int(floor), part = place - floor
        guard index >= 1, index + 2 < values.count, isKnown[index - 1...index + 2].allSatisfy({ $0 }) else {
            return nil
        }
        let before = values[index - 1], here = values[index], next = values[index + 1], after = values[index + 2]
        let linear = next - before
        let square = 2 * before - 5 * here + 4 * next - after
        let cube = 3 * (here - next) + after - before
        return here + part * (linear + part * (square + part * cube)) / 2
    }
}
