// SPDX-License-Identifier: MIT
// Arithmetic that gives identical bits on every machine: only operations that IEEE 754 rounds exactly, and no libm.

/// The functions that scenes are built from.
enum SceneMath {
    /// The finalizer of SplitMix64: neighbouring inputs give unrelated outputs.
    @inline(__always) static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// The increment of SplitMix64: the odd number nearest to 2^64 divided by the golden ratio.
    static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// A fixed pseudo-random number from 0 to 1 for a lattice point.
    static func random(_ x: Int, _ y: Int, _ seed: UInt64) -> Float {
        let key = seed &+ UInt64(bitPattern: Int64(x)) &* step
        let z = mixed(mixed(key) &+ UInt64(bitPattern: Int64(y)) &* step)
        return Float(z >> 40) * 0x1p-24
    }

    /// The sine of `turns` full turns.
    static func sine(turns: Double) -> Double {
        var t = turns - (turns + 0.5).rounded(.down)
        if t > 0.25 { t = 0.5 - t }
        if t < -0.25 { t = -0.5 - t }
        let x = t * 6.283185307179586
        let x2 = x * x
        // Taylor series. The first omitted term is below 1e-11 at a quarter turn.
        var sum = 1.0
        for n in stride(from: 15.0, through: 3, by: -2) { sum = 1 - x2 / (n * (n - 1)) * sum }
        return x * sum
    }

    /// The cosine of `turns` full turns.
    static func cosine(turns: Double) -> Double { sine(turns: turns + 0.25) }

    /// e to the minus `t`, for t from 0 to about 40.
    static func decay(_ t: Double) -> Double {
        let small = t / 1024
        var value = 1 - small * (1 - small / 2 * (1 - small / 3 * (1 - small / 4 * (1 - small / 5))))
        for _ in 0..<10 { value *= value }
        return value
    }

    /// The sRGB component for linear light from 0 to 1.
    static func encoded(light: Double) -> Double {
        if light <= 0.0031308 { return 12.92 * light }
        // light^(5/12), computed from the twelfth root: two exact square roots and a cube root by Newton's method.
        let fourth = light.squareRoot().squareRoot()
        var root = 1.0
        for _ in 0..<24 { root = (2 * root + fourth / (root * root)) / 3 }
        let square = root * root
        return 1.055 * (square * square * root) - 0.055
    }

    /// The linear light of an sRGB component from 0 to 1.
    static func light(encoded: Double) -> Double {
        if encoded <= 0.04045 { return encoded / 12.92 }
        let base = (encoded + 0.055) / 1.055
        let square = base * base
        var root = 1.0
        for _ in 0..<40 { root = (4 * root + square / (root * root * root * root)) / 5 }
        return square * root
    }

    /// The linear light of a colour given in sRGB as 0xRRGGBB.
    static func color(_ code: UInt32) -> SIMD4<Float> {
        func part(_ shift: UInt32) -> Float { lights[Int(code >> shift & 255)] }
        return SIMD4(part(16), part(8), part(0), 0)
    }

    /// The square roots of positive numbers, accurate to a few parts in a million: Newton's method from a bit-level
    /// guess.
    @inline(__always) static func root(_ x: SIMD4<Float>) -> SIMD4<Float> {
        let guess = SIMD4<UInt32>(repeating: 0x5F37_59DF) &- (unsafeBitCast(x, to: SIMD4<UInt32>.self) &>> 1)
        var inverse = unsafeBitCast(guess, to: SIMD4<Float>.self)
        inverse *= 1.5 - 0.5 * x * inverse * inverse
        inverse *= 1.5 - 0.5 * x * inverse * inverse
        return x * inverse
    }

    private static let lights = (0..<256).map { Float(light(encoded: Double($0) / 255)) }

    static func clamped(_ x: Float) -> Float { min(max(x, 0), 1) }

    /// Rises smoothly from 0 at `low` to 1 at `high`.
    static func smoothstep(_ low: Float, _ high: Float, _ x: Float) -> Float {
        let t = clamped((x - low) / (high - low))
        return t * t * (3 - 2 * t)
    }

    static func mix(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ t: Float) -> SIMD4<Float> { a + (b - a) * t }

    /// Smooth noise from 0 to 1 over the plane, with one lattice point per unit.
    static func noise(_ x: Float, _ y: Float, _ seed: UInt64) -> Float {
        let (fx, fy) = (x.rounded(.down), y.rounded(.down))
        let (ix, iy) = (Int(fx), Int(fy))
        func ease(_ t: Float) -> Float { t * t * t * (t * (t * 6 - 15) + 10) }
        let (tx, ty) = (ease(x - fx), ease(y - fy))
        let top = random(ix, iy, seed) * (1 - tx) + random(ix + 1, iy, seed) * tx
        let bottom = random(ix, iy + 1, seed) * (1 - tx) + random(ix + 1, iy + 1, seed) * tx
        return top * (1 - ty) + bottom * ty
    }

    /// Sums octaves of noise around 0, each with half the size and half the strength of the one before. Octaves finer
    /// than two pixels are omitted. `pixel` is the size of a pixel in the units of x and y.
    static func texture(_ x: Float, _ y: Float, octaves: Int, pixel: Float, _ seed: UInt64) -> Float {
        var (sum, strength, scale): (Float, Float, Float) = (0, 0.5, 1)
        for octave in 0..<octaves where scale * pixel < 0.6 {
            sum += strength * (noise(x * scale, y * scale, seed &+ UInt64(octave)) - 0.5)
            strength *= 0.5
            scale *= 2
        }
        return sum
    }
}
