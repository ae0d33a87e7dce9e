// SPDX-License-Identifier: MIT
// Interruptions in a recording: restarts of the stream, and stretches of time without frames.

import LivecapFrames

/// How continuous the frames of a recording are in time.
///
/// A hole is a step in time of more than four times the usual (median) step and more than a tenth of a second. A camera
/// that slows down in the dark therefore has none. Lost frames leave a hole only if enough of them are missing.
public struct Continuity: Hashable, Codable, Sendable {
    /// The number of runs of the stream that the frames come from.
    public private(set) var epochs = 0
    /// The number of holes.
    public private(set) var holes = 0
    /// The time from the frame before the longest hole to the frame after it.
    public private(set) var longestHole = Duration.zero
    /// The total duration of all holes.
    public private(set) var holeTime = Duration.zero

    /// Creates the continuity of a recording without frames.
    public init() {}

    /// Measures `count` frames in order. With too few frames for a median, the interval of `rate` is used instead.
    package init(count: Int, rate: FrameRate?, _ frame: (Int) -> FrameMetadata) {
        guard count > 0 else { return }
        epochs = 1
        var steps: [Duration] = []
        steps.reserveCapacity(count - 1)
        var last = frame(0)
        for index in 1..<max(1, count) {
            let next = frame(index)
            if next.id.epoch != last.id.epoch { epochs += 1 }
            steps.append(next.time - last.time)
            last = next
        }
        let median = steps.isEmpty ? nil : steps.sorted()[steps.count / 2]
        guard let limit = Self.limit(steps: steps.count, median: median, rate: rate) else { return }
        for step in steps where step > limit {
            holes += 1
            longestHole = max(longestHole, step)
            holeTime = holeTime + step
        }
    }

    /// What another way to measure it has found.
    init(epochs: Int, holes: Int, longestHole: Duration, holeTime: Duration) {
        self.epochs = epochs
        self.holes = holes
        self.longestHole = longestHole
        self.holeTime = holeTime
    }

    /// What a step must exceed to be a hole; nil if nothing is known of the usual step. `median` is that of `steps`
    /// steps.
    static func limit(steps: Int, median: Duration?, rate: FrameRate?) -> Duration? {
        let known = steps < fewSteps ? rate?.interval ?? median : median
        guard let usual = known, usual > .zero else { return nil }
        return max(usual * 4, shortest)
    }

    /// How often the stream was restarted.
    public var restarts: Int { max(0, epochs - 1) }

    private static let fewSteps = 8
    private static let shortest = Duration.milliseconds(100)
}
