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
}
