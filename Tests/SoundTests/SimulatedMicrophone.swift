// SPDX-License-Identifier: MIT
// A device of known truth: what is heard at which time, by a clock that is wrong, with stamps that are late.

import Glibc
import LivecapFrames
import LivecapSeededRandom
import LivecapSound

/// Fills a history as a device would, in simulated time.
struct SimulatedMicrophone {
    /// The rate it really has.
    let rate: Double
    var channels = 1
    /// How late stamps are, in nanoseconds: 0 to this much, evenly.
    var jitter = 0.0
    /// One of so many stamps is late by 40 ms: a busy machine.
    var busyEvery = 0
    /// Samples delivered at once.
    var period = 480
    var random = SeededRandom(seed: 7)
    /// What is heard at a time, in seconds on CLOCK_MONOTONIC.
    var sound: (Double) -> Float = SimulatedMicrophone.clicks

    init(rate: Double) { self.rate = rate }

    /// A click of 1 ms at each whole second.
    static func clicks(_ time: Double) -> Float {
        let rest = time - time.rounded(.down)
        return rest < 0.001 ? Float(0.8 * sin(.pi * rest / 0.001)) : 0
    }

    /// Captures from one time to another, in seconds, as a new stretch. `advance` is called after each period with the
    /// time.
    mutating func capture(
        _ history: SoundHistory, from begin: Double, to end: Double, skipping lost: Range<Double>? = nil,
        _ advance: (Double) -> Void = { _ in }
    ) -> Bool {
        history.begin()
        var (count, reported, skipped) = (0, 0, 0)
        var block = [Float](repeating: 0, count: period * channels)
        while true {
            let time = begin + Double(count + period) / rate
            guard time <= end else { break }
            for index in 0..<period {
                let value = sound(begin + Double(count + index) / rate)
                for channel in 0..<channels { block[index * channels + channel] = value }
            }
            count += period
            // The device loses them and does not say so.
            if let lost, lost.contains(time) {
                skipped += period
                continue
            }
            reported += period
            var late = Double.random(in: 0..<1, using: &random) * jitter
            if busyEvery > 0, (reported / period) % busyEvery == 0 { late += 40e6 }
            let stamp = SoundStamp(
                count: Int64(reported), time: Timestamp(nanoseconds: Int64((time * 1e9 + late).rounded())))
            let isWhole = block.withUnsafeBufferPointer {
                history.append($0, count: period, channels: channels, stamp)
            }
            if !isWhole { return false }
            advance(time)
        }
        return true
    }
}

/// Collects a track and finds clicks in it.
final class TrackListener {
    let timeline: SoundTimeline
    let start: Double
    private(set) var samples: [Float] = []

    init(_ history: SoundHistory, start: Double) {
        self.start = start
        timeline = SoundTimeline(history, start: Timestamp(nanoseconds: Int64((start * 1e9).rounded())))
    }

    /// Makes the track up to a time; `now` is later by as much as a movie's thread waits.
    func advance(to time: Double, now: Double? = nil) {
        func stamp(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: Int64((seconds * 1e9).rounded())) }
        timeline.advance(to: stamp(time), now: stamp(now ?? time)) { samples.append(contentsOf: $0) }
    }

    /// The times of the clicks of the first channel: the middle of their energy.
    var clicks: [Double] {
        let channels = timeline.channels
        var clicks: [Double] = []
        var (weight, sum, quiet) = (0.0, 0.0, Int.max / 2)
        func close() { if weight > 0.5 { clicks.append(start + sum / weight / 48_000) } }
        for index in 0..<(samples.count / channels) {
            let energy = Double(samples[index * channels]) * Double(samples[index * channels])
            guard energy > 1e-3 else {
                quiet += 1
                continue
            }
            if quiet > 480 {
                close()
                (weight, sum) = (0, 0)
            }
            quiet = 0
            weight += energy
            sum += energy * Double(index)
        }
        close()
        return clicks
    }
}
