// SPDX-License-Identifier: MIT
// The report of a fusion is true.

import Fusion
import LivecapFrames
import Testing

@Suite struct FusionReportTests {
    /// A burst of 96x80 pixels, large enough for regions to be compared.
    private func burst(count: Int, noise: Double, _ scene: @escaping (Int, Double, Double) -> Double) -> SmallBurst {
        var burst = SmallBurst(width: 96, height: 80, count: count, noise: noise, scene: scene)
        burst.reference = count - 1
        return burst
    }

    private func report(_ burst: SmallBurst, _ method: FusionMethod = .merge) throws -> FusionReport {
        try burst.still(Fuser(burst.format, FusionSettings(method))).report
    }

    /// A different scene: squares of various brightness.
    private static func tiles(_ x: Double, _ y: Double) -> Double {
        40 + 1.6 * Double((Int(x / 9) &* 7919 ^ Int(y / 9) &* 104_729) % 97)
    }

    @Test(arguments: [1, 7])
    func framesBeforeASceneCutAreRejected(_ before: Int) throws {
        let cut = burst(count: before + 1, noise: 1) { frame, x, y in
            frame < before ? Self.tiles(x, y) : drawnScene(x, y)
        }
        let shares = try report(cut).shares
        #expect(shares.dropLast().allSatisfy { $0.rejection != nil && $0.weight == 0 })
        #expect(shares.last?.rejection == nil)
    }

    @Test func aRepeatedFrameIsNoEvidence() throws {
        var repeated = burst(count: 4, noise: 4) { _, x, y in drawnScene(x, y) }
        repeated.frames[1] = repeated.frames[3]
        let found = try report(repeated)
        #expect(found.shares[1].rejection == .repeated)
        #expect(found.evidence < 3.1)
    }

    @Test func muchBrighterFramesAreLeftOut() throws {
        let lit = burst(count: 3, noise: 1) { frame, x, y in drawnScene(x, y) * (frame == 2 ? 1 : 0.4) }
        #expect(try report(lit).shares.map(\.rejection) == [.brightness, .brightness, nil])
    }

    @Test(arguments: [0.0, 2])
    func flatPicturesAreTakenWhole(_ noise: Double) throws {
        var flat = burst(count: 4, noise: noise) { _, _, _ in 120 }
        // Make each frame differ in one sample, so that none is a repetition.
        if noise == 0 { for frame in flat.frames.indices { flat.frames[frame][2 * frame] = 121 } }
        #expect(try report(flat).evidence > 3.4)
    }

    // A knee in the tone curve leaves hardly any noise in bright places. A single frame would then estimate little
    // noise in slightly darker places, too.
    @Test func noiseEstimateBelowAKneeIsUsed() throws {
        var sky = SmallBurst(.grey, width: 480, height: 320, count: 5, noise: 7) { frame, x, y in
            let across = x + 1.3 * Double(frame), slope = 0.1 * (y - 0.6 * Double(frame))
            return (across < 200 ? 90 : across < 290 ? 130 : across < 330 ? 160 : 240) + slope
        }
        for frame in sky.frames.indices {
            sky.frames[frame] = sky.frames[frame].map { $0 < 200 ? $0 : 200 + ($0 - 200) / 16 }
        }
        let found = try report(sky)
        #expect(found.evidence > 4, "\(found.evidence) of 5, noise \(found.noise)")
    }

    @Test(arguments: [(49, 57), (50, 41), (67, 43)])
    func edgesThatCutCellsAreMerged(_ size: (Int, Int)) throws {
        let burst = SmallBurst(width: size.0, height: size.1, count: 3, noise: 3) { _, x, y in drawnScene(x, y) }
        let picture = try burst.still(Fuser(burst.format, FusionSettings(.merge))).picture
        #expect(picture.evidence.allSatisfy { $0 > 2.2 }, "\(picture.evidence)")
    }

    @Test func thePictureSaysWhatTheReportSays() throws {
        let burst = SmallBurst(count: 3)
        let (mean, speed) = (
            try Fuser(burst.format, FusionSettings(.mean)), try Fuser(burst.format, FusionSettings(.speed))
        )
        let picture = mean.makePicture()
        _ = try mean.fuse(burst.prepared(by: mean), reference: 1, into: picture)
        #expect(picture.evidence.allSatisfy { $0 == 3 })
        _ = try speed.fuse(burst.prepared(by: speed), reference: 1, into: picture)
        #expect(picture.evidence.allSatisfy { $0 == 1 })
    }
}
