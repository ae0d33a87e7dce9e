// SPDX-License-Identifier: MIT
// What a benchmark prints: targets next to figures, and complaints about pictures below their floor.

import LivecapFrames
import LivecapPictureMetrics
import Testing

@testable import LivecapBenchmarks

@Suite struct ResultTests {
    @Test func aTargetStandsBesideItsFigure() {
        var result = BenchmarkResult("fusion.time", frames: 8)
        (result.quality, result.msPerStill) = ("balanced", 12.5)
        result.ratios = [("overMean", 41), ("overAll", 2)]
        result.targets = ["overMean": .atMost(40), "overAll": .atLeast(1.7)]
        let lines = result.text.split(separator: "\n")
        #expect(lines.contains("fusion.time (balanced, 8 frames)"))
        #expect(lines.contains("  ms a still: 12.5"))
        #expect(lines.contains("  ratio overMean: 41 (target: at most 40) MISSED"))
        #expect(lines.contains("  ratio overAll: 2 (target: at least 1.7)"))
        #expect(result.json.contains(#""quality": "balanced""#) && result.json.contains(#""msPerStill": 12.5"#))
        #expect(result.json.contains(#""targets": {"overAll": "at least 1.7", "overMean": "at most 40"}"#))
    }

    @Test func rivalsTakeTurns() {
        var turns: [Int] = []
        let times = mediansInTurns(
            budget: .milliseconds(40), [{ turns.append(0) }, { turns.append(1) }] as [() -> Void])
        #expect(times.count == 2)
        // One warm-up turn each, then as many turns as the budget allows.
        #expect(turns.prefix(2) == [0, 1])
        #expect(turns.filter { $0 == 0 }.count > 3 && turns.filter { $0 == 1 }.count > 3)
    }

    @Test func aPictureBelowItsFloorIsComplainedOf() {
        func measures(psnr: Double, worst: Double, level: Double) -> PictureMeasures {
            PictureMeasures(
                psnr: psnr, ssim: 0.9, pathPSNR: psnr,
                damage: LocalDamage(quantile999: -1, worst: worst, worstPlace: (0, 0)), levelError: level,
                chromaError: 0)
        }
        let single = measures(psnr: 30, worst: 0, level: 0)
        let floor = PictureFloor(gain: 5, pathGain: 4.9)
        #expect(floor.complaints(measures(psnr: 35.15, worst: 0.5, level: 0.1), single).isEmpty)
        // A floor this far below the result guards nothing; both floors are reported.
        #expect(floor.complaints(measures(psnr: 35.5, worst: 0.5, level: 0.1), single).count == 2)
        #expect(floor.complaints(measures(psnr: 34.95, worst: 0.5, level: 0.1), single).count == 1)
        #expect(floor.complaints(measures(psnr: 34, worst: 0.5, level: 0.1), single).count == 2)
        #expect(floor.complaints(measures(psnr: 32, worst: 1.5, level: -0.6), single).count == 4)
    }
}
