// SPDX-License-Identifier: MIT
// How much dark pictures are brightened, from one picture to the next.

import Glibc

/// The lift of dark pictures. It follows their brightness over about a second, and rests while that hardly changes, so
/// that pictures do not pump.
///
/// A lift of 1 is the curve `y + y * (1 - y)`: it nearly doubles what is nearly black, and keeps black and white. Of a
/// greater lift, up to 2, what is above 1 is applied to the result in the same way.
struct LowLightPath {
    /// What the lift is at full strength.
    private(set) var lift = 0.0
    /// Where it goes. It changes only if brightness has changed noticeably.
    private var goal = 0.0
    /// The brightness, steadied; nil before the first picture.
    private var luma: Double?

    /// The strongest lift.
    static let most = 2.0
    /// As bright as this, a picture is left as it is; darker ones are lifted up to this at full strength. It is a
    /// little below the code of middle grey.
    static let bright = 0.4
    /// How far the lift that is needed may be from its goal.
    private static let rest = 0.12
    /// Seconds in which brightness, and the lift after it, come near (to a third) what they follow.
    private static let steadying = 0.2, settling = 0.3
    /// A lift this near its goal is there: it would not change a sample.
    private static let near = 0.004

    init() {}

    /// Nothing is known of a picture yet.
    var isFresh: Bool { luma == nil }

    /// The lift of a picture `seconds` after the one before. `measured`: its brightness, 0 for black, 1 for white.
    mutating func next(_ measured: Double, after seconds: Double) -> Double {
        guard let before = luma else {
            luma = measured
            goal = Self.needed(at: measured)
            if goal < Self.rest { goal = 0 }
            lift = goal
            return lift
        }
        let seconds = max(seconds, 0)
        let now = before + (measured - before) * (1 - exp(-seconds / Self.steadying))
        luma = now
        let needed = Self.needed(at: now)
        if needed == 0 || abs(needed - goal) > Self.rest { goal = needed }
        lift += (goal - lift) * (1 - exp(-seconds / Self.settling))
        if abs(goal - lift) < Self.near { lift = goal }
        return lift
    }

    /// The lift that makes a brightness `bright`, as far as there is one.
    static func needed(at luma: Double) -> Double {
        guard luma < bright else { return 0 }
        guard luma > 0 else { return most }
        let first = (bright - luma) / (luma * (1 - luma))
        guard first > 1 else { return first }
        let once = lifted(luma, by: 1)
        return min(1 + (bright - once) / (once * (1 - once)), most)
    }

    /// A brightness lifted.
    static func lifted(_ luma: Double, by lift: Double) -> Double {
        let once = luma + min(lift, 1) * luma * (1 - luma)
        return once + max(lift - 1, 0) * once * (1 - once)
    }
}
