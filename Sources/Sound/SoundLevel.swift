// SPDX-License-Identifier: MIT
// How loud the sound is, and how loud it is made.

import Glibc
import Synchronization

/// The level of the sound that is captured, after the gain. In decibels: 0 is as loud as samples can be.
public struct SoundLevel: Hashable, Sendable {
    /// The mean power of about the last 300 ms. -120 for silence.
    public var averagePowerLevel: Double
    /// The highest peak; it falls by 20 dB a second.
    public var peakHoldLevel: Double
    /// Samples that were louder than a file can hold, until now.
    public var clipped: Int
}

/// Gain, mute and meter of a capture. The capture's thread applies them, any thread sets and reads them.
final class SoundFader: Sendable {
    private let gainBits: Atomic<UInt32>
    private let muted: Atomic<Bool>
    private let power = Atomic<UInt32>(0)
    private let peak = Atomic<UInt32>(0)
    private let clipped = Atomic<Int>(0)
    /// What was applied last, so that changes are ramps. Only the capture's thread uses it.
    private let applied: Atomic<UInt32>

    init(gain: Double, isMuted: Bool) {
        let factor = Float(pow(10, gain / 20))
        gainBits = Atomic(factor.bitPattern)
        muted = Atomic(isMuted)
        applied = Atomic(isMuted ? 0 : factor.bitPattern)
    }

    /// In decibels.
    var gain: Double {
        get { 20 * log10(Double(Float(bitPattern: gainBits.load(ordering: .relaxed)))) }
        set { gainBits.store(Float(pow(10, newValue / 20)).bitPattern, ordering: .relaxed) }
    }

    var isMuted: Bool {
        get { muted.load(ordering: .relaxed) }
        set { muted.store(newValue, ordering: .relaxed) }
    }

    var level: SoundLevel {
        func decibels(_ value: Double) -> Double { value > 1e-12 ? 10 * log10(value) : -120 }
        let peak = Double(Float(bitPattern: peak.load(ordering: .relaxed)))
        return SoundLevel(
            averagePowerLevel: decibels(Double(Float(bitPattern: power.load(ordering: .relaxed)))),
            peakHoldLevel: decibels(peak * peak), clipped: clipped.load(ordering: .relaxed))
    }

    /// No sound comes: the meter falls to nothing.
    func rest() {
        power.store(0, ordering: .relaxed)
        peak.store(0, ordering: .relaxed)
    }

    /// Applies gain and mute to interleaved samples of `seconds`, and meters the result.
    func apply(_ samples: UnsafeMutableBufferPointer<Float>, seconds: Double) {
        guard !samples.isEmpty else { return }
        let from = Float(bitPattern: applied.load(ordering: .relaxed))
        let to = isMuted ? 0 : Float(bitPattern: gainBits.load(ordering: .relaxed))
        let step = (to - from) / Float(samples.count)
        var (factor, squares, highest, over) = (from, Float(0), Float(0), 0)
        for index in samples.indices {
            factor += step
            let value = samples[index] * factor
            samples[index] = value
            squares += value * value
            highest = max(highest, abs(value))
            if abs(value) > 1 { over += 1 }
        }
        applied.store(to.bitPattern, ordering: .relaxed)
        let mean = squares / Float(samples.count)
        let old = Float(bitPattern: power.load(ordering: .relaxed))
        let share = Float(1 - exp(-seconds / 0.3))
        power.store((old + (mean - old) * share).bitPattern, ordering: .relaxed)
        let held = Float(bitPattern: peak.load(ordering: .relaxed)) * Float(pow(10, -seconds))
        peak.store(max(highest, held).bitPattern, ordering: .relaxed)
        if over > 0 { clipped.wrappingAdd(over, ordering: .relaxed) }
    }
}
