// SPDX-License-Identifier: MIT
// Noise at edges while the camera moves: it is read from frames at the same phase of the mosaic, and from no others.

import Glibc
import Testing

@testable import Fusion

@Suite struct MatchedPhaseTests {
    private static let stride = 16

    /// What is learnt from cells of one slope, of which each other frame has moved by `motions` eighths of a sample.
    /// Noise has `times` the variance that the model expects, of which reading the other frames has `kept` a share; and
    /// they differ by `differing` codes besides. Without noise, the reference's cells are `scene`.
    private func learn(
        cells: Int = 40, motions: [SIMD2<Int16>],
        times: (_ cell: Int) -> Double, kept: Double = 1,
        scene: (_ x: Double, _ y: Double) -> Double = { x, y in 4 * (x + y) },
        differing: (_ x: Double, _ y: Double) -> Double = { _, _ in 0 }
    ) -> MatchedPhase {
        let phase = MatchedPhase(cells: cells), steps = Scratch<UInt8>(cells, filledWith: 3)
        let places = (0..<8 * Self.stride).map { (x: Double($0 % Self.stride), y: Double($0 / Self.stride)) }
        var dice = Dice(seed: 3)
        phase.clear(0..<cells)
        for cell in 0..<cells {
            // The reference's noise is in all differences from it.
            let deviation = times(cell).squareRoot(), noise = places.map { _ in deviation * dice.normal() }
            let own = places.indices.map { Int16((32 * (scene(places[$0].x, places[$0].y) + noise[$0])).rounded()) }
            let frames = motions.flatMap { _ in
                places.indices.map { place in
                    let theirs = deviation * kept.squareRoot() * dice.normal()
                    return Int16((32 * (differing(places[place].x, places[place].y) + theirs - noise[place])).rounded())
                }
            }
            own.withUnsafeBufferPointer { own in
                frames.withUnsafeBufferPointer { frames in
                    let reference = MatchedPhase.Own(
                        samples: own.baseAddress!, stride: Self.stride, noise: 1)
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

    @Test(arguments: [SIMD2<Int16>(0, 0), SIMD2(16, -32), SIMD2(-17, 15), SIMD2(1, 47)])
    func noiseOfAFrameAtTheSamePhaseIsMeasured(_ motion: SIMD2<Int16>) {
        let phase = learn(motions: [motion], times: { _ in 9 })
        #expect(phase.isStronger)
        #expect((7.5...11).contains(phase.medians[3]), "\(phase.medians)")
    }

    @Test(arguments: [SIMD2<Int16>(8, 0), SIMD2(0, 8), SIMD2(2, 0), SIMD2(16, 14)])
    func framesAtAnotherPhaseSayNothing(_ motion: SIMD2<Int16>) {
        #expect(!learn(motions: [motion], times: { _ in 9 }).isStronger)
    }

    /// Both are the reference's false detail away from it, and lost noise by being read between samples.
    @Test func twoOthersAreComparedIfNoneMatchesTheReference() {
        let kept = Double(InterpolationResponse().ofWhite[4])
        let phase = learn(
            motions: [SIMD2(4, 0), SIMD2(20, 0)], times: { _ in 4 }, kept: kept,
            differing: { x, _ in Int(x) % 2 == 0 ? 20 : -20 })
        #expect((3.2...4.8).contains(phase.medians[3]), "\(phase.medians)")
    }

    @Test func noiseAsExpectedIsFound() {
        let phase = learn(motions: [SIMD2(16, 0)], times: { _ in 1 })
        #expect(!phase.isStronger)
        #expect((0.8...1.2).contains(phase.medians[3]), "\(phase.medians)")
    }

    /// Waves across, seen a tenth of a sample farther on.
    @Test func anErrorOfTheMotionIsNotNoise() {
        func wave(_ x: Double, _ y: Double) -> Double { 40 * sin(x / 1.5) + 40 * sin(y / 1.7) }
        let phase = learn(
            motions: [SIMD2(16, 0)], times: { _ in 1 }, scene: wave,
            differing: { x, y in wave(x + 0.1, y + 0.1) - wave(x, y) })
        #expect(!phase.isStronger, "\(phase.medians)")
    }

    @Test(arguments: [(23, false), (24, true)])
    func fewCellsSayNothing(_ cells: Int, isEnough: Bool) {
        #expect(learn(cells: cells, motions: [SIMD2(16, 0)], times: { _ in 9 }).isStronger == isEnough)
    }

    @Test func aMedianFarAboveTheQuietestQuarterIsDoubted() {
        let phase = learn(motions: [SIMD2(16, 0)], times: { $0 % 3 == 0 ? 1 : 8 })
        #expect((1.5...2.5).contains(phase.medians[3]), "\(phase.medians)")
    }
}
