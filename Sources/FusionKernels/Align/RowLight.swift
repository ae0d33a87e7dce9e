// SPDX-License-Identifier: MIT
// How the light changed between two frames from row to row: sensors read their rows one after the other, and lamps on
// the mains swing meanwhile.

import LivecapFrames

/// What turns the light of another frame's rows into the reference's, after the gains of the whole frame.
///
/// A gain of light is a gain of the sample plus the knee of the tone curve, if the curve is sRGB's. Cameras compress
/// what is bright, and a swing shows less there. So samples, as shares of white with the knee added, differ by
/// `gain(row) share(m) m`, where `m` is halfway between both, and the shares are the same in all rows.
struct RowLight: Sendable {
    /// One for each row of means, from the top of the other frame.
    private let gains: [Float]
    /// By code: how much of a gain is added to it, in codes (with one code more than there are), and how much of that
    /// one code more changes.
    private let swings: [Float]
    private let slopes: [Float]
    /// Rows of the frame per row of means.
    private let step: Int

    init(_ gains: RowGains, _ shares: BrightnessShares, step: Int, _ space: ColorSpace) {
        self.gains = gains.sharpened
        self.step = step
        func swing(_ code: Float) -> Float {
            let brightness = max(0, (code - space.black) / space.lumaSpan + space.knee)
            return brightness * shares.at(brightness) * space.lumaSpan
        }
        swings = (0...256).map { swing(Float($0)) }
        slopes = (0..<256).map { swing(Float($0) + 0.5) - swing(Float($0) - 0.5) }
    }

    /// Turns a row's samples of brightness into the reference's light.
    func apply(to samples: UnsafeMutablePointer<UInt8>, count: Int, row y: Int) {
        let gain = gain(ofRow: y)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
            for code in 0..<256 {
                // The swing is that of what lies halfway, which half of the change leads to: about there first.
                let about = gain * swings[code] / max(0.5, 1 - gain / 2 * slopes[code])
                let middle = min(max(Float(code) + about / 2, 0), 255), below = Int(middle)
                let swing = swings[below] + (swings[below + 1] - swings[below]) * (middle - Float(below))
                table[code] = UInt8(min(max(Float(code) + gain * swing + 0.5, 0), 255))
            }
            let table = table.baseAddress!
            for x in 0..<count { samples[x] = table[Int(samples[x])] }
        }
    }

    /// What the chroma of a row must be multiplied by: the gain of the whole light.
    func chromaFactor(ofRow y: Int) -> Float { 1 + gain(ofRow: y) }

    /// The gain of a row of the frame.
    private func gain(ofRow y: Int) -> Float {
        // Means lie in the middle of their rows.
        let place = (Float(y) + 0.5) / Float(step) - 0.5
        return gains.withUnsafeBufferPointer { RowGains(base: $0.baseAddress!, count: $0.count).between(place) }
    }
}

/// How much of a swing each brightness shows, by pieces of straight lines.
struct BrightnessShares: Sendable {
    /// The shares at the knots: the ends of the pieces.
    var atKnots = InlineArray<8, Float>(repeating: 1)
    /// The first knot is at half the distance of two.
    private static let knots = 6, distance: Float = 0.18

    /// The knot below a brightness, and how far it is from there to the next.
    @inline(__always)
    static func place(_ brightness: Float) -> (knot: Int, part: Float) {
        let place = min(max(0, brightness / distance - 0.5), Float(knots) - 1.001)
        return (Int(place), place - Float(Int(place)))
    }

    @inline(__always)
    func at(_ brightness: Float) -> Float {
        let (knot, part) = Self.place(brightness)
        return atKnots[knot] + (atKnots[knot + 1] - atKnots[knot]) * part
    }
}

/// The gains of rows of means, where they are.
struct RowGains {
    let base: UnsafePointer<Float>
    let count: Int

    /// Means are over more than their row: what they show is a profile smoothed with a standard deviation of half a
    /// row. Taking off this share of its second differences undoes it.
    private static let sharpening: Float = 0.125
    /// The first and the last means are also over repeated edges, and show what is by so much of a row further inside.
    private static let lean: Float = 0.136
    /// The most squared second differences of gains, as a multiple of their squares: 0.2 for a lamp's in a frame of 480
    /// rows and 2.7 in one of 240 rows, 6 for gains of chance.
    private static let mostRoughness: Float = 3

    /// The difference between the largest and the smallest.
    var range: Float {
        var (least, most) = (base[0], base[0])
        for row in 1..<count { (least, most) = (min(least, base[row]), max(most, base[row])) }
        return most - least
    }

    /// Whether gains are those of lamps, which change in all rows and smoothly, and not of something that moved in some
    /// of them.
    var areSwinging: Bool {
        var (mean, most): (Float, Float) = (0, 0)
        for row in 0..<count { mean += base[row] / Float(count) }
        for row in 0..<count { most = max(most, abs(base[row] - mean)) }
        var (swinging, rough, all): (Int, Float, Float) = (0, 0, 0)
        for row in 0..<count {
            let off = base[row] - mean, bend = at(row - 1) + at(row + 1) - 2 * base[row]
            if abs(off) > most / 4 { swinging += 1 }
            rough += bend * bend
            all += off * off
        }
        return 2 * swinging >= count && rough < Self.mostRoughness * all
    }

    /// The gains without what means over more than their rows took from them.
    var sharpened: [Float] {
        var gains = Array(UnsafeBufferPointer(start: base, count: count))
        let last = count - 1
        gains[0] += Self.lean * (base[0] - base[1])
        gains[last] += Self.lean * (base[last] - base[last - 1])
        return gains.withUnsafeBufferPointer { gains in
            let leaned = RowGains(base: gains.baseAddress!, count: count)
            return (0..<count).map { row in
                let bend = leaned.at(row - 1) + leaned.at(row + 1) - 2 * gains[row]
                return gains[row] - Self.sharpening * bend
            }
        }
    }

    /// The gain between two rows: a cubic through those around it.
    func between(_ place: Float) -> Float {
        let first = Int(place.rounded(.down)), t = place - Float(first)
        let (a, b, c, d) = (at(first - 1), at(first), at(first + 1), at(first + 2))
        let (slope, curve, twist) = (c - a, 2 * a - 5 * b + 4 * c - d, 3 * (b - c) + d - a)
        return b + t * (slope + t * (curve + t * twist)) / 2
    }

    /// What the gains beside a row say of its own.
    func beside(_ row: Int) -> Float {
        if row == 0 { return parabola(from: 1, by: 1, at: 1) }
        if row == count - 1 { return parabola(from: count - 2, by: -1, at: 1) }
        return (base[row - 1] + base[row + 1]) / 2
    }

    /// A gain by its row. Beyond the first and the last one, a parabola through three goes on.
    private func at(_ row: Int) -> Float {
        if row < 0 { return parabola(from: 0, by: 1, at: -row) }
        if row >= count { return parabola(from: count - 1, by: -1, at: row - count + 1) }
        return base[row]
    }

    /// The parabola through a gain and the two after it, `distance` rows before it.
    private func parabola(from first: Int, by step: Int, at distance: Int) -> Float {
        let (a, b, c) = (base[first], base[first + step], base[first + 2 * step]), t = Float(distance)
        return a + t * (3 * a - 4 * b + c + t * (a - 2 * b + c)) / 2
    }
}
