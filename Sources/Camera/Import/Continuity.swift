// SPDX-License-Identifier: MIT
// Whether frames follow one another without a break: restarts of the stream, and stretches of time without a frame.

import Frames

/// How the frames of a recording follow one another in time.
///
/// A hole is a step in time four times as long as usual, the median being usual, and at least a tenth of a second: a camera
/// that slows down in the dark has none. Frames that are known to be lost leave a hole only where enough of them are.
public struct Continuity: Hashable, Sendable {
    /// How many runs of the stream the frames come from.
    public private(set) var epochs = 0
    /// How many holes there are.
    public private(set) var holes = 0
    /// The time from the frame before the longest hole to the one after it.
    public private(set) var longestHole = TimeSpan.zero
    /// All holes together.
    public private(set) var holeTime = TimeSpan.zero

    /// No frames.
    public init() {}

    /// That of `count` frames, in their order. `rate` stands for the median where too few frames have one.
    package init(count: Int, rate: FrameRate?, _ frame: (Int) -> FrameMetadata) {
        guard count > 0 else { return }
        epochs = 1
        var steps: [TimeSpan] = []
        steps.reserveCapacity(count - 1)
        var last = frame(0)
        for index in 1..<max(1, count) {
            let next = frame(index)
            if next.id.epoch != last.id.epoch { epochs += 1 }
            steps.append(next.time - last.time)
            last = next
        }
        let median = steps.isEmpty ? nil : steps.sorted()[steps.count / 2]
        let known = steps.count < Self.fewSteps ? rate?.interval ?? median : median
        guard let usual = known, usual > .zero else { return }
        for step in steps where step > max(usual * 4, Self.shortest) {
            holes += 1
            longestHole = max(longestHole, step)
            holeTime = holeTime + step
        }
    }

    /// How often the stream was started anew.
    public var restarts: Int { max(0, epochs - 1) }

    private static let fewSteps = 8
    private static let shortest = TimeSpan.milliseconds(100)
}
