// SPDX-License-Identifier: MIT
// Light that changes as it does before cameras, and what cameras of known clocks see of it.

import Foundation
import LiveCapture
import LivecapFrames
import LivecapSeededRandom

/// Something that happens before cameras, as brightness of places at times.
struct ModelledLight {
    enum Kind: CaseIterable {
        /// A lamp that is switched.
        case lamp
        /// Short flashes.
        case flashes
        /// A hand that is waved.
        case hand
    }

    static let places = 24
    let kind: Kind
    private var edges: [Double] = []
    private var waves: [(hertz: Double, phase: Double, share: Double)] = []

    init(_ kind: Kind, seconds: Double, _ random: inout SeededRandom) {
        self.kind = kind
        var time = -2.0
        while time < seconds + 2 {
            time += Double.random(in: 0.25...1.15, using: &random)
            edges.append(time)
        }
        for (range, share) in [(0.5...1.1, 0.45), (1.3...2.2, 0.3), (2.3...4.1, 0.25)] {
            waves.append(
                (Double.random(in: range, using: &random), Double.random(in: 0...1, using: &random), share))
        }
    }

    /// How bright each place is. What is near moves farther for another `view`.
    func brightness(_ time: Double, view: Double) -> [Double] {
        switch kind {
        case .lamp:
            let isOn = (edges.lastIndex { $0 <= time } ?? 0) % 2 == 1
            return (0..<Self.places).map { 0.4 + (isOn ? 0.02 * Double(5 + $0 % 5) : 0) }
        case .flashes:
            let isOn = edges.contains { $0 <= time && time < $0 + 0.08 }
            return [Double](repeating: isOn ? 0.6 : 0.4, count: Self.places)
        case .hand:
            let place = waves.reduce(0) { $0 + $1.share * sin(2 * .pi * ($1.hertz * time + $1.phase)) }
            return (0..<Self.places).map {
                let away = (Double($0) - 12 - 8 * place - view) / 2
                return 0.4 - 0.3 * exp(-away * away)
            }
        }
    }
}

/// A camera whose clock is known.
struct ModelledCamera {
    var rate = 30.0
    /// When its first frame is, in seconds.
    var phase = 0.0
    /// How much later its times are.
    var offset = 0.0
    /// By how much they gain in a second.
    var drift = 0.0
    var exposure = 0.01
    var knowsExposure = false
    var noise = 0.002
    /// The share of frames that are lost.
    var losses = 0.0
    var view = 0.0

    func see(_ brightness: (_ time: Double, _ view: Double) -> [Double], seconds: Double, _ random: inout SeededRandom)
        -> [LightSample]
    {
        var samples: [LightSample] = []
        var last: [Double]?
        var number = 0.0
        while phase + number / rate < seconds {
            let time = phase + number / rate
            number += 1
            if Double.random(in: 0...1, using: &random) < losses {
                last = nil
                continue
            }
            let map = exposed(brightness, time, &random)
            let count = Double(map.count)
            let motion = last.map { zip($0, map).reduce(0) { $0 + abs($1.0 - $1.1) } / count }
            last = map
            let stated = 5 + time + offset + drift * time
            samples.append(
                LightSample(
                    time: Timestamp(nanoseconds: Int64(stated * 1e9)), brightness: map.reduce(0, +) / count,
                    motion: motion, exposure: knowsExposure ? .nanoseconds(Int64(exposure * 1e9)) : nil))
        }
        return samples
    }

    /// The mean over the exposure, with noise.
    private func exposed(
        _ brightness: (Double, Double) -> [Double], _ time: Double, _ random: inout SeededRandom
    ) -> [Double] {
        let parts = 8
        var map = [Double](repeating: 0, count: ModelledLight.places)
        for part in 0..<parts {
            let seen = brightness(time + exposure * ((Double(part) + 0.5) / Double(parts) - 0.5), view)
            for place in map.indices { map[place] += seen[place] / Double(parts) }
        }
        for place in map.indices {
            let sum = (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &random) }
            map[place] += noise * sum
        }
        return map
    }
}
