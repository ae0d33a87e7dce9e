// SPDX-License-Identifier: MIT
// Noise that is stronger at edges, as cameras leave it: it is found where the camera stands still, and merged.

import Glibc
import LivecapFrames
import Testing

@testable import Fusion

/// The noise found between the first two frames.
private func noise(of burst: SmallBurst, moved: Float = 0) throws -> NoiseModel {
    let fuser = try Fuser(burst.format, FusionSettings(.merge, level: .portable))
    let frames = try burst.prepared(by: fuser)
    var motion = AffineMotion(width: Posters.width, height: Posters.height), model = NoiseModel()
    motion.shiftX = moved
    let pair = PlanePair(
        own: frames[0].planes[0], other: frames[1].planes[0], motion: motion, frame: frames[0], step: (1, 1))
    let isFound = BurstNoise(fuser.kernels).estimate(pair, into: &model)
    try #require(isFound)
    return model
}

@Suite struct SlopeNoiseTests {
    @Test func strongerNoiseAtEdgesIsFound() throws {
        let model = try noise(of: Posters.burst(sharpened: 3))
        // Edges of this wall have up to 16 codes per pixel: place 5.
        #expect((6...20).contains(model.slopeFactors[5]), "\(model.slopeFactors)")
        #expect(model.slopeFactors[0] == 1)
        #expect((1.6...3.2).contains(model.variance(at: 120)), "\(model.variance(at: 120))")
    }

    @Test func evenNoiseHasNoFactor() throws {
        let model = try noise(of: Posters.burst(sharpened: 1))
        // The upper octile of the variances of blocks of 16 samples.
        #expect(model.slopeFactors.allSatisfy { $0 < 2 }, "\(model.slopeFactors)")
    }

    @Test func edgesThatAreNotAlignedAreNoNoise() throws {
        let model = try noise(of: Posters.burst(sharpened: 1, moving: 0.5), moved: -0.5)
        #expect(model.slopeFactors.allSatisfy { $0 == 1 }, "\(model.slopeFactors)")
    }

    @Test func contrastThatChangesWithTheLightIsNoNoise() throws {
        let model = try noise(of: Posters.burst(sharpened: 1, light: { $0 == 0 ? 1 : 1.08 }))
        #expect(model.slopeFactors.allSatisfy { $0 < 2 }, "\(model.slopeFactors)")
    }

    @Test func noisyEdgesOfAStandingCameraAreMerged() throws {
        let burst = Posters.burst(sharpened: 3)
        let single = burst.single(width: Posters.width, height: Posters.height)
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
        let burst = Posters.burst(
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
