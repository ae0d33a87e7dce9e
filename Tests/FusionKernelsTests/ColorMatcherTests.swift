// SPDX-License-Identifier: MIT
// What light did between two frames is told from what both show, not from how sharply.

import Frames
import Testing

@testable import FusionKernels

@Suite struct ColorMatcherTests {
    private static let size = FrameSize(width: 256, height: 192)

    /// The match of a scene of fields, black or bright, with itself: moved by `shift` pixels, and `gain` times as much light.
    private static func match(shift: Int, gain: Double) throws -> ColorMatch {
        let fuser = try Fuser(FrameFormat(pixelFormat: .grey, size: size), FusionSettings(.balanced, level: .portable))
        func frame(_ shift: Int, _ gain: Double) throws -> FusionFrame {
            let frame = fuser.makeFrame()
            let bytes = (0..<size.area).map { place in
                let (x, y) = (place % size.width - shift + 64, place / size.width)
                let field = x / 24 &* 37 &+ y / 32 &* 101, code = field % 3 == 0 ? 25.0 : 120 + Double(field % 7) * 10
                // A gain of light is one of the code and the knee of the curve.
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

    // Means of 16 pixels that lie between those of the other frame have half their contrast.
    @Test(arguments: [0, 4, 8, 13]) func contrastThatIsLostIsNoLight(shift: Int) throws {
        #expect(try !Self.match(shift: shift, gain: 1).isWorthwhile)
    }

    @Test(arguments: [0.9, 1.06]) func moreLightIsSeen(gain: Double) throws {
        let match = try Self.match(shift: 8, gain: gain)
        #expect(match.isWorthwhile)
        #expect(abs(Double(match.rows.0.x) - 1 / gain) < 0.006)
    }

    // Red things whose red is clipped lie under middling brightness.
    @Test(arguments: [(1.0, 0.75), (0.75, 1.0)])
    func aClippedColourTellsNoLight(lights: (own: Double, other: Double)) throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: Self.size)
        let fuser = try Fuser(format, FusionSettings(.balanced, level: .portable))
        func frame(_ light: Double) throws -> FusionFrame {
            let frame = fuser.makeFrame()
            let (red, blue): (Double, Double) = format.colorimetry.matrix.weights
            let bytes = format.filled { plane, x, y in
                let field = (plane == 0 ? x : 2 * x) / 48 &* 37 &+ y / 32 &* 101, isRed = field % 3 > 0
                let color =
                    isRed ? (1.2 + Double(field % 5) * 0.06, 0.35, 0.2) : (0.5, 0.4 + Double(field % 4) * 0.08, 0.6)
                func lit(_ channel: Double) -> Double { min(1, (channel + 0.055) * light - 0.055) }
                let (r, g, b) = (lit(color.0), lit(color.1), lit(color.2))
                let luma = red * r + (1 - red - blue) * g + blue * b
                switch plane {
                case 0: return 16 + 219 * luma
                case 1: return 128 + 112 * (b - luma) / (1 - blue)
                default: return 128 + 112 * (r - luma) / (1 - red)
                }
            }
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
        let own = try frame(lights.own)
        let still = AffineMotion(width: Self.size.width, height: Self.size.height)
        let match = ColorMatcher(own).match(own, try frame(lights.other), still)
        // All channels alike: brightness by as much, and no colour has a say in it. Means in part of a clipped thing lie low.
        #expect(abs(Double(match.rows.0.x) - lights.own / lights.other) < 0.03)
        #expect(abs(match.rows.0.z) < 0.015)
    }
}
