// SPDX-License-Identifier: MIT
// The change of light between frames is estimated from what both show. A change of sharpness must not count as light.

import LivecapFrames
import Testing

@testable import Fusion

@Suite struct ColorMatcherTests {
    private static let size = FrameSize(width: 256, height: 192)
    /// Large enough for fields that contain whole means of 16x16 pixels.
    private static let largeSize = FrameSize(width: 480, height: 384)

    /// Matches a scene of black and bright fields with itself, moved by `shift` pixels and lit by `gain` times as much
    /// light.
    private static func match(shift: Int, gain: Double) throws -> ColorMatch {
        let fuser = try Fuser(FrameFormat(pixelFormat: .grey, size: size), FusionSettings(.balanced, level: .portable))
        func frame(_ shift: Int, _ gain: Double) throws -> FusionFrame {
            let frame = fuser.makeFrame()
            let bytes = (0..<size.area).map { place in
                let (x, y) = (place % size.width - shift + 64, place / size.width)
                let field = x / 24 &* 37 &+ y / 32 &* 101, code = field % 3 == 0 ? 25.0 : 120 + Double(field % 7) * 10
                // A gain of light scales the sum of the code and the knee of the tone curve.
                return UInt8(((code + 0.055 * 255) * gain - 0.055 * 255).rounded())
            }
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
        let (own, other) = (try frame(0, 1), try frame(shift, gain))
        var motion = AffineMotion(width: size.width, height: size.height)
        motion.shiftX = Float(shift)
        return ColorMatcher(own).match(own, other, motion)
    }

    // Means of 16 pixels that lie halfway between those of the other frame have half their contrast.
    @Test(arguments: [0, 4, 8, 13]) func lostContrastIsNotALightChange(shift: Int) throws {
        #expect(try !Self.match(shift: shift, gain: 1).isWorthwhile)
    }

    @Test(arguments: [0.9, 1.06]) func moreLightIsSeen(gain: Double) throws {
        let match = try Self.match(shift: 8, gain: gain)
        #expect(match.isWorthwhile)
        #expect(abs(Double(match.rows.0.x) - 1 / gain) < 0.006)
    }

    // A screen or a flashing light in part of the picture: the rest is the same scene and is merged, but must not serve
    // to estimate the noise.
    @Test(arguments: [(0, true, true), (8, true, true), (96, true, false), (256, false, false)])
    func partlySharedScenesMatchButGiveNoNoiseEstimate(other: (width: Int, isOneScene: Bool, tellsNoise: Bool)) throws {
        let fuser = try Fuser(
            FrameFormat(pixelFormat: .grey, size: Self.size), FusionSettings(.balanced, level: .portable))
        func frame(_ other: Int) throws -> FusionFrame {
            let frame = fuser.makeFrame()
            let bytes = (0..<Self.size.area).map { place in
                let (x, y) = (place % Self.size.width, place / Self.size.width)
                let field = x / 24 &* 37 &+ y / 32 &* 101
                let code = 60 + (x < other ? field * field + 17 : field * 29) % 151
                return UInt8(code)
            }
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
        let own = try frame(0), theirs = try frame(other.width)
        let still = AffineMotion(width: Self.size.width, height: Self.size.height)
        let matcher = ColorMatcher(own)
        #expect(matcher.areAlike(own, theirs, still) == other.isOneScene)
        #expect(matcher.areAlike(own, theirs, still, by: ColorMatcher.asFramesInARow) == other.tellsNoise)
    }

    /// Red objects too bright for a camera's red channel, and other fields, under `light` times the light, with noise
    /// in brightness.
    private static func redThings(_ format: FrameFormat, light: Double, noise: Double = 0, seed: UInt64 = 1) -> [UInt8]
    {
        let (red, blue): (Double, Double) = format.colorimetry.matrix.weights
        var dice = Dice(seed: seed)
        return format.filled { plane, x, y in
            let field = (plane == 0 ? x : 2 * x) / 96 &* 37 &+ y / 64 &* 101, isRed = field % 3 > 0
            let color =
                isRed ? (1.2 + Double(field % 5) * 0.06, 0.35, 0.2) : (0.5, 0.4 + Double(field % 4) * 0.08, 0.6)
            func lit(_ channel: Double) -> Double { min(1, (channel + 0.055) * light - 0.055) }
            let (r, g, b) = (lit(color.0), lit(color.1), lit(color.2))
            let luma = red * r + (1 - red - blue) * g + blue * b
            switch plane {
            case 0: return 16 + 219 * luma + noise * dice.normal()
            case 1: return 128 + 112 * (b - luma) / (1 - blue)
            default: return 128 + 112 * (r - luma) / (1 - red)
            }
        }
    }

    // Red objects whose red channel is clipped have only medium brightness.
    @Test(arguments: [(1.0, 0.75), (0.75, 1.0)])
    func clippedColourDoesNotAffectTheLightEstimate(lights: (own: Double, other: Double)) throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: Self.largeSize)
        let fuser = try Fuser(format, FusionSettings(.balanced, level: .portable))
        func frame(_ light: Double) throws -> FusionFrame {
            let frame = fuser.makeFrame()
            try fuser.prepare(Self.redThings(format, light: light).span.bytes, into: frame)
            return frame
        }
        let own = try frame(lights.own)
        let still = AffineMotion(width: Self.largeSize.width, height: Self.largeSize.height)
        let match = ColorMatcher(own).match(own, try frame(lights.other), still, isExposure: true)
        // All channels change alike: brightness by the ratio of the lights, without any contribution from colour.
        #expect(abs(Double(match.rows.0.x) - lights.own / lights.other) < 0.006)
        #expect(abs(match.rows.0.z) < 0.006)
    }

    // The darker frames show how bright the clipped parts would have been.
    @Test func whatTheReferenceClippedStaysAsItIs() throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: Self.largeSize)
        let fuser = try Fuser(format, FusionSettings(.merge)), picture = fuser.makePicture()
        let frames = try (0..<5).map { place in
            let frame = fuser.makeFrame()
            let bytes = Self.redThings(format, light: place == 2 ? 1 : 0.86, noise: 6, seed: UInt64(place + 1))
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
        _ = try fuser.fuse(frames, reference: 2, into: picture)
        let truth = Self.redThings(format, light: 1)
        for (place, plane) in picture.planes.enumerated() {
            var (off, fields) = (0.0, 0.0)
            for top in Swift.stride(from: 8, to: Self.largeSize.height, by: 64) {
                for left in Swift.stride(from: 8, to: plane.width, by: place == 0 ? 96 : 48) {
                    let sum = (0..<48 * 32).reduce(0.0) { sum, index in
                        let (x, y) = (left + index % 32, top + index / 32)
                        let truth = Double(truth[format.place(place, x, y)])
                        return sum + Double(plane.samples[y * plane.width + x]) / 256 - truth
                    }
                    off += abs(sum) / (48 * 32)
                    fields += 1
                }
            }
            #expect(off / fields < 1.5, "plane \(place)")
        }
    }
}
