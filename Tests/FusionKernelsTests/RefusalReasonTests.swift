// SPDX-License-Identifier: MIT
// Why parts of a still rest on fewer frames: the reason that each region has.

import LivecapFrames
import LivecapPictureMetrics
import Testing

@testable import Fusion

@Suite struct RefusalReasonTests {
    private let width = 160, height = 128

    /// The reasons of a still of a standing scene, at the regions that are wholly in (`x`, `y`), and everywhere else.
    private func reasons(
        _ burst: SmallBurst, x: ClosedRange<Int>, y: ClosedRange<Int>
    ) throws -> (there: [Refusal?], elsewhere: [Refusal?], report: FusionReport) {
        let (picture, report) = try burst.still(Fuser(burst.format, FusionSettings(.merge)))
        var (there, elsewhere): ([Refusal?], [Refusal?]) = ([], [])
        for region in picture.refusals.indices {
            let (left, top) = (16 * (region % picture.regionsAcross), 16 * (region / picture.regionsAcross))
            if x.contains(left) && x.contains(left + 15) && y.contains(top) && y.contains(top + 15) {
                there.append(picture.refusals[region])
            } else if !x.overlaps(left - 16...left + 31) || !y.overlaps(top - 16...top + 31) {
                elsewhere.append(picture.refusals[region])
            }
        }
        return (there, elsewhere, report)
    }

    @Test func aStandingSceneHasNone() throws {
        let burst = SmallBurst(width: width, height: height, count: 6, noise: 3) { _, x, y in drawnScene(x, y) }
        let found = try reasons(burst, x: 0...0, y: 0...0)
        #expect(found.elsewhere.allSatisfy { $0 == nil })
        #expect(found.report.refused == .init())
    }

    /// A third of the scene lies beyond the ends of the scale, and noise is cut off there.
    @Test func framesThatAgreeAtTheEndsOfTheScaleAgree() throws {
        let burst = SmallBurst(width: 480, height: 320, count: 8, noise: 8) { _, x, y in
            128 + 2.6 * (drawnScene(x / 3, y / 3) - 115)
        }
        let (_, report) = try burst.still(Fuser(burst.format, FusionSettings(.merge)))
        #expect(report.refused.clipped < 0.1 && report.refused.motion < 0.01, "\(report.refused)")
        // The noise at the reference's own brightness.
        #expect(abs(report.noise - 8) < 1.5, "\(report.noise)")
    }

    @Test func withoutAnotherFrameNoneIsMissing() throws {
        // The others show another scene.
        let burst = SmallBurst(width: width, height: height, count: 4, noise: 3) { frame, x, y in
            frame == 2 ? drawnScene(x, y) : 40 + 1.6 * Double((Int(x / 9) &* 7919 ^ Int(y / 9) &* 104_729) % 97)
        }
        let report = try burst.still(Fuser(burst.format, FusionSettings(.merge))).report
        #expect(report.shares.count { $0.rejection == nil } == 1)
        #expect(report.refused == .init())
    }

    @Test func whatMovedIsNamed() throws {
        // A square lights up in the reference alone.
        let burst = SmallBurst(width: width, height: height, count: 6, noise: 3) { frame, x, y in
            let isLit = frame == 3 && (64..<96).contains(x) && (48..<80).contains(y)
            return drawnScene(x, y) * 0.5 + (isLit ? 30 : 0)
        }
        let found = try reasons(burst, x: 64...95, y: 48...79)
        #expect(found.there.count == 4 && found.there.allSatisfy { $0 == .motion }, "\(found.there)")
        #expect(found.elsewhere.count { $0 != nil } <= 2, "\(found.elsewhere)")
        #expect(found.report.refused.motion >= 0.04 && found.report.refused.color == 0)
    }

    @Test func aColourThatChangedIsNamed() throws {
        var burst = SmallBurst(width: width, height: height, count: 6, noise: 3) { _, x, y in drawnScene(x, y) }
        var dice = Dice(seed: 9)
        let format = burst.format
        burst.frames = burst.frames.indices.map { frame in
            format.filled { plane, x, y in
                guard plane > 0 else { return drawnScene(Double(x), Double(y)) + 3 * dice.normal() }
                let isRed = frame == 3 && (24..<56).contains(x) && (32..<96).contains(y)
                return SmallBurst.tint[plane - 1] + (isRed ? 25 : 0) + 1.5 * dice.normal()
            }
        }
        let found = try reasons(burst, x: 48...111, y: 32...95)
        #expect(found.there.allSatisfy { $0 == .color }, "\(found.there)")
        #expect(found.elsewhere.allSatisfy { $0 == nil })
    }

    @Test func whatIsClippedIsNamed() throws {
        // A page of white paper, on which something dark passes in the reference.
        var burst = SmallBurst(.grey, width: width, height: height, count: 6, noise: 2) { frame, x, y in
            let isDark = frame == 3 && (48..<112).contains(x) && (32..<96).contains(y) && Int(x / 4) % 2 == 0
            return isDark ? 200 : x < 24 ? 120 : 260
        }
        burst.clip(to: 235)
        let found = try reasons(burst, x: 48...111, y: 32...95)
        #expect(found.there.allSatisfy { $0 == .clipped }, "\(found.there)")
    }

    @Test func theEvidenceIsWhatTheErrorShows() throws {
        let burst = SmallBurst(.grey, width: width, height: height, count: 8, noise: 4) { frame, x, y in
            drawnScene(x, y) + (frame < 3 && x > 80 ? 50 : 0)
        }
        let (picture, report) = try burst.still(Fuser(burst.format, FusionSettings(.merge)))
        let single = burst.single(width: width, height: height)
        let shown = single.squaredError(against: burst.truth) / picture.luma.squaredError(against: burst.truth)
        // The mean of the reciprocals counts: noise is averaged, not evidence.
        let said = 1 / (picture.evidence.reduce(0) { $0 + 1 / Double($1) } / Double(picture.evidence.count))
        #expect(abs(said / shown - 1) < 0.15, "said \(said), shown \(shown), mean \(report.evidence)")
    }
}
