// SPDX-License-Identifier: MIT
// Noise that differs by place, while the camera moves: it is found and merged, and misfit and motion are not taken for
// it.

import Glibc
import LivecapPictureMetrics
import Testing

@testable import Fusion

@Suite struct PlaceNoiseTests {
    private func gain(_ burst: SmallBurst, _ method: FusionMethod) throws -> Double {
        let before = burst.single(width: Posters.width, height: Posters.height).squaredError(against: burst.truth)
        let picture = try burst.still(Fuser(burst.format, FusionSettings(method))).picture
        return 10 * log10(before / picture.luma.squaredError(against: burst.truth))
    }

    /// What is learnt from frames that moved by `step` samples each, exactly known.
    private func learn(_ burst: SmallBurst, moving step: Double, noise: Float) throws -> PlaceNoise {
        let fuser = try Fuser(burst.format, FusionSettings(.merge, level: .portable))
        let frames = try burst.prepared(by: fuser), own = frames[burst.reference], plane = own.planes[0]
        let slopes = SlopeMap(width: plane.width, height: plane.height)
        slopes.measure(own.levels[0].view)
        let others: [Merger.Other] = frames.indices.filter { $0 != burst.reference }.map { place in
            let field = MotionField(width: plane.width, height: plane.height)
            var motion = AffineMotion(width: plane.width, height: plane.height)
            motion.shiftX = -Float(step) * Float(place - burst.reference)
            field.fill(motion, rows: 0..<field.down)
            return (frames[place].planes[0], nil, field)
        }
        let places = PlaceNoise(width: plane.width, height: plane.height, .brightness, fuser.kernels)
        let known = KnownNoise(
            model: NoiseModel(white: noise), brightness: own.levels[2],
            clipping: Clipping(width: plane.width, height: plane.height), slopes: slopes, step: (1, 1))
        let subject = PlaceNoise.Subject(reference: plane, noise: known, others: others)
        let scratch = Scratch<Int16>(PlaceNoise.scratchCount, filledWith: 0)
        places.begin(known.model)
        for row in 0..<places.down { places.sample(subject, row: row, scratch) }
        places.learn()
        if places.dependsOnPlace { for row in 0..<places.down { places.finish(subject, row: row, scratch) } }
        return places
    }

    @Test(arguments: [0, 0.5, 0.7, 1.25, 2]) func evenNoiseIsTheSameEverywhere(_ step: Double) throws {
        let places = try learn(Posters.burst(sharpened: 1, moving: step), moving: step, noise: 2.25)
        #expect(!places.dependsOnPlace)
    }

    /// The mean factors of cells within the posters, and of those on the wall between them.
    private func factors(_ places: PlaceNoise, moving step: Double) -> (edges: Float, wall: Float) {
        var (edges, walls): ([Float], [Float]) = ([], [])
        for y in 4..<places.down - 4 {
            for x in 4..<places.across - 4 {
                let factor = places.factors[y * places.across + x], at = 8 * Double(x) + step * 4
                // Posters are 40 wide, and so is the wall between them.
                if (8...24).contains(at.truncatingRemainder(dividingBy: 80) - 40) { edges.append(factor) }
                if (8...24).contains(at.truncatingRemainder(dividingBy: 80)) { walls.append(factor) }
            }
        }
        return (edges.reduce(0, +) / Float(edges.count), walls.reduce(0, +) / Float(walls.count))
    }

    /// The bands of a lamp move the wall by 4 codes, twice as far as noise does, and change the posters' contrast.
    @Test(arguments: [0, 0.5, 2]) func lightIsNotNoise(_ step: Double) throws {
        let burst = Posters.burst(sharpened: 1, moving: step) { frame in 1 + 0.05 * sin(2.4 * Double(frame)) }
        let (edges, wall) = try factors(learn(burst, moving: step, noise: 2.25), moving: step)
        #expect(wall < 1.1)
        #expect(edges < 2.5, "\(edges)")
    }

    @Test(arguments: [0, 0.5, 0.7, 1.25, 2]) func strongerNoiseAtEdgesIsFound(_ step: Double) throws {
        let places = try learn(Posters.burst(sharpened: 3, moving: step), moving: step, noise: 2.25)
        try #require(places.dependsOnPlace)
        let (edges, wall) = factors(places, moving: step)
        // Most of a cell, not all of it, has nine times the noise.
        #expect((5...9.5).contains(edges), "\(edges)")
        #expect(wall < 1.3)
    }

    @Test(arguments: [0.7, 1.3]) func noisyEdgesOfAMovingCameraAreMerged(_ step: Double) throws {
        let burst = Posters.burst(sharpened: 3, moving: step)
        // Eight frames can give 9 dB.
        #expect(try gain(burst, .merge) > 7)
        #expect(try gain(burst, .balanced) > 7)
    }

    @Test func whatPassesNoisyEdgesLeavesNoGhost() throws {
        // A soft grey patch passes between the frames of a moving camera.
        let burst = Posters.burst(
            sharpened: 3, moving: 0.7,
            painting: { frame, x, y in
                let (dx, dy) = (x - 60 - 24 * Double(frame), y - 120)
                guard dx * dx + dy * dy < 900 else { return nil }
                return 135 + 10 * sin(dx / 4)
            })
        try burst.expectNoHarm(by: [.merge, .balanced, .quality])
    }

    @Test func framesThatShowFewOfACellSayNothing() throws {
        var burst = Posters.burst(sharpened: 3, count: 8)
        burst.frames = Array(burst.frames[burst.reference - 1...burst.reference + 1])
        burst.reference = 1
        let places = try learn(burst, moving: 0, noise: 2.25)
        #expect(!places.dependsOnPlace)
    }
}
