// SPDX-License-Identifier: MIT
// Noise at edges while the camera moves: it is read from frames at the same phase of the mosaic, and from no others.

import Glibc
import Testing

@testable import Fusion

@Suite struct MatchedPhaseTests {
    private static let stride = 16
    /// The reference's cell, as steep as `slope` codes per pixel, in Q5.
    private static func own(slope: Double) -> [Int16] {
        (0..<8 * stride).map { Int16(32 * slope * Double($0 % stride + $0 / stride)) }
    }

    /// What is learnt from cells of one slope, of which each other frame has moved by `motions` eighths of a sample,
    /// and differs by `difference` codes.
    private func learn(
        cells: Int = 40, slope: Double = 4, motions: [SIMD2<Int16>], step: (x: Int, y: Int) = (1, 1),
        difference: (_ frame: Int, _ sample: Int, _ dice: inout Dice) -> Double
    ) -> MatchedPhase {
        let phase = MatchedPhase(cells: cells), steps = Scratch<UInt8>(cells, filledWith: 3)
        let own = Self.own(slope: slope)
        var dice = Dice(seed: 3)
        phase.clear(0..<cells)
        for cell in 0..<cells {
            let frames = (0..<motions.count * own.count).map { sample in
                Int16((32 * difference(sample / own.count, sample % own.count, &dice)).rounded())
            }
            own.withUnsafeBufferPointer { own in
                frames.withUnsafeBufferPointer { frames in
                    let reference = MatchedPhase.Own(
                        samples: own.baseAddress!, stride: Self.stride, noise: 1, step: step)
                    phase.look(at: cell, reference, others: motions.count) { frame in
                        MatchedPhase.Other(
                            differences: frames.baseAddress! + frame * own.count, motion: motions[frame])
                    }
                }
            }
        }
        phase.learn(steps: steps, across: cells, sampled: Scratch<Bool>(1, filledWith: true))
        return phase
    }

    /// The difference of two samples with `times` the variance of 1 each.
    private func noise(_ times: Double, _ dice: inout Dice) -> Double { (2 * times).squareRoot() * dice.normal() }

    @Test(arguments: [SIMD2<Int16>(0, 0), SIMD2(16, -32), SIMD2(-17, 15), SIMD2(1, 47)])
    func noiseOfAFrameAtTheSamePhaseIsMeasured(_ motion: SIMD2<Int16>) {
        let phase = learn(motions: [motion]) { noise(9, &$2) }
        #expect(phase.isStronger)
        #expect((7.5...11).contains(phase.medians[3]), "\(phase.medians)")
    }

    @Test(arguments: [SIMD2<Int16>(8, 0), SIMD2(0, 8), SIMD2(2, 0), SIMD2(16, 14)])
    func framesAtAnotherPhaseSayNothing(_ motion: SIMD2<Int16>) {
        #expect(!learn(motions: [motion]) { noise(9, &$2) }.isStronger)
    }

    /// A sample of chroma covers two pixels across.
    @Test(arguments: [(SIMD2<Int16>(8, 0), true), (SIMD2(0, 8), false), (SIMD2(4, 0), false)])
    func phasesOfChromaAreThoseOfItsPixels(_ motion: SIMD2<Int16>, isMatched: Bool) {
        #expect(learn(motions: [motion], step: (2, 1)) { noise(9, &$2) }.isStronger == isMatched)
    }

    @Test func twoOthersAreComparedIfNoneMatchesTheReference() {
        // They share their noise with nobody, but what sets them both apart from the reference is no noise.
        let phase = learn(motions: [SIMD2(8, 0), SIMD2(24, 0)]) { _, sample, dice in
            (sample % 2 == 0 ? 20 : -20) + 3 * dice.normal()
        }
        #expect(phase.isStronger)
        #expect(phase.medians[3] < 40 / 2)
    }

    @Test func noiseAsExpectedIsNotStronger() {
        #expect(!learn(motions: [SIMD2(16, 0)]) { noise(1, &$2) }.isStronger)
    }

    @Test func anErrorOfTheMotionIsNotNoise() {
        // A tenth of a sample, at slopes of 20 codes per sample both ways.
        let phase = learn(slope: 20, motions: [SIMD2(16, 0)]) { _, _, dice in 0.1 * 40 + noise(1, &dice) }
        #expect(!phase.isStronger, "\(phase.medians)")
    }

    @Test func fewCellsSayNothing() {
        #expect(!learn(cells: 11, motions: [SIMD2(16, 0)]) { noise(9, &$2) }.isStronger)
    }

    @Test func aMedianFarAboveTheQuietestQuarterIsDoubted() {
        var seen = 0
        let phase = learn(motions: [SIMD2(16, 0)]) { _, sample, dice in
            if sample == 0 { seen += 1 }
            return noise(seen % 3 == 0 ? 1 : 30, &dice)
        }
        #expect(phase.medians[3] < 4)
    }
}
