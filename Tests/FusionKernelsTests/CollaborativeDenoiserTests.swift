// SPDX-License-Identifier: MIT
// Collaborative denoising removes more noise than denoising block by block, and nothing else.

import LivecapCFusionKernels
import Testing

@testable import Fusion

@Suite struct CollaborativeDenoiserTests {
    /// Not multiples of the size of blocks.
    static let width = 61, height = 75

    /// Denoises a picture with the same codes in all planes, given the variance of its noise.
    static func denoised(
        _ picture: (_ x: Int, _ y: Int) -> Float, variance: Float, chroma: ChromaGrid = .none,
        width: Int = width, height: Int = height, pool: any FusionPool = CallersThread(), level: KernelLevel = .best,
        spectrum: [Float]? = nil
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
            if let spectrum { noise.spectra = [spectrum] }
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

    /// Slanted edges, too far apart to be treated as texture.
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

    @Test(arguments: NoiseCorrelationTests.narrow.indices)
    func whateverTheNoisesSpectrumThePictureStays(_ index: Int) throws {
        let spectrum = NoiseCorrelationTests.narrow[index]
        let out = try Self.denoised(
            { Self.edges($0, $1) + 5 * Self.noise($0, $1) }, variance: 25, width: 40, height: 33,
            spectrum: spectrum.powers)[0]
        #expect(Self.meanSquare(out, width: 40, from: Self.edges) < 25 * 2, "\(spectrum.name)")
    }

    @Test(arguments: [Float.nan, .infinity])
    func nonFinitePatchFallsBackToThePilot(_ covariance: Float) throws {
        let kernels = try #require(KernelLevel.best.table)
        let stride = 48, rows = 8
        let noisy = copy((0..<stride * rows).map { 100 + 9 * Self.noise($0 % stride, $0 / stride) })
        let pilot = copy((0..<stride * rows).map { 100 + Self.noise($0 % stride, 50 + $0 / stride) })
        let shifts = copy((0..<FUSION_GROUP4).map { fusion_shift(x: Int16($0), y: Int16($0 % 3)) })
        let chosen = copy((0..<8 * UInt16(FUSION_GROUP4)).map { $0 / 8 })
        let covariance = copy((0..<16 * 16).map { _ in covariance })
        let sum = copy([Float](repeating: 0, count: stride * rows))
        let weight = copy([Float](repeating: 0, count: stride * rows))
        defer {
            for floats in [noisy, pilot, covariance, sum, weight] { floats.deallocate() }
            shifts.deallocate()
            chosen.deallocate()
        }
        var group = fusion_group4_parameters(
            plane: noisy.baseAddress, pilot: pilot.baseAddress, stride: stride, shifts: shifts.baseAddress,
            chosen: chosen.baseAddress, covariance: covariance.baseAddress, variance: 81, sum: sum.baseAddress,
            weight: weight.baseAddress)
        kernels.pointee.patches.collaborate_again(&group)
        for place in sum.indices where weight[place] > 0 {
            #expect(abs(sum[place] / weight[place] - pilot[place]) < 1e-3)
        }
    }

    /// The values in memory of their own, which the caller deallocates.
    private func copy<Value>(_ values: [Value]) -> UnsafeMutableBufferPointer<Value> {
        let memory = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
        _ = memory.initialize(from: values)
        return memory
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
