// SPDX-License-Identifier: MIT
// Estimating the noise of a single frame.

import LivecapFrames
import Testing

@testable import Fusion

@Suite struct SingleFrameNoiseTests {
    static let width = 256, height = 192

    /// The noise estimated for a plane of codes.
    static func estimate(
        isWhite: Bool = false, _ picture: (_ x: Int, _ y: Int) -> Float
    ) throws -> NoiseModel {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: width, height: height))
        let fuser = try Fuser(format, FusionSettings(.speed, level: .portable))
        let frame = fuser.makeFrame()
        let bytes = (0..<width * height).map { place in
            UInt8(min(max(picture(place % width, place / width).rounded(), 0), 255))
        }
        try fuser.prepare(bytes.span.bytes, into: frame)
        let kernels = fuser.kernels
        let tiles = TileMeans(width: width, height: height, kernels: kernels)
        tiles.measure(frame.planes[0], means: frame.levels[2], step: (1, 1))
        var model = NoiseModel()
        let estimator = SingleFrameNoise(kernels: kernels)
        estimator.measure(frame.planes[0], tiles)
        estimator.conclude(isWhite: isWhite, into: &model)
        return model
    }

    static func noise(_ x: Int, _ y: Int) -> Float { ResidualDenoiserTests.noise(x, y) }

    /// Equally strong, but similar in neighbouring samples.
    static func smoothNoise(_ x: Int, _ y: Int) -> Float {
        (noise(x, y) + noise(x, y + 1) + noise(x + 1, y) + noise(x + 1, y + 1)) / 2
    }

    @Test func theNoiseOfEachBrightnessIsFound() throws {
        let model = try Self.estimate { x, y in x < 128 ? 53 + 2 * Self.noise(x, y) : 180 + 6 * Self.noise(x, y) }
        #expect((3...5.5).contains(model.variance[53]))
        #expect((29...45).contains(model.variance[180]))
    }

    @Test func whiteNoiseHasAnEvenSpectrum() throws {
        let model = try Self.estimate { x, y in 120 + 5 * Self.noise(x, y) }
        #expect(model.spectrum.allSatisfy { (0.4...1.8).contains($0) })
    }

    @Test func correlatedNoiseIsNotTakenForWhite() throws {
        let model = try Self.estimate { x, y in 120 + 4 * (Self.noise(x, y) + Self.noise(x + 1, y)) }
        #expect(model.spectrum[7] < 0.2 * model.spectrum[1])
        #expect((24...40).contains(model.variance[120]))
    }

    @Test func detailIsNotTakenForNoise() throws {
        // Strong checks in three quarters of the picture, where no area of their brightness is even.
        let model = try Self.estimate { x, y in
            let checks = x < 192 && (x / 3 + y / 5) % 2 == 0 ? Float(40) : 0
            return 96 + checks + 2 * Self.noise(x, y)
        }
        #expect((3...6).contains(model.variance[96]))
        #expect(model.variance[116] < 20)
    }

    @Test func aPictureWithoutNoiseHasNone() throws {
        let model = try Self.estimate { x, _ in x < 100 ? 20 : 200 }
        #expect(model.variance.allSatisfy { $0 < 0.1 })
    }

    @Test func drawnAreasDoNotLowerTheNoiseEstimate() throws {
        let half = try Self.estimate { x, y in y < 96 ? 100 : 100 + 4 * Self.noise(x, y) }
        #expect((12...20).contains(half.variance[100]))
        // A drawn area of a different brightness: its missing noise must not lower the estimate for the
        // picture.
        let band = try Self.estimate { x, y in y < 96 ? 80 : 100 + 4 * Self.noise(x, y) }
        #expect((12...20).contains(band.variance[100]))
    }

    @Test func whatIsClippedTellsNothing() throws {
        let model = try Self.estimate { x, y in x < 192 ? 234 : 205 + 3 * Self.noise(x, y) }
        #expect((6.5...12).contains(model.variance[205]))
    }

    @Test func textureWithoutAnEvenPlaceIsLeft() throws {
        let model = try Self.estimate { x, y in 120 + 20 * Self.texture(x, y) }
        #expect(model.variance.allSatisfy { $0 < 0.5 })
    }

    @Test func strongSmoothVariationIsTexture() throws {
        // JPEG can make weak noise as smooth as this, but not strong noise.
        let model = try Self.estimate { x, y in
            120 + 30 * Self.texture(x, y) + 0.7 * (Self.noise(x, y) + Self.noise(x + 1, y))
        }
        #expect(model.variance.allSatisfy { $0 < 0.5 })
    }

    @Test func weakNoiseIsFoundUnderStrongTexture() throws {
        let model = try Self.estimate { x, y in 120 + 30 * Self.texture(x, y) + Self.noise(x, y) }
        #expect((0.7...2.5).contains(model.variance[120]))
    }

    @Test func textureIsToldByTheWhiteNoiseInIt() throws {
        let model = try Self.estimate { x, y in 120 + 10 * Self.texture(x, y) + 3 * Self.noise(x, y) }
        #expect((6...14).contains(model.variance[120]))
    }

    @Test func smoothedNoiseIsNotTakenForTexture() throws {
        let model = try Self.estimate { x, y in 120 + 6 * Self.smoothNoise(x, y) }
        #expect((24...45).contains(model.variance[120]))
    }

    @Test func printThatFillsAPictureIsNotTakenForNoise() throws {
        // Letters made of dots two samples wide, with paper between them.
        let model = try Self.estimate { x, y in
            let isInk = x % 6 < 5 && y % 8 < 6 && Self.noise(x / 2, 500 + y / 2) > 0.3
            return (isInk ? 110 : 150) + 1.5 * Self.noise(x, y)
        }
        #expect(model.variance.allSatisfy { (1.5...5).contains($0) })
    }

    @Test func printIsToldFromStrongNoiseThatIsAsSmooth() throws {
        let model = try Self.estimate { x, y in
            let isInk = x % 6 < 5 && y % 8 < 6 && Self.noise(x / 2, 500 + y / 2) > 0.3
            return (isInk ? 155 : 180) + 7 * Self.smoothNoise(x, y)
        }
        #expect((8...60).contains(model.variance.max()!))
    }

    @Test func textureIsToldByWhiteNoiseOfTheSameFrame() throws {
        // By itself this may be camera noise, whose fine end is uneven, too.
        func picture(_ x: Int, _ y: Int) -> Float { 120 + 4 * (Self.noise(x, y) + Self.noise(x + 1, y)) }
        #expect(try Self.estimate(picture).variance[120] > 24)
        #expect(try Self.estimate(isWhite: true, picture).variance[120] < 24)
    }

    @Test func textureIsToldByWhiteNoiseElsewhere() throws {
        let model = try Self.estimate { x, y in
            (x < 64 ? 50 : 140 + 10 * Self.texture(x, y)) + 2 * Self.noise(x, y)
        }
        #expect((3...6).contains(model.variance[50]))
        #expect((2...9).contains(model.variance[140]))
    }

    /// Smooth texture, the same everywhere, with details a few samples wide.
    private static func texture(_ x: Int, _ y: Int) -> Float {
        func smooth(_ share: Float) -> Float { share * share * share * (share * (6 * share - 15) + 10) }
        let side = 6, (left, top) = (x / side, y / side)
        let (across, down) = (smooth(Float(x % side) / Float(side)), smooth(Float(y % side) / Float(side)))
        let above = noise(left, top) * (1 - across) + noise(left + 1, top) * across
        let below = noise(left, top + 1) * (1 - across) + noise(left + 1, top + 1) * across
        return above * (1 - down) + below * down
    }
}
