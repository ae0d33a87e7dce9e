// SPDX-License-Identifier: MIT
// What a reaction consists of, at any time after it began.

import Glibc
import LivecapFrames

/// What of a reaction is drawn, as a function of time alone: frames may come as they like.
protocol ReactionScene {
    /// What is drawn, by number. `unit`: samples of luma for a length of 1.
    static func paintings(unit: Float) -> [Painting]

    /// Scatters a scene over a field.
    init(_ field: ReactionField, _ dice: inout ReactionDice)

    /// Adds what is visible `time` seconds after it began, the hindmost first.
    func show(at time: Double, in poses: inout [ReactionPose])

    /// What the picture behind people is dimmed by, then.
    func wash(at time: Double) -> ReactionWash?
}

extension ReactionScene {
    func wash(at time: Double) -> ReactionWash? { nil }
}

/// The picture that a scene is in. The shorter of its sides is 1; x grows to the right and y downwards.
struct ReactionField {
    let width: Double
    let height: Double
    /// Samples of luma for a length of 1.
    let unit: Double
    /// The middle of the face that somebody reacts with, and half of its height, if it is known.
    var face: (middle: SIMD2<Double>, reach: Double)?

    init(_ size: FrameSize) {
        unit = Double(min(size.width, size.height))
        width = Double(size.width) / unit
        height = Double(size.height) / unit
    }
}

/// One of the paintings, somewhere in the field.
struct ReactionPose {
    var painting: Int
    var middle: SIMD2<Double>
    var size: SIMD2<Double>
    /// Clockwise, in radians.
    var turn = 0.0
    var opacity = 1.0
    var isBehind = false
}

/// A colour over the whole picture.
struct ReactionWash {
    var colour: UInt32
    /// How far it covers the picture at its upper and at its lower edge, from 0 to 1.
    var upper: Double
    var lower: Double
}

/// Random numbers that are the same for the same seed (SplitMix64).
struct ReactionDice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from `low` to `high`.
    mutating func from(_ low: Double, to high: Double) -> Double {
        low + (high - low) * Double(next() >> 11) * 0x1p-53
    }

    /// A number from 0 to below `count`.
    mutating func one(of count: Int) -> Int { Int(next() % UInt64(count)) }

    /// An angle.
    mutating func angle() -> Double { from(0, to: 2 * .pi) }
}

/// Courses over time.
enum Ease {
    /// From 0 to 1 while `time` goes from `start` to `end`, gently at both ends.
    static func rise(_ time: Double, _ start: Double, _ end: Double) -> Double {
        let share = min(max((time - start) / (end - start), 0), 1)
        return share * share * (3 - 2 * share)
    }

    /// Comes within `fadeIn` seconds, and goes in the last `fadeOut` seconds of `life`.
    static func visit(_ time: Double, of life: Double, in fadeIn: Double, out fadeOut: Double) -> Double {
        time <= 0 || time >= life ? 0 : rise(time, 0, fadeIn) * (1 - rise(time, life - fadeOut, life))
    }

    /// From 0 to 1 as a spring does, a little beyond and back.
    static func spring(_ time: Double) -> Double {
        time <= 0 ? 0 : 1 - exp(-8 * time) * cos(12 * time)
    }
}
