// SPDX-License-Identifier: MIT
// Where in a window a picture is.

import LivecapFrames
import LivecapWindow
import Testing

@Suite struct LetterboxTests {
    private func size(_ width: Int, _ height: Int) -> FrameSize { FrameSize(width: width, height: height) }

    @Test func aWidePictureHasBarsAboveAndBelow() {
        let box = Letterbox(size(1280, 720), in: size(800, 600))
        #expect(box.width == 800 && box.height == 450 && box.x == 0 && box.y == 75)
    }

    @Test func aHighPictureHasBarsAtTheSides() {
        let box = Letterbox(size(720, 1280), in: size(800, 600))
        #expect(box.height == 600 && box.width == 338 && box.y == 0 && box.x == 231)
    }

    @Test func aSmallPictureIsEnlarged() {
        let box = Letterbox(size(320, 240), in: size(1280, 960))
        #expect(box.width == 1280 && box.height == 960)
    }

    @Test(arguments: [(640, 480), (639, 480), (640, 479)])
    func aPixelMoreOrLessIsNoReasonToScale(width: Int, height: Int) {
        let box = Letterbox(size(width, height), in: size(640, 480))
        #expect(box.width == width && box.height == height)
    }

    @Test func nothingIsDividedByZero() {
        let box = Letterbox(size(0, 0), in: size(0, 0))
        #expect(box.width == 0 && box.height == 0)
    }

    @Test func picturesAreAskedForInTheSizeThatIsShown() {
        #expect(Letterbox.longestSide(of: size(1280, 720), in: size(800, 600)) == 800)
        #expect(Letterbox.longestSide(of: size(720, 1280), in: size(800, 600)) == 600)
        #expect(Letterbox.longestSide(of: size(1280, 720), in: size(1, 1)) == 16)
    }
}
