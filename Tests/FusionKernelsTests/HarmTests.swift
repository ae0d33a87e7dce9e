// SPDX-License-Identifier: MIT
// Whatever frames are fused, the still is no worse than the reference.

import Fusion
import Glibc
import LivecapFrames
import Testing

@Suite struct HarmTests {
    @Test func oneFrameIsAStill() throws { try SmallBurst(count: 1).expectNoHarm() }

    @Test func theSameFrameOverAndOverIsNoWorse() throws {
        var burst = SmallBurst(count: 5)
        burst.frames = burst.frames.map { _ in burst.frames[2] }
        try burst.expectNoHarm()
    }

    @Test(arguments: [2.0, 250])
    func noisyBlackAndSaturatedPicturesAreNoWorse(_ level: Double) throws {
        try SmallBurst(noise: 8) { _, _, _ in level }.expectNoHarm()
    }

    @Test func aDamagedFrameDoesNoHarm() throws {
        var burst = SmallBurst(count: 5)
        var dice = Dice(seed: 9)
        for place in burst.frames[1].indices.suffix(burst.frames[1].count / 2) {
            burst.frames[1][place] = UInt8(truncatingIfNeeded: dice.next())
        }
        try burst.expectNoHarm()
    }

    @Test func aFrameOfOneValueDoesNoHarm() throws {
        var burst = SmallBurst(count: 3)
        burst.frames[0] = Array(repeating: 0, count: burst.frames[0].count)
        burst.frames[2] = Array(repeating: 255, count: burst.frames[2].count)
        try burst.expectNoHarm()
    }

    @Test func aCutInsideTheBurstDoesNoHarm() throws {
        let burst = SmallBurst(count: 6) { frame, x, y in
            frame < 2 ? 220 - drawnScene(y + 31, x * 1.4) : SmallBurst.shaking(frame, x, y)
        }
        try burst.expectNoHarm()
    }

    // Such a picture matches itself one period away, too.
    @Test func aTextureThatRepeatsAndMovesDoesNoHarm() throws {
        let places = [(3.0, -4.0), (-5, 2), (0, 0), (4, 5), (-2, -3)]
        let burst = SmallBurst(.grey, width: 320, height: 240, count: 5, noise: 2) { frame, x, y in
            let (across, down) = (x + places[frame].0, y + places[frame].1)
            return 130 + 40 * sin(2 * .pi * across / 5) + 40 * sin(2 * .pi * down / 4.3)
        }
        try burst.expectNoHarm()
    }

    // Aligned only to the nearest sample, its frames differ by far more than their noise.
    @Test func aQuietTextureThatMovesDoesNoHarm() throws {
        let noise = 1.2, lawn = Lawn(seed: 3)
        let burst = SmallBurst(.grey, width: 320, height: 240, count: 5, noise: noise) { frame, x, y in
            lawn.brightness(x + 1.37 * Double(frame), y - 0.81 * Double(frame))
        }
        try burst.expectNoHarm()
        let (_, report) = try burst.still(Fuser(burst.format, FusionSettings(.merge)))
        #expect(0.8 * noise..<2 * noise ~= report.noise)
    }

    // Such sharp edges cannot be interpolated between samples. Only the paper between them shows the
    // noise.
    @Test func aPageOfPrintThatMovesDoesNoHarm() throws {
        let noise = 4.0
        let burst = SmallBurst(.grey, width: 320, height: 240, count: 5, noise: noise) { frame, x, y in
            Page.brightness(x + 1.33 * Double(frame), y - 0.67 * Double(frame))
        }
        try burst.expectNoHarm(by: [.merge, .balanced, .quality])
        let (_, report) = try burst.still(Fuser(burst.format, FusionSettings(.merge)))
        #expect(0.7 * noise..<1.5 * noise ~= report.noise)
    }

    // With clipped paper, not even the paper shows the noise.
    @Test func aPageOfPrintOnClippedPaperDoesNoHarm() throws {
        var burst = SmallBurst(.grey, width: 320, height: 240, count: 5, noise: 4) { frame, x, y in
            Page.brightness(x + 1.33 * Double(frame), y - 0.67 * Double(frame)) + 45
        }
        burst.clip(to: 235)
        try burst.expectNoHarm(by: [.merge, .balanced])
    }

