// SPDX-License-Identifier: MIT
// The times of a scene's frames: when their light is, and which times they state.

import LivecapFrames

/// When the frames of a scene see their light, and which times they state, counted from the scene's beginning.
struct SceneClock: Sendable {
    let rate: FrameRate
    /// How much later the stated times are at the beginning.
    let offset: Duration
    /// By how many millionths they gain on the light's.
    let drift: Double

    init(_ settings: SyntheticSettings, rate: FrameRate) {
        self.rate = rate
        offset = settings.clockOffset
        drift = settings.clockDrift
    }

    /// When a frame sees its light, computed from the exact rate so that rounding errors do not accumulate; nil after
    /// three hundred years.
    func light(_ frame: Int) -> Duration? {
        let (numerator, denominator) = (UInt64(rate.numerator), UInt64(rate.denominator))
        let product = UInt64(frame).multipliedFullWidth(by: denominator * 1_000_000_000)
        guard product.high < numerator else { return nil }
        return .nanoseconds(Int64(clamping: numerator.dividingFullWidth(product).quotient))
    }

    /// The time that a frame states; nil after three hundred years.
    func stated(_ frame: Int) -> Duration? {
        guard let light = light(frame) else { return nil }
        guard drift != 0 else { return light + offset }
        return light + offset + .nanoseconds(Int64((Double(light.nanoseconds) * drift / 1e6).rounded()))
    }

    /// The first frame whose stated time is not before the beginning: clocks that start at zero have no earlier times.
    var first: Int {
        var frame = 0
        while let stated = stated(frame), stated < .zero { frame += 1 }
        return frame
    }

    // MARK: Text

    private static let units: [(name: String, nanoseconds: Double)] = [("ms", 1e6), ("us", 1e3), ("ns", 1), ("s", 1e9)]

    /// Parses an offset such as `40ms` or `-2.5ms`; nil for any other text, and beyond half a second.
    static func offset(_ text: String) -> Duration? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }),
            let number = Double(text.dropLast(unit.name.count)), (abs(number * unit.nanoseconds) <= 0.5e9)
        else { return nil }
        return .nanoseconds(Int64((number * unit.nanoseconds).rounded()))
    }

    /// The text that yields an offset again.
    static func text(_ offset: Duration) -> String { "\(offset.nanoseconds)ns" }
}
