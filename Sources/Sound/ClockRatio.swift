// SPDX-License-Identifier: MIT
// How a device's count of samples relates to this machine's clock, measured.

import LivecapFrames

/// A straight line from a count of samples to a time.
package struct ClockLine: Hashable, Sendable {
    /// A count near the middle of what was measured.
    let count: Double
    /// When the device had captured that count.
    let time: Timestamp
    /// Nanoseconds per sample.
    package let interval: Double

    /// Samples per second of CLOCK_MONOTONIC.
    package var rate: Double { 1e9 / interval }

    /// When the device had captured `count` samples.
    package func time(of count: Double) -> Timestamp {
        Timestamp(nanoseconds: time.nanoseconds + Int64(((count - self.count) * interval).rounded()))
    }

    /// How many samples it had captured at a time.
    package func count(at time: Timestamp) -> Double {
        count + Double(time.nanoseconds - self.time.nanoseconds) / interval
    }
}

/// How many samples a device had captured by a time, as its driver says, or as a thread saw that woke for them.
package struct SoundStamp: Hashable, Sendable {
    /// Samples since the stretch began, those included that were not read yet.
    package var count: Int64
    package var time: Timestamp

    package init(count: Int64, time: Timestamp) { (self.count, self.time) = (count, time) }
}

/// Measures the ratio of two clocks: samples of a device per second of CLOCK_MONOTONIC. The rate that the device claims
/// is not used at all.
///
/// Stamps are late by however long an interrupt and a thread took. Every 32 of them become one point, the mean of those
/// that lie near their common line, once 32 newer ones are there; the line through all of the last minute is the ratio.
/// Both lines are fitted by least squares, three times, and each time without what lies far from the last one, so that
/// stamps which are very late do not count.
package struct ClockRatio: Sendable {
    private struct Point {
        /// Both since the first stamp.
        var count: Double
        var time: Double
        var weight: Double
    }

    /// How far back a clock is looked at: long enough that 1 ms of jitter is a few ppm, short enough that a clock which
    /// warms up is followed.
    private static let memory = 64e9
    private static let group = 32
    /// Fewer show nothing.
    private static let fewest = 6
    /// Once its stamps span this many nanoseconds, a line is settled: a few late ones at the beginning, when a
    /// microphone has just been plugged in and the machine is busy with it, no longer tilt it.
    private static let settled = 0.24e9

    private var origin: SoundStamp?
    private var recent: [Point] = []
    private var points: [Point] = []
    private var cached: ClockLine?
    /// Stamps one after the other that lie far from the line.
    private var strays = 0

    package init() { recent.reserveCapacity(2 * Self.group) }

    /// Whether the line will hardly change any more. Before that it is good only if no more stamps come.
    package var isSettled: Bool { !points.isEmpty || recent.last?.time ?? 0 >= Self.settled }

    /// Whether the newest stamp lies far from the line. It may only be late; or samples are missing, and those since
    /// then are not where the line says.
    var isAstray: Bool { strays > 0 }

    /// Adds a stamp, which must not be earlier than the last. Returns false if the device's count has left its line for
    /// good: samples are missing that it does not report.
    package mutating func add(_ stamp: SoundStamp) -> Bool {
        let origin = origin ?? stamp
        self.origin = origin
        let point = Point(
            count: Double(stamp.count - origin.count), time: Double(stamp.time.nanoseconds - origin.time.nanoseconds),
            weight: 1)
        guard point.count >= (recent.last ?? points.last)?.count ?? 0 else { return true }
        if isStray(stamp) {
            strays += 1
            return strays < Self.strayLimit
        }
        strays = 0
        recent.append(point)
        // A line through many points changes little with each.
        if points.isEmpty || recent.count % 8 == 0 { cached = nil }
        // The newest group stays as it is: a line through a point and a stamp or two would follow each late one.
        if recent.count == 2 * Self.group {
            if let (_, mean) = Self.fit(Array(recent.prefix(Self.group))) { points.append(mean) }
            recent.removeFirst(Self.group)
            points.removeAll { point.time - $0.time > Self.memory }
        }
        return true
    }

    /// The line; nil before there are enough stamps.
    package var line: ClockLine? {
        mutating get {
            if let cached { return cached }
            guard let origin, !points.isEmpty || recent.count >= Self.fewest else { return nil }
            guard let (interval, mean) = Self.fit(points + recent), interval > 0 else { return nil }
            let whole = mean.time.rounded()
            cached = ClockLine(
                count: Double(origin.count) + mean.count + (whole - mean.time) / interval,
                time: Timestamp(nanoseconds: origin.time.nanoseconds + Int64(whole)), interval: interval)
            return cached
        }
    }

    // MARK: Strays

    /// Fewer may be late because the machine is busy.
    private static let strayLimit = 24
    /// In nanoseconds. Late stamps of a busy machine may lie farther away, but not for long.
    private static let strayDistance = 15e6

    private mutating func isStray(_ stamp: SoundStamp) -> Bool {
        // A line of a few stamps proves nothing.
        guard !points.isEmpty, let line else { return false }
        let distance = Double(stamp.time.nanoseconds - line.time(of: Double(stamp.count)).nanoseconds)
        return abs(distance) > Self.strayDistance
    }

    // MARK: Fitting

    /// The slope of the line through the points, and their mean, which lies on it.
    private static func fit(_ points: [Point]) -> (interval: Double, mean: Point)? {
        var isNear = [Bool](repeating: true, count: points.count)
        var result: (interval: Double, mean: Point)?
        for pass in 0..<3 {
            guard let line = leastSquares(points, isNear) else { return result }
            result = line
            guard pass < 2 else { break }
            let distances = points.map { abs($0.time - line.mean.time - ($0.count - line.mean.count) * line.interval) }
            // Three standard deviations, by the median, which is not moved by what is far; at least a few microseconds.
            let limit = max(3 * 1.48 * distances.sorted()[distances.count / 2], 5e3)
            for at in points.indices { isNear[at] = distances[at] <= limit }
        }
        return result
    }

    private static func leastSquares(_ points: [Point], _ isUsed: [Bool]) -> (interval: Double, mean: Point)? {
        var mean = Point(count: 0, time: 0, weight: 0)
        for at in points.indices where isUsed[at] {
            let point = points[at]
            mean.weight += point.weight
            mean.count += point.weight * point.count
            mean.time += point.weight * point.time
        }
        guard mean.weight > 0 else { return nil }
        mean.count /= mean.weight
        mean.time /= mean.weight
        var (square, product) = (0.0, 0.0)
        for at in points.indices where isUsed[at] {
            let point = points[at]
            square += point.weight * (point.count - mean.count) * (point.count - mean.count)
            product += point.weight * (point.count - mean.count) * (point.time - mean.time)
        }
        guard square > 0, product > 0 else { return nil }
        return (product / square, mean)
    }
}
