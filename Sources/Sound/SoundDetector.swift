// SPDX-License-Identifier: MIT
// Decides whether it is loud.

import Glibc
import LivecapFrames

/// Listens to one piece of sound after the other. A plain value without threads or clocks.
///
/// The level is that of 10 ms, without what is deeper than 80 Hz: wind, steps on the floor, and the offset of cheap
/// microphones. Usual is what four fifths of the last seconds do not exceed, so that a fan, or a street, is nothing
/// new. Pieces without a sound, as while there is no microphone, say nothing.
package struct SoundDetector: Sendable {
    /// What is to be noticed.
    package let settings: SoundTrigger
    /// The usual level in decibels; nil before anything was heard.
    package private(set) var usual: Double?
    private var filters: [(input: Float, output: Float)]
    /// How long it has listened, in seconds.
    private var heard = 0.0
    /// While it is loud: when it last was, and what counts as loud.
    private var loud: (last: Timestamp, limit: Double)?

    /// For so long, a detector only learns what is usual.
    private static let learns = 1.0
    /// Nothing below this level counts as louder than usual.
    private static let faintest = -60.0
    /// What goes on may be softer than what begins.
    private static let hysteresis = 6.0
    /// How fast the usual level follows, in decibels per second, and the share of time that it is not exceeded.
    private static let follows = 5.0
    private static let share = 0.8
    /// A pole at 80 Hz and 48,000 samples per second.
    private static let pole: Float = 0.9896

    /// Listens to sound of so many channels.
    package init(_ settings: SoundTrigger, channels: Int) {
        self.settings = settings
        filters = Array(repeating: (0, 0), count: max(1, channels))
    }

    /// The level in decibels from which on it is loud; nil before that is known.
    package var limit: Double? {
        switch settings.threshold {
        case .level(let level): level
        case .aboveUsual(let difference): usual.map { max($0 + difference, Self.faintest) }
        }
    }

    /// Takes interleaved samples, at `rate` for each channel, of which the first was heard at `time`. Returns what they
    /// mean.
    package mutating func take(
        _ samples: UnsafeBufferPointer<Float>, at time: Timestamp, rate: Int
    ) -> TriggerEvent? {
        let frames = samples.count / filters.count
        guard frames > 0, rate > 0 else { return nil }
        let seconds = Double(frames) / Double(rate)
        let end = time + .seconds(seconds)
        let level = level(of: samples, frames)
        guard level > -119 else { return quiet(until: end) }
        defer { learn(level, seconds) }
        guard heard >= Self.learns, let limit else { return nil }
        if let loud {
            if level >= loud.limit - Self.hysteresis {
                self.loud = (end, loud.limit)
                return nil
            }
            return quiet(until: end)
        }
        guard level >= limit else { return nil }
        loud = (end, limit)
        return .began(
            TriggerCause(
                .sound, time: time, noticed: end, sound: .init(level: level, usual: usual ?? level)))
    }

    /// Nothing more is heard. What was loud has ended.
    package mutating func end() -> TriggerEvent? { loud.take().map { .ended(.sound, last: $0.last) } }

    private mutating func quiet(until time: Timestamp) -> TriggerEvent? {
        guard let loud, time - loud.last >= settings.quiet else { return nil }
        return end()
    }

    private mutating func learn(_ level: Double, _ seconds: Double) {
        heard += seconds
        guard let usual else {
            self.usual = level
            return
        }
        // In its first second, it is the mean, to which one click adds little.
        if heard <= Self.learns { return self.usual = usual + (level - usual) * seconds / heard }
        let step = Self.follows * seconds
        self.usual = level > usual ? min(level, usual + Self.share * step) : max(level, usual - (1 - Self.share) * step)
    }

    /// The level of the loudest channel.
    private mutating func level(of samples: UnsafeBufferPointer<Float>, _ frames: Int) -> Double {
        let channels = filters.count
        var most = Float(0)
        for channel in 0..<channels {
            var (input, output) = filters[channel]
            var power = Float(0)
            for frame in 0..<frames {
                let sample = samples[frame * channels + channel]
                let value = sample.isFinite ? sample : 0
                output = value - input + Self.pole * output
                input = value
                power += output * output
            }
            // Below this, numbers become slow.
            filters[channel] = (input, abs(output) < 1e-15 ? 0 : output)
            most = max(most, power / Float(frames))
        }
        return most > 1e-12 ? 10 * log10(Double(most)) : -120
    }
}
