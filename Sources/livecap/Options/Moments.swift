// SPDX-License-Identifier: MIT
// The moments that `livecap shoot` is asked for.

import LivecapCommandTable
import LivecapFrames

extension Arguments {
    /// All moments, in the order they were asked for.
    func moments() throws(Failure) -> [Duration] {
        let starts = all(ShootOptions.at).isEmpty ? [.zero] : all(ShootOptions.at)
        let count = self[ShootOptions.count] ?? 1
        guard starts.count * count <= maxMoments else {
            throw .pictures("\(starts.count * count) pictures are too many at once", hint: "choose a smaller --count")
        }
        let interval = self[ShootOptions.interval] ?? .milliseconds(1000)
        return starts.flatMap { start in (0..<count).map { start + interval * Int64($0) } }
    }
}

/// Finds the first frame that has as many frames before it as a picture needs.
enum MomentWithHistory {
    /// The time from the first frame to the first one that ends an unbroken run of `count` frames, or else to the end
    /// of the longest run.
    static func offset(
        in frames: some Sequence<FrameMetadata>, count: Int, interval: Duration
    ) -> (offset: Duration, frames: Int) {
        var (first, previous): (FrameMetadata?, FrameMetadata?) = (nil, nil)
        var (run, best) = (0, (offset: Duration.zero, frames: 0))
        for frame in frames {
            let isUnbroken = previous.map { before in
                before.id.epoch == frame.id.epoch && !frame.flags.contains(.gapBefore)
                    && frame.time - before.time <= interval * 5 / 2
            }
            run = isUnbroken ?? false ? run + 1 : 1
            (first, previous) = (first ?? frame, frame)
            if run > best.frames, frame.isUsable { best = (frame.time - (first ?? frame).time, run) }
            if best.frames >= count { break }
        }
        return best
    }
}

/// The maximum number of pictures per command.
private let maxMoments = 100_000
