// SPDX-License-Identifier: MIT
// The best frame has open eyes, then sharp faces, and then it is the nearest.

import Fusion
import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct FrameScoreTests {
    /// The best of frames, of which the one in the middle is the nearest.
    private func best(_ scores: [FrameScore]) -> Int? {
        let middle = scores.count / 2
        return FrameScore.best(of: scores) { abs($0 - middle) < abs($1 - middle) }
    }

    @Test func openEyesComeFirst() {
        #expect(best([.init(sharpness: 1), .init(shut: 1, sharpness: 9), .init(shut: 2, sharpness: 9)]) == 0)
        // Somebody always blinks: the frame with the fewest.
        #expect(best([.init(shut: 2, sharpness: 9), .init(shut: 2, sharpness: 9), .init(shut: 1, sharpness: 1)]) == 2)
    }

    @Test func thenSharpFaces() {
        #expect(best([.init(sharpness: 1), .init(sharpness: 1.2), .init(sharpness: 2)]) == 2)
    }

    @Test func amongEqualsTheNearestIsTaken() {
        #expect(best([.init(sharpness: 2.02), .init(sharpness: 1.98), .init(sharpness: 2)]) == 1)
        #expect(best([.init(shut: 1, sharpness: 0), .init(shut: 1, sharpness: 0)]) == 1)
        #expect(best([]) == nil)
    }

    private static let size = FrameSize(width: 64, height: 64)

    /// A frame with chequers of this contrast on the left, and of that on the right.
    private func frame(_ left: Int, _ right: Int) throws -> FusionFrame {
        let format = FrameFormat(pixelFormat: .grey, size: Self.size)
        let fuser = try Fuser(format)
        let frame = fuser.makeFrame()
        let bytes = (0..<Self.size.area).map { place in
            let (x, y) = (place % 64, place / 64)
            return UInt8(128 + (x / 8 + y / 8) % 2 * (x < 32 ? left : right))
        }
        try fuser.prepare(bytes.span.bytes, into: frame)
        return frame
    }

    private func face(_ x: Float, _ right: Float = 1, _ left: Float = 1) -> FaceFacts {
        FaceFacts(
            id: 1, box: PictureBox(origin: PicturePoint(x: x, y: 0), width: 0.5, height: 1), confidence: 1,
            eyesOpen: .init(right: right, left: left))
    }

    @Test func sharpnessIsThatOfTheFaces() throws {
        let one = try frame(20, 60), other = try frame(60, 20)
        #expect(FrameScore(one, [face(0)], people: 1).sharpness < FrameScore(other, [face(0)], people: 1).sharpness)
        #expect(FrameScore(one, [face(0.5)], people: 1).sharpness > FrameScore(other, [face(0.5)], people: 1).sharpness)
        #expect(FrameScore(one, [face(3)], people: 1).sharpness == 0)
        #expect(try frame(0, 0).sharpness(in: face(0).box) == 0)
    }

    @Test func anEyeThatIsShutAndAFaceThatIsMissingCountAlike() throws {
        let frame = try frame(20, 20)
        #expect(FrameScore(frame, [face(0), face(0.5)], people: 2).shut == 0)
        #expect(FrameScore(frame, [face(0, 0.1), face(0.5)], people: 2).shut == 1)
        #expect(FrameScore(frame, [face(0, 1, 0)], people: 3).shut == 3)
    }
}
