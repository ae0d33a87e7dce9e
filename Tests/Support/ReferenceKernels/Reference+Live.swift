// SPDX-License-Identifier: MIT
// Fuses a frame of a stream with what is remembered.

extension Reference {
    /// What eight neighbours count at each eighth of a sample, of 32768: 7 parts Lanczos's window for eight samples,
    /// and 3 parts Lagrange's polynomials, which run through all of them.
    private static let liveTaps: [[Int]] = [
        [0, 0, 0, 32768, 0, 0, 0, 0], [-242, 893, -2793, 31629, 4278, -1379, 414, -32],
        [-364, 1460, -4507, 28938, 9299, -2826, 875, -107], [-378, 1684, -5188, 24963, 14706, -4113, 1305, -211],
        [-314, 1606, -4984, 20076, 20076, -4984, 1606, -314], [-211, 1305, -4113, 14706, 24963, -5188, 1684, -378],
        [-107, 875, -2826, 9299, 28938, -4507, 1460, -364], [-32, 414, -1379, 4278, 31629, -2793, 893, -242],
    ]

    /// A product of 15-bit fractions, halves rounded up.
    private static func product(_ a: Int, _ b: Int) -> Int { (a * b + 16384) >> 15 }

    /// A sample between others, `at` eighths after the one that `sample(0)` gives.
    private static func between(_ at: Int, _ sample: (Int) -> Int) -> Int {
        guard at > 0 else { return sample(0) }
        let sum = (0..<8).reduce(0) { $0 + product(sample($1 - 3), liveTaps[at][$1]) }
        return min(max(sum, 0), 16383)
    }

    /// A remembered sample and its doubt at a position in eighths of a sample.
    package static func moved(
        _ past: Grid<Int16>, _ doubt: Grid<UInt8>, x: Int, y: Int, by motion: (x: Int, y: Int), fade: Int
    ) -> (sample: Int16, doubt: UInt8) {
        let (left, top) = (x + (motion.x >> 3), y + (motion.y >> 3)), (fx, fy) = (motion.x & 7, motion.y & 7)
        let sample = between(fx) { across in between(fy) { Int(past[left + across, top + $0]) } }
        let old = Int(doubt[left + (fx >= 4 ? 1 : 0), top + (fy >= 4 ? 1 : 0)])
        let added = fx == 0 && fy == 0 ? 0 : (old * fade + 255) / 256
        return (Int16(sample), UInt8(min(255, old + added)))
    }

    /// The sums of differences, of their squares and of slopes in a cell.
    package static func liveSpread(_ frame: Grid<UInt8>, _ moved: Grid<Int16>, x: Int) -> [Int32] {
        var sums: [Int32] = [0, 0, 0]
        for y in 0..<8 {
            for x in x..<x + 8 {
                let difference = (64 * Int32(frame[x, y]) - Int32(moved[x, y])) >> 2
                sums[0] += difference
                sums[1] += difference * difference
                if x % 8 < 7 { sums[2] += abs(Int32(moved[x + 1, y]) - Int32(moved[x, y])) >> 3 }
                if y < 7 { sums[2] += abs(Int32(moved[x, y + 1]) - Int32(moved[x, y])) >> 3 }
            }
        }
        return sums
    }

    /// The square of a difference in eighths of a standard deviation.
    package static func liveSquare(_ frame: UInt8, _ moved: Int16, scale: Int16) -> UInt16 {
        let scaled = min(max(product(64 * Int(frame) - Int(moved), Int(scale)), -80), 80)
        return UInt16(scaled * scaled)
    }

    /// The box sum of squares. `squares` gives that of a column and a row, relative to the middle.
    package static func liveBox(_ squares: (Int, Int) -> UInt16) -> UInt16 {
        func saturated(_ numbers: [Int]) -> Int { numbers.reduce(0) { min(65535, $0 + $1) } }
        return UInt16(saturated((-2...2).map { x in saturated((-2...2).map { Int(squares(x, $0)) }) }))
    }

    /// A sample blended with the frame, and its doubt.
    package static func liveBlend(
        _ frame: UInt8, _ moved: Int16, doubt: UInt8, excess: UInt16, box: UInt16, full: Float, none: Float,
        least: Float
    ) -> (sample: Int16, doubt: UInt8) {
        // The order of operations is the kernel's.
        let old = Int(max(1, doubt)), expected = 32 * (255 + old), unit: Float = 1600 * 1024 / 255
        let low = product(expected, Int(full * unit + 0.5)), high = product(expected, Int(none * unit + 0.5))
        let trust = high - min(max(Int(box), low), high)
        let off = old + product(old << 7, Int(excess)) + Int(excess), against = off * (high - low)
        let share = Float(against) / Float(against + 255 * trust)
        let part = max(Int(share * 32767 + 0.5), Int(least * 32767 + 0.5))
        let sample = Int(moved) + product(64 * Int(frame) - Int(moved), part)
        return (Int16(sample), UInt8(product(part, 255)))
    }

    /// A sample as it is shown. `past` gives samples relative to its place.
    package static func liveFinish(
        _ past: (Int, Int) -> Int16, doubt: UInt8, scale: Int16, isSmoothed: Bool, reach: Float
    ) -> UInt8 {
        var own = Int(past(0, 0))
        if isSmoothed {
            let most = Int(8 * reach * (Float(doubt) * (1 / Float(255))).squareRoot() + 1)
            var total = 0, weights = most
            for y in -2...2 {
                for x in -2...2 where (x != 0 || y != 0) && x * x + y * y <= 4 {
                    let off = product(Int(past(x, y)) - own, Int(scale)), weight = max(0, most - abs(off))
                    total += off * weight
                    weights += weight
                }
            }
            let lift = Float(total) * (32768 / Float(scale)) / Float(weights)
            own += Int(lift.rounded(.toNearestOrAwayFromZero))
        }
        return UInt8(min(max((own + 32) >> 6, 0), 255))
    }
}
