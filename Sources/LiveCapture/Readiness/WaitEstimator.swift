// SPDX-License-Identifier: MIT
// How long the next tap would have to wait, from how long shots took so far.

import Frames

/// Learns how long a worker takes for a shot of each quality, and says when the queue will have room. No clock, no threads.
package struct WaitEstimator: Hashable, Sendable {
    /// A shot that has its frames and is not done.
    package struct Shot: Hashable, Sendable {
        /// What is being made of it.
        package var quality: PhotoQuality
        /// How long a worker has been at it; nil while none is.
        package var elapsed: TimeSpan?

        /// A shot in the queue, or in work for so long.
        package init(_ quality: PhotoQuality, elapsed: TimeSpan? = nil) {
            self.quality = quality
            self.elapsed = elapsed
        }
    }

    /// How long one worker takes for a shot: a mean in which every shot counts for a quarter, and those before it for less and
    /// less. Nothing of a quality that was not made yet.
    package private(set) var durations: [PhotoQuality: TimeSpan] = [:]

    /// An estimator that knows nothing.
    package init() {}

    /// A worker took so long for a shot.
    package mutating func learn(_ quality: PhotoQuality, took duration: TimeSpan) {
        let duration = max(duration, .zero)
        guard let mean = durations[quality] else {
            durations[quality] = duration
            return
        }
        durations[quality] = mean + (duration - mean) / 4
    }

    /// How long until the last frame of the shot that waits is there; no time when it is late.
    package func waitForCapture(due: Timestamp, now: Timestamp) -> TimeSpan { max(due - now, .zero) }

    /// How long until no more than `remaining` of `shots` are left, which `workers` take up in that order; nil when a duration
    /// that matters is not known. With 0 left all is done; with one less than the workers, a worker is free.
    ///
    /// A shot that takes longer than it should is taken to be done any moment.
    package func waitForProcessing(of shots: [Shot], workers: Int, untilLeft remaining: Int = 0) -> TimeSpan? {
        guard shots.count > max(remaining, 0) else { return .zero }
        var ends: [TimeSpan] = []
        for shot in shots {
            guard let elapsed = shot.elapsed else { continue }
            guard let duration = durations[shot.quality] else { return nil }
            ends.append(max(duration - elapsed, .zero))
        }
        // What each worker is at, the one that is free first in front.
        var busy = ends + Array(repeating: .zero, count: max(workers - ends.count, ends.isEmpty ? 1 : 0))
        for shot in shots where shot.elapsed == nil {
            guard let duration = durations[shot.quality] else { return nil }
            let next = busy.indices.min { busy[$0] < busy[$1] }!
            busy[next] = busy[next] + duration
            ends.append(busy[next])
        }
        return ends.sorted()[shots.count - 1 - max(remaining, 0)]
    }
}
