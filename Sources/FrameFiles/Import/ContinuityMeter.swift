// SPDX-License-Identifier: MIT
// The continuity of a recording of any length, in constant memory.

import LivecapFrames

/// Measures the continuity of frames as they come, and keeps none of them.
///
/// Steps in time are counted in classes whose bounds lie a sixteenth or less apart. All steps of a class count as their
/// mean, so only a step that close to the limit of a hole may be judged otherwise than `Continuity` judges it.
package struct ContinuityMeter: Sendable {
    private var last: (time: Timestamp, epoch: UInt32)?
    private var epochs = 0
    private var count = 0
    private var classes: [StepClass] = []

    /// Steps of about the same length.
    private struct StepClass {
        var count = 0
        var sum = Duration.zero
        var longest = Duration.zero
        var mean: Duration { sum / max(1, count) }
    }

    package init() {}

    /// Adds the next frame.
    package mutating func add(_ frame: FrameMetadata) {
        if let last {
            if frame.id.epoch != last.epoch { epochs += 1 }
            let step = frame.time - last.time
            if classes.isEmpty { classes = Array(repeating: StepClass(), count: Self.index(.max) + 1) }
            let index = Self.index(step.nanoseconds)
            classes[index].count += 1
            classes[index].sum += step
            classes[index].longest = max(classes[index].longest, step)
            count += 1
        } else {
            epochs = 1
        }
        last = (frame.time, frame.id.epoch)
    }

    /// The continuity of the frames so far, which should have come at `rate`.
    package func continuity(rate: FrameRate?) -> Continuity {
        var (holes, longest, total) = (0, Duration.zero, Duration.zero)
        if let limit = Continuity.limit(steps: count, median: median, rate: rate) {
            for steps in classes where steps.count > 0 && steps.mean > limit {
                holes += steps.count
                longest = max(longest, steps.longest)
                total += steps.sum
            }
        }
        return Continuity(epochs: epochs, holes: holes, longestHole: longest, holeTime: total)
    }

    private var median: Duration? {
        var before = 0
        for steps in classes {
            before += steps.count
            if before > count / 2 { return steps.mean }
        }
        return nil
    }

    /// The class of a step: 16 for each power of two.
    private static func index(_ step: Int64) -> Int {
        guard step >= 16 else { return 0 }
        let power = 63 - step.leadingZeroBitCount
        return (power - 4) * 16 + Int(step >> (power - 4) & 15) + 1
    }
}
