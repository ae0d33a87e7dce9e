// SPDX-License-Identifier: MIT
// The denoiser removes noise, and nothing else.

import Testing

@testable import Fusion

@Suite struct ResidualDenoiserTests {
    /// Runs the units in reverse order, as threads may.
    struct Backwards: FusionPool {
        let threads = 4
        func run(_ count: Int, _ body: @Sendable (Int) -> Void) { for index in (0..<count).reversed() { body(index) } }
    }

    static let width = 75, height = 203

    /// Denoises a picture of codes, given the variance of its noise.
    static func denoised(
        _ picture: (_ x: Int, _ y: Int) -> Float, variance: Float, pool: any FusionPool = CallersThread()
    ) throws -> [Float] {
        let denoiser = ResidualDenoiser(
            width: width, height: height, kernels: try #require(KernelLevel.portable.table), pool: pool)
        let noise = NoiseMap(width: width, height: height)
        noise.variance.update(repeating: variance)
        let source = (0..<width * height).map { Int16((picture($0 % width, $0 / width) * 64).rounded()) }
        var target = [UInt16](repeating: 0, count: width * height)
        source.withUnsafeBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                denoiser.run(
                    .merged(.init(samples: source.baseAddress!, stride: width)), noise: noise,
                    into: .init(samples: target.baseAddress!, stride: width))
            }
        }
        return target.map { Float($0) / 256 }
    }

    /// Nearly normal noise of variance 1 that depends only on the position.
    static func noise(_ x: Int, _ y: Int) -> Float {
        var state = UInt64(y * 1000 + x + 1) &* 0x9E37_79B9_7F4A_7C15
        var sum = Float(-6)
        for _ in 0..<12 {
            state = (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
            sum += Float(state >> 40) / Float(1 << 24)
        }
        return sum
    }

    static func meanSquare(_ found: [Float], from truth: (Int, Int) -> Float) -> Float {
        zip(found.indices, found).map { place, value in
            let error = value - truth(place % width, place / width)
            return error * error
        }.reduce(0, +) / Float(found.count)
    }

    @Test func aPictureWithoutNoiseIsLeftAsItIs() throws {
        let picture = { (x: Int, y: Int) -> Float in Float((x * 37 + y * 101) % 256) }
        let out = try Self.denoised(picture, variance: 0)
        // Up to rounding to 16 bits.
        #expect(Self.meanSquare(out, from: picture) < 0.06 * 0.06)
        #expect(zip(out.indices, out).allSatisfy { abs($1 - picture($0 % Self.width, $0 / Self.width)) < 0.3 })
    }

    @Test func noiseInAnEvenFieldAlmostVanishes() throws {
        let out = try Self.denoised({ 100 + 4 * Self.noise($0, $1) }, variance: 16)
        #expect(Self.meanSquare(out) { _, _ in 100 } < 16 * 0.06)
    }

    @Test func textureBelowTheNoiseIsNotFlattened() throws {
        // As strong as the noise everywhere, and equally strong in all coefficients.
        let texture = { (x: Int, y: Int) -> Float in 128 + 4 * Self.noise(x + 500, y) }
        let out = try Self.denoised({ texture($0, $1) + 4 * Self.noise($0, $1) }, variance: 16)
        #expect(Self.meanSquare(out, from: texture) < 16)
    }

    @Test func theSameBitsComeOutWhateverThePool() throws {
        let picture = { (x: Int, y: Int) -> Float in 90 + Float(x) + 5 * Self.noise(x, y) }
        let alone = try Self.denoised(picture, variance: 25)
        #expect(try Self.denoised(picture, variance: 25, pool: Backwards()) == alone)
    }
}
