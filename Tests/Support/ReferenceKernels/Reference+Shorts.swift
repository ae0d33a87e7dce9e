// SPDX-License-Identifier: MIT
// 16-bit arithmetic, and the cosine transform in it.

extension Reference {
    /// A product divided by 32768, halves rounded up.
    static func product(_ a: Int16, _ b: Int16) -> Int16 { Int16(truncatingIfNeeded: (Int(a) * Int(b) + 16384) >> 15) }
    private static func times(_ value: Int16, _ factor: Double) -> Int16 {
        product(value, Int16((factor * 32768).rounded()))
    }
    /// The mean of two, halves rounded up.
    static func mean(_ a: UInt16, _ b: UInt16) -> UInt16 { UInt16((Int(a) + Int(b) + 1) / 2) }
    /// Saturates a number to 16 bits.
    static func held(_ value: Int) -> Int16 { Int16(clamping: value) }

    /// The transform in the scale of `cosineForward`. The order of operations is the kernels', because products are
    /// rounded; sums wrap.
    static func shortsForward(_ v: [Int16]) -> [Int16] {
        let sum = (0..<4).map { v[$0] &+ v[7 - $0] }, difference = (0..<4).map { v[$0] &- v[7 - $0] }
        let (outer, inner) = (sum[0] &+ sum[3], sum[1] &+ sum[2])
        let (steep, flat) = (sum[0] &- sum[3], sum[1] &- sum[2])
        let turned = times(flat &+ steep, 0.707106781)
        let (a, b, c) = (difference[3] &+ difference[2], difference[2] &+ difference[1], difference[1] &+ difference[0])
        let shared = times(a &- c, 0.382683433), middle = times(b, 0.707106781)
        let low = times(a, 0.541196100) &+ shared, high = c &+ times(c, 0.306562965) &+ shared
        let (plus, minus) = (difference[0] &+ middle, difference[0] &- middle)
        return [
            outer &+ inner, plus &+ high, steep &+ turned, minus &- low, outer &- inner, minus &+ low,
            steep &- turned, plus &- high,
        ]
    }

    /// Inverts `shortsForward`, and returns eight times its samples.
    static func shortsInverse(_ v: [Int16]) -> [Int16] {
        let (sum, difference) = (v[0] &+ v[4], v[0] &- v[4])
        let outer = v[2] &+ v[6], turn = v[2] &- v[6]
        let inner = turn &+ times(turn, 0.414213562) &- outer
        let even = [sum &+ outer, difference &+ inner, difference &- inner, sum &- outer]
        let (a, b, c, d) = (v[5] &+ v[3], v[5] &- v[3], v[1] &+ v[7], v[1] &- v[7])
        let (both, apart) = (held(Int(b) + Int(d)), held(Int(c) - Int(a)))
        let shared = both &+ both &- times(both, 0.152240935)
        let first = c &+ a
        let second = shared &+ times(b, 0.386874070) &- b &- b &- b &- first
        let third = apart &+ times(apart, 0.414213562) &- second
        let odd = [first, second, third, shared &- d &- times(d, 0.082392200) &- third]
        let front = (0..<4).map { held(Int(even[$0]) + Int(odd[$0])) }
        let back = (0..<4).map { held(Int(even[$0]) - Int(odd[$0])) }
        return front + back.reversed()
    }

    /// Transposes a block.
    static func turned<Number>(_ block: [Number]) -> [Number] { (0..<64).map { block[$0 % 8 * 8 + $0 / 8] } }
}
