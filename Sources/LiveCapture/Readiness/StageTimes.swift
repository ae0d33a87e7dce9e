// SPDX-License-Identifier: MIT
// How long each stage of a shot took so far.

import Frames
import Stills

/// Learns how long shots take, stage by stage. No clock, no threads.
///
/// Each is a mean in which every new time counts for a quarter, and those before it for less and less. Nothing is known of what
/// was not done yet.
package struct StageTimes: Hashable, Sendable {
    /// What makes one picture quicker to encode than another.
    package struct Encoding: Hashable, Sendable {
        /// The file's kind.
        package var format: StillFormat
        /// Whether there is a picture of before and after as well.
        package var isCompared: Bool
        /// Whether there is a picture of what it rests on.
        package var isExplained = false
        /// Whether frames were fused, or one is encoded as it came.
        package var isFused: Bool
    }

    /// How long a worker had a shot of each quality, with whatever help it got.
    package private(set) var durations: [PhotoQuality: TimeSpan] = [:]
    /// What it takes to fuse a shot's frames: the time of one worker that nobody helps.
    package private(set) var fusing: [PhotoQuality: TimeSpan] = [:]
    /// To encode a picture.
    package private(set) var encoding: [Encoding: TimeSpan] = [:]
    /// To read a frame.
    package private(set) var reading: TimeSpan?
    /// To write a file.
    package private(set) var storing: TimeSpan?

    /// One who knows nothing.
    package init() {}

    /// A worker had a shot for so long.
    package mutating func learn(_ quality: PhotoQuality, took time: TimeSpan) {
        durations[quality] = Self.mean(durations[quality], time)
    }
    /// Fusing took so long, or would have without help.
    package mutating func learn(fusing quality: PhotoQuality, took time: TimeSpan) {
        fusing[quality] = Self.mean(fusing[quality], time)
    }
    /// Encoding took so long.
    package mutating func learn(_ picture: Encoding, took time: TimeSpan) {
        encoding[picture] = Self.mean(encoding[picture], time)
    }
    /// Reading a frame took so long.
    package mutating func learn(readingTook time: TimeSpan) { reading = Self.mean(reading, time) }
    /// Writing a file took so long.
    package mutating func learn(storingTook time: TimeSpan) { storing = Self.mean(storing, time) }

    private static func mean(_ known: TimeSpan?, _ time: TimeSpan) -> TimeSpan {
        let time = max(time, .zero)
        return known.map { $0 + (time - $0) / 4 } ?? time
    }
}
