// SPDX-License-Identifier: MIT
// A microphone without a device: clicks at whole seconds of CLOCK_MONOTONIC, by a clock of its own.

import Glibc
import LivecapFrames

/// Captures a click at each whole second and a faint tone in between. Its clock may be as wrong as those of sound cards
/// are.
package final class SyntheticMicrophone: SoundSource {
    package let format: SoundFormat
    private let rate: Double
    private var begun = Timestamp.zero
    private var count: Int64 = 0

    /// `ppm`: how much faster its clock is than it claims.
    package init(rate: Int = 48_000, ppm: Double = 0) {
        format = SoundFormat(rate: rate, channels: 1)
        self.rate = Double(rate) * (1 + ppm * 1e-6)
    }

    package func start() {
        begun = .now
        count = 0
    }

    package func read(into samples: UnsafeMutableBufferPointer<Float>, until deadline: Timestamp) -> SoundEvent {
        // Periods of 10 ms, as devices have them.
        let period = Int64(format.rate / 100)
        let ready = begun + .nanoseconds(Int64(Double(count + period) / rate * 1e9))
        let wait = min(ready, deadline) - .now
        if wait > .zero { usleep(UInt32(min(wait.nanoseconds / 1000 + 1, 1_000_000))) }
        let now = Timestamp.now
        guard now >= ready else { return .timedOut }
        let captured = Int64(Double((now - begun).nanoseconds) * 1e-9 * rate) / period * period
        let amount = min(Int(captured - count), samples.count)
        for index in 0..<amount { samples[index] = value(at: count + Int64(index)) }
        count += Int64(amount)
        let exact = begun + .nanoseconds(Int64(Double(captured) / rate * 1e9))
        return .frames(amount, SoundStamp(count: captured, time: exact))
    }

    private func value(at sample: Int64) -> Float {
        let seconds = Double(begun.nanoseconds) * 1e-9 + Double(sample) / rate
        let rest = seconds - seconds.rounded(.down)
        // 2 ms of 2 kHz, then 440 Hz at -50 dB.
        if rest < 0.002 { return Float(0.8 * sin(2 * .pi * 2000 * rest)) }
        return Float(0.003 * sin(2 * .pi * 440 * rest))
    }
}

/// One synthetic microphone, always connected.
package struct SyntheticMicrophones: SoundDirectory {
    private let ppm: Double

    package init(ppm: Double = 0) { self.ppm = ppm }

    package static let id = "synthetic"

    package func microphones() -> [Microphone] {
        [Microphone(id: Self.id, name: "Synthetic microphone", card: Self.id)]
    }

    package func open(_ microphone: Microphone) -> any SoundSource { SyntheticMicrophone(ppm: ppm) }
}
