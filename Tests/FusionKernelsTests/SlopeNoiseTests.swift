// SPDX-License-Identifier: MIT
// Noise that is stronger at edges, as cameras leave it: it is found where the camera stands still, and merged.

import Glibc
import LivecapFrames
import LivecapPictureMetrics
import Testing

@testable import Fusion

private let (width, height) = (320, 240)

/// Posters of soft waves on an even wall, so that edges and flat places have the same brightness.
private func wall(_ x: Double, _ y: Double) -> Double {
    guard Int(x / 40) % 2 == 1 else { return 120 }
    return 120 + 30 * sin(2 * .pi * x / 20) + 30 * sin(2 * .pi * y / 18)
}

private func slope(_ x: Double, _ y: Double) -> Double {
    max(abs(wall(x + 1, y) - wall(x - 1, y)), abs(wall(x, y + 1) - wall(x, y - 1))) / 2
}

/// Frames of the wall. `sharpened` is how much stronger their noise is at edges than elsewhere.
private func burst(
    sharpened: Double, count: Int = 8, moving step: Double = 0, light: (_ frame: Int) -> Double = { _ in 1 },
    painting: (_ frame: Int, _ x: Double, _ y: Double) -> Double? = { _, _, _ in nil }
) -> SmallBurst {
    var dice = Dice(seed: 5)
    var burst = SmallBurst(.grey, width: width, height: height, count: count, noise: 0) { frame, x, y in
        let at = x + step * Double(frame)
        let deviation = slope(at, y) > 4 ? 1.5 * sharpened : 1.5
        let picture = painting(frame, x, y) ?? wall(at, y)
        return picture * light(frame) + deviation * dice.normal()
    }
    burst.truth = CodePlane(
        width: width, height: height,
        samples: (0..<width * height).map {
            let (x, y) = (Double($0 % width), Double($0 / width))
            return Float(painting(burst.reference, x, y) ?? wall(x + step * Double(burst.reference), y))
        })
    return burst
}

/// The noise found between the first two frames.
private func noise(of burst: SmallBurst, moved: Float = 0) throws -> NoiseModel {
    let fuser = try Fuser(burst.format, FusionSettings(.merge, level: .portable))
    let frames = try burst.prepared(by: fuser)
    var motion = AffineMotion(width: width, height: height), model = NoiseModel()
    motion.shiftX = moved
    let isFound = BurstNoise(fuser.kernels).estimate(
        frames[0].planes[0], (frames[1].planes[0], motion), frame: frames[0], step: (1, 1), into: &model)
    try #require(isFound)
    return model
}

@Suite struct SlopeNoiseTests {
    @Test func strongerNoiseAtEdgesIsFound() throws {
        let model = try noise(of: burst(sharpened: 3))
        // Edges of this wall have up to 16 codes per pixel: place 5.
        #expect((6...20).contains(model.slopeFactors[5]), "\(model.slopeFactors)")
        #expect(model.slopeFactors[0] == 1)
        #expect((1.6...3.2).contains(model.variance(at: 120)), "\(model.variance(at: 120))")
    }

    @Test func evenNoiseHasNoFactor() throws {
        let model = try noise(of: burst(sharpened: 1))
        // The upper octile of the variances of blocks of 16 samples.
        #expect(model.slopeFactors.allSatisfy { $0 < 2 }, "\(model.slopeFactors)")
    }

    @Test func edgesThatAreNotAlignedAreNoNoise() throws {
        let model = try noise(of: burst(sharpened: 1, moving: 0.5), moved: -0.5)
        #expect(model.slopeFactors.allSatisfy { $0 == 1 }, "\(model.slopeFactors)")
    }

    @Test func contrastThatChangesWithTheLightIsNoNoise() throws {
        let model = try noise(of: burst(sharpened: 1, light: { $0 == 0 ? 1 : 1.08 }))
        #expect(model.slopeFactors.allSatisfy { $0 < 2 }, "\(model.slopeFactors)")
    }

    @Test func noisyEdgesOfAStandingCameraAreMerged() throws {
        let burst = burst(sharpened: 3)
        let single = burst.single(width: width, height: height)
        let before = single.squaredError(against: burst.truth)
        for method in [FusionMethod.merge, .balanced, .quality] {
            let (picture, report) = try burst.still(Fuser(burst.format, FusionSettings(method)))
            let gain = 10 * log10(before / picture.luma.squaredError(against: burst.truth))
            // Eight frames can give 9 dB.
            #expect(gain > 8, "\(method): \(gain) dB")
            #expect(report.evidence > 7.5, "\(method): \(report.evidence) frames")
        }
    }

    @Test func whatPassesNoisyEdgesLeavesNoGhost() throws {
        // A soft grey patch passes between the frames.
        let burst = burst(
            sharpened: 3,
            painting: { frame, x, y in
                let (dx, dy) = (x - 60 - 24 * Double(frame), y - 120)
                guard dx * dx + dy * dy < 900 else { return nil }
                return 135 + 10 * sin(dx / 4)
            })
        try burst.expectNoHarm(by: [.merge, .balanced, .quality])
    }

    @Test(arguments: [(0.5, 0), (1, 32), (2, 64), (3, 82)]) func slopesHaveTheirPlace(_ step: Double, _ place: Int)
        throws
    {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 64))
        let fuser = try Fuser(format, FusionSettings(.merge, level: .portable))
        for isUpright in [false, true] {
            let frame = fuser.makeFrame()
            let bytes = format.filled { _, x, y in 20 + step * Double(isUpright ? y : x) }
            try fuser.prepare(bytes.span.bytes, into: frame)
            let map = SlopeMap(width: 64, height: 64)
            map.measure(frame.levels[0].view)
            #expect(abs(map.most(3, 3, (1, 1)) - place) <= 2)
        }
    }
}
