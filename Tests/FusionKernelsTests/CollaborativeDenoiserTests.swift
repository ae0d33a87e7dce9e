// SPDX-License-Identifier: MIT
// Collaborative denoising takes out more noise than blocks alone can, and nothing else.

import CFusionKernels
import Testing

@testable import FusionKernels

@Suite struct CollaborativeDenoiserTests {
    /// A size that nothing divides.
    static let width = 61, height = 75

    /// Denoises a picture whose planes are alike in codes, given the variance of the noise.
    static func denoised(
        _ picture: (_ x: Int, _ y: Int) -> Float, variance: Float, chroma: ChromaGrid = .none,
        width: Int = width, height: Int = height, pool: any FusionPool = CallersThread(), level: KernelLevel = .best
    ) throws -> [[Float]] {
        let denoiser = CollaborativeDenoiser(
            width: width, height: height, chroma: chroma, kernels: try #require(level.table), pool: pool)
        var sizes = [(width, height)]
        if chroma != .none {
            sizes += [(Int, Int)](repeating: (chroma.width(of: width), chroma.height(of: height)), count: 2)
        }
        let noise = sizes.map { width, height in
            let noise = NoiseMap(width: width, height: height)
            noise.variance.update(repeating: variance)
            return noise
        }
        let sources = sizes.map { width, height in
            let plane = UnsafeMutableBufferPointer<Int16>.allocate(capacity: width * height)
            _ = plane.initialize(
                from: (0..<width * height).map { Int16((picture($0 % width, $0 / width) * 64).rounded()) })
            return plane
        }
        let targets = sizes.map { width, height in
            let plane = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: width * height)
            plane.initialize(repeating: 0xAAAA)
            return plane
        }
        defer {
            for plane in sources { plane.deallocate() }
            for plane in targets { plane.deallocate() }
        }
        denoiser.run(
            zip(sources, sizes).map { .init(samples: $0.baseAddress!, stride: $1.0) }, noise: noise,
            into: zip(targets, sizes).map { .init(samples: $0.baseAddress!, stride: $1.0) })
        return targets.map { plane in plane.map { Float($0) / 256 } }
    }

    static func meanSquare(_ found: [Float], width: Int = width, from truth: (Int, Int) -> Float) -> Float {
        zip(found.indices, found).reduce(0) { sum, sample in
            let error = sample.1 - truth(sample.0 % width, sample.0 / width)
            return sum + error * error
        } / Float(found.count)
    }

    static let noise = ResidualDenoiserTests.noise

    /// Slanted edges, far enough apart not to be taken for texture.
    static func edges(_ x: Int, _ y: Int) -> Float { (2 * x + 3 * y) % 96 < 48 ? 60 : 160 }

    @Test func aPictureWithoutNoiseIsLeftAsItIs() throws {
        let picture = { (x: Int, y: Int) -> Float in Float((x * 37 + y * 101) % 256) }
        let out = try Self.denoised(picture, variance: 0)[0]
        #expect(Self.meanSquare(out, from: picture) < 0.01)
    }

    @Test(arguments: [Float(0), 255]) func levelsAtTheEndsStay(_ level: Float) throws {
        let out = try Self.denoised({ _, _ in level }, variance: 4, chroma: .quads, width: 16, height: 17)
        #expect(out.allSatisfy { $0.allSatisfy { abs($0 - level) < 0.02 } })
    }

    @Test func noiseInAnEvenFieldAlmostVanishes() throws {
        let out = try Self.denoised({ 100 + 4 * Self.noise($0, $1) }, variance: 16)[0]
        #expect(Self.meanSquare(out) { _, _ in 100 } < 16 * 0.05)
    }

    @Test func edgesComeOutOfTheNoise() throws {
        let out = try Self.denoised({ Self.edges($0, $1) + 8 * Self.noise($0, $1) }, variance: 64)[0]
        #expect(Self.meanSquare(out, from: Self.edges) < 64 * 0.35)
    }

    @Test func textureBelowTheNoiseIsNotFlattened() throws {
        let texture = { (x: Int, y: Int) -> Float in 128 + 4 * Self.noise(x + 500, y) }
        let out = try Self.denoised({ texture($0, $1) + 4 * Self.noise($0, $1) }, variance: 16)[0]
        #expect(Self.meanSquare(out, from: texture) < 16)
    }

    @Test(arguments: [ChromaGrid.pairs, .quads]) func chromaIsDenoised(_ chroma: ChromaGrid) throws {
        let out = try Self.denoised({ 128 + 5 * Self.noise($0, $1) }, variance: 25, chroma: chroma)
        for plane in out[1...] {
            #expect(Self.meanSquare(plane, width: chroma.width(of: Self.width)) { _, _ in 128 } < 25 * 0.08)
        }
    }

    @Test func theSameBitsComeOutWhateverThePoolAndTheLevel() throws {
        let picture = { (x: Int, y: Int) -> Float in Self.edges(x, y) + 5 * Self.noise(x, y) }
        let alone = try Self.denoised(picture, variance: 25, level: .portable)
        for level in KernelLevel.allCases where level.isSupported {
            #expect(
                try Self.denoised(picture, variance: 25, pool: ResidualDenoiserTests.Backwards(), level: level)
                    == alone)
        }
    }
}

@Suite struct NoiseCorrelationTests {
    let correlation = NoiseCorrelation()

    @Test func whiteNoiseIsSharedOnlyWherePatchesOverlap() {
        correlation.take([[Float](repeating: 1, count: 64)])
        let lags = correlation.lags(0)
        // The mean's coefficient shares what the patches share of their area: 5 of 8 columns here, 7 of 8 rows.
        let lag = (1 * Int(FUSION_LAGS) + 3) * 64
        #expect(abs(lags[lag] - lags[0] * 5 / 8 * 7 / 8) < 0.01)
        #expect(abs(lags[8 * 64]) < 0.01)
        #expect(abs(lags[0] - 64) < 0.01)
        let covariance = correlation.covariance(0)
        #expect(abs(covariance[0] - 1.02) < 1e-3 && abs(covariance[1]) < 1e-3)
    }

    @Test func smoothNoiseIsCorrelated() {
        // Noise that was averaged over two by two samples: neighbours share half of it.
        let power = (0..<8).map { k -> Float in
            (0..<8).reduce(0) { sum, x in
                func wave(_ x: Int) -> Float {
                    (k == 0 ? 1 : 2 as Float).squareRoot() * Self.cosines[(2 * x + 1) * k % 32] / Float(8).squareRoot()
                }
                return sum + wave(x) * wave(x) + (x < 7 ? wave(x) * wave(x + 1) : 0)
            }
        }
        correlation.take([(0..<64).map { power[$0 / 8] * power[$0 % 8] }])
        let covariance = correlation.covariance(0)
        #expect(abs(covariance[1] - 0.5) < 1e-3)
        #expect(abs(covariance[6] - 0.25) < 1e-3)
        #expect(abs(covariance[2]) < 1e-3)
    }

    /// Cosines of multiples of a sixteenth of a half turn.
    static let cosines: [Float] = {
        let quarter: [Float] = [
            1, 0.980785280, 0.923879533, 0.831469612, 0.707106781, 0.555570233, 0.382683432, 0.195090322, 0,
        ]
        return (0..<32).map { step in
            let folded = step <= 16 ? step : 32 - step
            return folded <= 8 ? quarter[folded] : -quarter[16 - folded]
        }
    }()
}
