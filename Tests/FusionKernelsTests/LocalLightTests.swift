// SPDX-License-Identifier: MIT
// Light that differs between frames over tens of pixels: the still keeps the reference's.

import Glibc
import LivecapFrames
import LivecapPictureMetrics
import Testing

@testable import Fusion

@Suite struct LocalLightTests {
    private static let (width, height) = (256, 192)

    /// Bands of lamps on the mains: light swings by `share` down the picture, and elsewhere in each frame.
    private func bands(_ share: Double, noise: Double = 2) -> SmallBurst {
        SmallBurst(.grey, width: Self.width, height: Self.height, count: 8, noise: noise) { frame, x, y in
            let scene = 120 + 0.3 * (drawnScene(x, y) - 100)
            return scene * (1 + share * sin(2 * .pi * (y / 160 + Double(frame) * 0.35)))
        }
    }

    /// How far means of 16x16 samples are off at most, in codes, of a still's brightness and of the frame's.
    private func offness(_ burst: SmallBurst, _ method: FusionMethod) throws -> (still: Float, frame: Float) {
        let still = try burst.still(Fuser(burst.format, FusionSettings(method))).picture.luma
        let frame = burst.single(width: Self.width, height: Self.height)
        func most(_ plane: CodePlane) -> Float {
            var most: Float = 0
            for y in stride(from: 0, to: Self.height, by: 16) {
                for x in stride(from: 0, to: Self.width, by: 16) {
                    var sum: Float = 0
                    for place in 0..<256 {
                        let at = (y + place / 16) * Self.width + x + place % 16
                        sum += plane.samples[at] - burst.truth.samples[at]
                    }
                    most = max(most, abs(sum / 256))
                }
            }
            return most
        }
        return (most(still), most(frame))
    }

    @Test(arguments: [FusionMethod.merge, .balanced, .quality])
    func bandsOfLightAreTheReferences(_ method: FusionMethod) throws {
        let burst = bands(0.012)
        // Averaged, the bands would be off by up to 1.4 codes.
        #expect(try offness(burst, method).still < 0.8)
        try burst.expectNoHarm(by: [method])
    }

    @Test func withoutThemNothingIsTakenOff() throws {
        let burst = bands(0)
        let fuser = try Fuser(burst.format, FusionSettings(.merge, level: .portable))
        let frames = try burst.prepared(by: fuser)
        let light = LocalLight(width: Self.width, height: Self.height)
        let field = MotionField(width: Self.width, height: Self.height)
        field.fill(AffineMotion(width: Self.width, height: Self.height), rows: 0..<field.down)
        let clipping = Clipping(width: Self.width, height: Self.height)
        light.measure(
            frames[0].levels[2], other: frames[1].levels[2], field: field, noise: NoiseModel(white: 4),
            clipping: clipping)
        var differences = [Int16](repeating: 0, count: Self.width * 8)
        for row in 0..<field.down {
            differences.withUnsafeMutableBufferPointer { all in
                light.takeOff(all.baseAddress!, Self.width, cells: 0..<field.across, of: row, rows: 8)
            }
        }
        // Noise alone exceeds two standard deviations in a few places.
        #expect(differences.count { $0 != 0 } < differences.count / 8)
        #expect(differences.allSatisfy { abs($0) < 16 })
    }

    @Test func aStepOfLightIsFoundAndTakenOff() throws {
        var burst = SmallBurst(.grey, width: Self.width, height: Self.height, count: 2, noise: 1) { frame, x, y in
            120 + (frame == 1 && x >= 128 ? 3 : 0)
        }
        burst.reference = 0
        let fuser = try Fuser(burst.format, FusionSettings(.merge, level: .portable))
        let frames = try burst.prepared(by: fuser)
        let light = LocalLight(width: Self.width, height: Self.height)
        let field = MotionField(width: Self.width, height: Self.height)
        field.fill(AffineMotion(width: Self.width, height: Self.height), rows: 0..<field.down)
        let clipping = Clipping(width: Self.width, height: Self.height)
        light.measure(
            frames[0].levels[2], other: frames[1].levels[2], field: field, noise: NoiseModel(white: 1),
            clipping: clipping)
        var differences = [Int16](repeating: 3 * 32, count: Self.width * 8)
        differences.withUnsafeMutableBufferPointer { all in
            light.takeOff(all.baseAddress!, Self.width, cells: 0..<field.across, of: 10, rows: 8)
        }
        for row in 0..<8 {
            // Well inside either half.
            #expect(differences[row * Self.width + 40] > 3 * 32 - 8)
            #expect(abs(differences[row * Self.width + 220]) < 8)
        }
    }

    @Test func aShadowThatMovesLeavesNoHarm() throws {
        let burst = SmallBurst(.grey, width: Self.width, height: Self.height, count: 8, noise: 3) { frame, x, y in
            let edge = (x - 60 - 14 * Double(frame)) / 30
            return (120 + 0.4 * (drawnScene(x, y) - 100)) * (1 - 0.03 / (1 + exp(-edge)))
        }
        try burst.expectNoHarm(by: [.merge, .balanced, .quality])
    }
}
