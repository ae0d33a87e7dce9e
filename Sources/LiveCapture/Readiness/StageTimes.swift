// SPDX-License-Identifier: MIT
// Estimates how long each stage of a shot takes.

import LivecapDeveloping
import LivecapFrames
import LivecapStills

/// Learns how long shots take, stage by stage. No clock, no threads.
///
/// Each estimate is a mean in which the newest time counts for a quarter, and older ones for less and less. A stage
/// that was never timed has no estimate.
package struct StageTimes: Hashable, Sendable {
    /// The properties of a picture that determine how long it takes to encode.
    package struct Encoding: Hashable, Sendable {
        /// The file's format.
        package var format: StillFormat
        /// Whether a picture of the reference frame beside the photo is made as well.
        package var includesComparison: Bool
        /// Whether a picture of what the photo rests on is made as well.
        package var includesExplanation = false
        /// Whether frames were fused, or one is encoded unchanged.
        package var isFused: Bool
    }

    /// How long a worker had a shot of each quality, with whatever help it got.
    package private(set) var durations: [PhotoQuality: Duration] = [:]
    /// How long fusing a shot's frames takes one worker without help.
    package private(set) var fusing: [PhotoQuality: Duration] = [:]
    /// How long encoding a picture takes.
    package private(set) var encoding: [Encoding: Duration] = [:]
    /// How long reading a frame takes.
    package private(set) var reading: Duration?
    /// How long writing a file takes.
    package private(set) var storing: Duration?

    /// Starts without any estimate.
    package init() {}

    /// Learns how long a worker had a shot.
    package mutating func learn(_ quality: PhotoQuality, took time: Duration) {
        durations[quality] = Self.mean(durations[quality], time)
    }
    /// Learns how long fusing took, or would have taken without help.
    package mutating func learn(fusing quality: PhotoQuality, took time: Duration) {
        fusing[quality] = Self.mean(fusing[quality], time)
    }
    /// Learns how long encoding took.
    package mutating func learn(_ picture: Encoding, took time: Duration) {
        encoding[picture] = Self.mean(encoding[picture], time)
    }
    /// Learns how long reading a frame took.
    package mutating func learn(readingTook time: Duration) { reading = Self.mean(reading, time) }
    /// Learns how long writing a file took.
    package mutating func learn(storingTook time: Duration) { storing = Self.mean(storing, time) }

    private static func mean(_ known: Duration?, _ time: Duration) -> Duration {
        let time = max(time, .zero)
        return known.map { $0 + (time - $0) / 4 } ?? time
    }
}
