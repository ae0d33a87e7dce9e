// SPDX-License-Identifier: MIT
// Tables for the per-pixel steps: normally distributed numbers, and the conversion of light to R'G'B'.

/// Made once per renderer, in memory that can be read without reference counting.
final class NoiseTables {
    /// The number of entries in `normal`.
    static let count = 4096

    /// Quantiles of the normal distribution at equal steps of probability, scaled to a variance of exactly 1. A random
    /// index draws from the distribution.
    let normal: UnsafeMutablePointer<Float>
    /// R'G'B' from 0 to 1, indexed by `place(of:)` of the light.
    let curve: UnsafeMutablePointer<Float>

    init() {
        normal = .allocate(capacity: Self.count)
        _ = UnsafeMutableBufferPointer(start: normal, count: Self.count).initialize(from: Self.quantiles())
        curve = .allocate(capacity: Self.places)
        for place in 0..<Self.places {
            // The middle of the range of light that maps to this index.
            let low = Float(bitPattern: (UInt32(place) + Self.firstPlace) << Self.dropped)
            let high = Float(bitPattern: (UInt32(place) + 1 + Self.firstPlace) << Self.dropped)
            let light = (Double(low) + Double(high)) / 2 - Double(Self.offset)
            (curve + place).initialize(to: Float(SceneMath.encoded(light: min(max(light, 0), 1))))
        }
        curve[0] = 0
    }

    deinit {
        normal.deallocate()
        curve.deallocate()
    }

    /// The index into `curve` for light from 0 to 1. The bits of a float approximate its logarithm. With an added
    /// offset to bound the logarithm, and the fraction cut to 11 bits, values at neighbouring indices differ by at most
    /// a tenth of an 8-bit level.
    @inline(__always) static func place(of light: SIMD4<Float>) -> SIMD4<UInt32> {
        (unsafeBitCast(light + offset, to: SIMD4<UInt32>.self) &>> dropped) &- firstPlace
    }

    private static let offset: Float = 0x1p-6
    private static let dropped: UInt32 = 12
    private static let firstPlace = offset.bitPattern >> dropped
    /// Up to light 1, which with the offset lies just above six octaves.
    private static let places = Int((1 + offset).bitPattern >> dropped - firstPlace) + 1

    private static func quantiles() -> [Float] {
        // Integrates the bell curve from the left in fine steps, and takes the position where the area passes the
        // middle of each share.
        let (steps, limit) = (16384, 6.0)
        let width = 2 * limit / Double(steps)
        let heights = (0...steps).map { step -> Double in
            let x = -limit + Double(step) * width
            return SceneMath.decay(x * x / 2)
        }
        var areas = [0.0]
        for step in 0..<steps { areas.append(areas[step] + (heights[step] + heights[step + 1]) / 2) }
        var (values, step): ([Double], Int) = ([], 0)
        for index in 0..<count {
            let target = areas[steps] * (Double(index) + 0.5) / Double(count)
            while areas[step + 1] < target { step += 1 }
            let part = (target - areas[step]) / (areas[step + 1] - areas[step])
            values.append(-limit + (Double(step) + part) * width)
        }
        let mean = values.reduce(0, +) / Double(count)
        let deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)).squareRoot()
        return values.map { Float(($0 - mean) / deviation) }
    }
}
