// SPDX-License-Identifier: MIT
// Summarizes several pictures for people.

import LiveCapture
import LivecapFrames

/// Gathers photos, and summarizes their distances from their moments, the time from one to the next, and where the time
/// went.
struct ShootSummary {
    private var lags: [Duration] = []
    private var totals: [Duration] = []
    private var finished: [Timestamp] = []
    private var stages: [(name: String, times: [Duration])] = []

    mutating func add(_ photo: Photo) {
        lags.append(photo.lag.magnitude)
        totals.append(photo.took)
        finished.append(photo.finished)
        for (name, time) in photo.stages.map({ ($0.name, $0.time) }) where name != "total" {
            if let place = stages.firstIndex(where: { $0.name == name }) {
                stages[place].times.append(time)
            } else {
                stages.append((name, [time]))
            }
        }
    }

    /// The lines of the summary; nil for a single picture, about which everything has been printed. Unless the source's
    /// clock is this machine's, a moment's time says nothing about how long its picture took.
    func lines(clock: SourceClock) -> [String]? {
        guard lags.count > 1 else { return nil }
        let done = finished.sorted()
        let steps = zip(done.dropFirst(), done).map { $0 - $1 }
        var lines = [
            "\(lags.count) pictures; distance from the moments: \(spread(lags))",
            "time between finished pictures: \(spread(steps))",
        ]
        if clock == .monotonic { lines.append("from the tap to the file: \(spread(totals))") }
        let shares = stages.map { Self.share($0.name, $0.times) }
        lines.append("median ms per picture: \(shares.joined(separator: ", "))")
        return lines
    }

    /// Such as "wait 12.3". Frames that were there before they were asked for were not waited for.
    static func share(_ name: String, _ times: [Duration]) -> String {
        "\(name) \(fixed(max(median(times), .zero).milliseconds, 1))"
    }

    private func spread(_ spans: [Duration]) -> String {
        let longest = spans.max() ?? .zero
        return "median \(fixed(Self.median(spans).milliseconds, 1)) ms, at most \(fixed(longest.milliseconds, 1)) ms"
    }

    private static func median(_ spans: [Duration]) -> Duration { spans.sorted()[spans.count / 2] }
}
