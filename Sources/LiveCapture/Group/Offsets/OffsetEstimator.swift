// SPDX-License-Identifier: MIT
// How much later one camera's times are than another's, from light that both saw change.

import LivecapFrames

/// Estimates how much later the times of a camera's frames are than those of another one that saw the same light
/// change: a hand that waves, a lamp that is switched.
///
/// Two signals of each camera are compared, how bright the picture is and how much its parts change, each smoothed and
/// without slow changes. The offset is where they are most alike. How far it may be wrong is judged by how much parts
/// of the recording disagree. Rates may differ, and frames may be missing. What it finds depends on its input alone.
package struct OffsetEstimator {
    /// What was found.
    package struct Estimate: Hashable, Sendable {
        /// How much later the second camera's times are, and how far that may be from the truth.
        package let offset: ClockOffset
        /// By how much it grows in a second, in millionths, where that is more than chance; or else 0.
        package let drift: Double
        /// How alike what the cameras saw is, up to 1.
        package let likeness: Double
    }

    /// The largest offset that is looked for.
    package static let range = Duration.milliseconds(500)
    /// The largest bound that is worth keeping: half of a usual frame interval.
    static let largestBound = Duration.milliseconds(16)
    /// What signals have in common at least.
    private static let leastLikeness = 0.7
    /// What another offset may have of the best one's likeness: what it may have in any case, what it may not have in
    /// any case, and how much more of the signal it leaves unexplained if it is between these.
    private static let othersShare = 0.7...0.95
    private static let othersRest = 3.0
    /// In how many parts of the recording something has to happen.
    private static let leastParts = 3.0
    /// What neither smoothing nor the shape of the signals leaves known, in seconds.
    private static let leastBound = 0.0005

    /// Estimates the offset from the samples of both cameras, each in the order of their times.
    package static func estimate(
        _ first: [LightSample], _ second: [LightSample]
    ) throws(OffsetRefusal) -> Estimate {
        guard let origin = first.first?.time else { throw .tooShort(0) }
        guard !second.isEmpty else { throw .tooShort(1) }
        var found: [Estimate] = []
        var refusals: [OffsetRefusal] = []
        var matches: [SeriesMatch] = []
        for signal in [brightness, motion] {
            do throws(OffsetRefusal) {
                let match = try Self.match(
                    signal(first, origin), signal(second, origin), blur: (blur(first), blur(second)))
                matches.append(match)
                found.append(try judged(match.refined(try peak(match)), match))
            } catch { refusals.append(error) }
        }
        guard let best = found.min(by: { $0.offset.bound < $1.offset.bound }) else {
            throw refusals.max { $0.progress < $1.progress } ?? .differentViews
        }
        // Slow movements are alike by chance at some offset, but not both in brightness and in change.
        let offset = Double(best.offset.value.nanoseconds) / 1e9
        for match in matches where !match.first.isStill && !match.second.isStill {
            guard match.likeness(offset) ?? 1 >= leastLikeness else { throw .differentViews }
        }
        guard found.count > 1 else { return best }
        // Both are of the same light: what they disagree by is not known.
        let difference = (found[0].offset.value - found[1].offset.value).magnitude
        let bound = max(best.offset.bound, difference - found[0].offset.bound - found[1].offset.bound)
        guard bound <= largestBound else { throw .ambiguous }
        return Estimate(
            offset: ClockOffset(best.offset.value, bound: bound), drift: best.drift, likeness: best.likeness)
    }

    // MARK: Signals

    private static func seconds(_ time: Timestamp, _ origin: Timestamp) -> Double {
        Double((time - origin).nanoseconds) / 1e9
    }

    private static func brightness(_ samples: [LightSample], _ origin: Timestamp) -> [SmoothedSeries.Point] {
        samples.map { SmoothedSeries.Point(time: seconds($0.time, origin), value: $0.brightness) }
    }

    /// The change between two frames is that of the moment between them, and the larger the longer it took.
    private static func motion(_ samples: [LightSample], _ origin: Timestamp) -> [SmoothedSeries.Point] {
        zip(samples, samples.dropFirst()).compactMap { before, sample in
            guard let motion = sample.motion, sample.time > before.time else { return nil }
            let (start, end) = (seconds(before.time, origin), seconds(sample.time, origin))
            return SmoothedSeries.Point(time: (start + end) / 2, value: motion / (end - start))
        }
    }

    /// How much exposure has smoothed a signal already, as a variance in square seconds.
    private static func blur(_ samples: [LightSample]) -> Double {
        let known = samples.compactMap { $0.exposure.map { Double($0.nanoseconds) / 1e9 } }
        guard !known.isEmpty else { return 0 }
        return known.reduce(0) { $0 + $1 * $1 } / Double(known.count) / 12
    }

    // MARK: Comparing

    private static func match(
        _ first: [SmoothedSeries.Point], _ second: [SmoothedSeries.Point],
        blur: (first: Double, second: Double)
    ) throws(OffsetRefusal) -> SeriesMatch {
        guard let interval = SmoothedSeries.interval(of: first) else { throw .tooShort(0) }
        guard let other = SmoothedSeries.interval(of: second) else { throw .tooShort(1) }
        let width = 0.65 * max(interval, other)
        let variance = width * width + max(blur.first, blur.second)
        let start = min(first[0].time, second[0].time)
        let end = max(first[first.count - 1].time, second[second.count - 1].time)
        // Longer than anybody waits: times that jump are no recording.
        guard end - start <= 600 else { throw .tooShort(1) }
        return SeriesMatch(
            first: SmoothedSeries(
                first, width: (variance - blur.first).squareRoot(), interval: interval, from: start, to: end),
            second: SmoothedSeries(
                second, width: (variance - blur.second).squareRoot(), interval: other, from: start, to: end))
    }

    /// The likeliest offset, unless there are others or none.
    private static func peak(_ match: SeriesMatch) throws(OffsetRefusal) -> SeriesMatch.Peak {
        let limit = Double(range.nanoseconds) / 1e9
        guard match.likeness(0) != nil else { throw .tooShort(match.first.isKnown.contains(true) ? 1 : 0) }
        for (place, series) in [match.first, match.second].enumerated() where series.variation == 0 {
            throw .tooLittleChange(place)
        }
        // Up to twice as far, so that what repeats itself is noticed wherever the offset is.
        let peaks = match.peaks(within: 2 * limit + 0.1)
        guard let best = peaks.first, best.likeness >= leastLikeness else {
            for (place, series) in [match.first, match.second].enumerated() where series.isStill {
                throw .tooLittleChange(place)
            }
            throw .differentViews
        }
        let others = peaks.dropFirst().filter { abs($0.offset - best.offset) <= 2 * limit }
        if let other = others.first, rivals(other.likeness, match.refined(best).likeness) { throw .ambiguous }
        guard abs(best.offset) <= limit else { throw .tooFar(range) }
        return best
    }

    /// Whether an offset of this likeness may be the right one, too.
    private static func rivals(_ other: Double, _ best: Double) -> Bool {
        if other < othersShare.lowerBound * best { return false }
        if other > othersShare.upperBound * best { return true }
        return 1 - other * other < othersRest * (1 - best * best)
    }

    private static func judged(
        _ peak: SeriesMatch.Peak, _ match: SeriesMatch
    ) throws(OffsetRefusal) -> Estimate {
        guard let certainty = match.certainty(of: peak.offset), certainty.parts >= leastParts else {
            throw .tooLittleChange(match.first.variation < match.second.variation ? 0 : 1)
        }
        // With few parts, how much they disagree is not well known either: what is between two frames is not less.
        let error = max(certainty.error, match.betweenFrames / certainty.parts.squareRoot())
        let bound =
            leastBound + 3.2 * error * (1 + 4 / certainty.parts) + abs(certainty.drift) * certainty.span / 2
        guard bound.isFinite, bound < 10 else { throw .inexact(.seconds(10)) }
        let duration = Duration.nanoseconds(Int64(bound * 1e9))
        guard duration <= largestBound else { throw .inexact(duration) }
        return Estimate(
            offset: ClockOffset(.nanoseconds(Int64((peak.offset * 1e9).rounded())), bound: duration),
            drift: certainty.drift * 1e6, likeness: peak.likeness)
    }
}

extension SmoothedSeries {
    /// Whether it looks like noise, of which smoothing leaves less than it takes.
    var isStill: Bool { variation < 2.2 * roughness }
}