    // Only the fact that it does not change between frames shows that this texture is not noise.
    @Test func aRoughPictureThatStandsStillIsNoNoise() throws {
        var dice = Dice(seed: 4)
        let grain = (0..<96 * 80).map { _ in 128 + (20 * dice.normal()).rounded() }
        let burst = SmallBurst(.grey, width: 96, height: 80, count: 4, noise: 0) { _, x, y in
            grain[Int(y) * 96 + Int(x)]
        }
        try burst.expectNoHarm(by: [.merge, .balanced, .quality])
    }

    // Denoising would spread the adjacent picture into the bars.
    @Test func denoisingDoesNotSpreadIntoBlackBars() throws {
        let burst = SmallBurst(width: 128, height: 96, count: 4, noise: 0) { frame, x, y in
            guard (24..<100).contains(x) else { return 16 }
            var dice = Dice(seed: UInt64(frame * 96 + Int(y)) * 128 + UInt64(x))
            return max(16, 0.4 * drawnScene(x, y) + 9 * dice.normal())
        }
        for method in carefulMethods {
            let luma = try burst.still(Fuser(burst.format, FusionSettings(method))).picture.bits[0]
            let places = (0..<96).flatMap { y in [0, 15, 23, 104, 127].map { y * 128 + $0 } }
            #expect(places.allSatisfy { luma[$0] == 16 << 8 }, "\(method)")
        }
    }

    // Clipped paper has no noise, so the correction that brightens noisy tiles must not brighten it.
    @Test(arguments: [FusionMethod.speed, .balanced, .quality])
    func clippedPaperBetweenFaintPrintStaysWhite(_ method: FusionMethod) throws {
        let burst = SmallBurst(.grey, width: 192, height: 96, count: 3, noise: 0) { frame, x, y in
            var dice = Dice(seed: UInt64(frame * 96 + Int(y)) * 192 + UInt64(x))
            let paper = x < 64 ? 330 : x < 128 ? 150 : 60
            let isPrint = (16..<64).contains(x) && Int(x) % 7 == 3 && Int(y) % 5 < 3
            return min(235, (isPrint ? 216 : Double(paper)) + 4 * dice.normal())
        }
        let luma = try burst.still(Fuser(burst.format, FusionSettings(method))).picture.bits[0]
        let white = (0..<96 * 192).filter { $0 % 192 < 60 && burst.truth.samples[$0] == 235 }
        let error = white.reduce(0) { $0 + abs(Double(luma[$1]) / 256 - 235) } / Double(white.count)
        #expect(error < 0.3)
    }

    @Test func noiseThatHidesEverythingDoesNoHarm() throws { try SmallBurst(noise: 70).expectNoHarm() }

    @Test func lightThatChangesDoesNoHarm() throws {
        let burst = SmallBurst { frame, x, y in SmallBurst.shaking(frame, x, y) * (0.8 + 0.1 * Double(frame)) }
        try burst.expectNoHarm()
    }

    @Test(
        arguments: zip(
            [(16, 16), (17, 19), (33, 16), (16, 47), (65, 49), (31, 18)],
            [PixelFormat.yuyv, .i420, .grey, .yuyv, .nv12, .yuv422p]))
    func oddSizesAreFused(_ size: (Int, Int), _ pixelFormat: PixelFormat) throws {
        try SmallBurst(pixelFormat, width: size.0, height: size.1).expectNoHarm("\(size)")
    }

    @Test(arguments: [
        PixelFormat.yuyv, .uyvy, .yvyu, .vyuy, .nv12, .nv21, .nv16, .i420, .yv12, .yuv422p, .grey,
    ])
    func everyLayoutIsFused(_ pixelFormat: PixelFormat) throws {
        try SmallBurst(pixelFormat, width: 49, height: 35).expectNoHarm(by: carefulMethods.filter { $0 != .quality })
    }
}
