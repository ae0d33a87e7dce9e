// SPDX-License-Identifier: MIT
// Dates in pictures, compared pixel by pixel with the letters of the font and the outline around them.

import Testing

@testable import LivecapFrames

@Suite struct DateStampTests {
    private static let moment = CalendarTime(sinceEpoch: .seconds(1_796_053_510))
    private static let text = "2026-11-30 15:45:10"
    private static let ground: UInt8 = 7

    /// A picture as it is seen, drawn from the text alone: each dot by the nine around it, and each pixel by its dot.
    private static func reference(_ text: String, _ size: FrameSize, dot: Int) -> [UInt8] {
        let letters = text.utf8.map { DotFont.rows($0) }
        func hasInk(_ x: Int, _ y: Int) -> Bool {
            guard x >= 0, (0..<DotFont.height).contains(y), x / DotFont.advance < letters.count else { return false }
            let column = x % DotFont.advance
            return column < DotFont.width && DotFont.hasInk(letters[x / DotFont.advance], column, y)
        }
        var picture = [UInt8](repeating: ground, count: size.area)
        for row in -1...DotFont.height {
            for column in -1...letters.count * DotFont.advance {
                let isNear = (-1...1).contains { dy in (-1...1).contains { dx in hasInk(column + dx, row + dy) } }
                guard isNear else { continue }
                // Two dots from the edges, and one of outline.
                let left = (column + 3) * dot
                let top = size.height - (10 - row) * dot
                for y in top..<top + dot {
                    for x in left..<left + dot where y >= 0 && x < size.width {
                        picture[y * size.width + x] = hasInk(column, row) ? 255 : 0
                    }
                }
            }
        }
        return picture
    }

    /// A picture as it is stored.
    private func drawn(
        _ size: FrameSize, seenAs mount: CameraMount = .upright, format: DateFormat = .usual
    ) -> [UInt8] {
        var stamp = DateStamp(format, of: .unknown, in: PixelArea(size), seenAs: mount)
        stamp.show(Self.moment)
        return draw(stamp, size)
    }

    private func draw(_ stamp: DateStamp, _ size: FrameSize) -> [UInt8] {
        var picture = [UInt8](repeating: Self.ground, count: size.area)
        picture.withUnsafeMutableBufferPointer {
            stamp.draw(into: StampedPlane($0.baseAddress!, stride: size.width, ink: 255, outline: 0))
        }
        return picture
    }

    @Test(arguments: [
        (FrameSize(width: 320, height: 240), 1), (FrameSize(width: 641, height: 479), 2),
        (FrameSize(width: 1280, height: 720), 3), (FrameSize(width: 1919, height: 1081), 5),
        (FrameSize(width: 720, height: 1280), 3), (FrameSize(width: 240, height: 2000), 1),
    ]) func lettersGrowWithThePicture(size: FrameSize, dot: Int) {
        #expect(drawn(size) == Self.reference(Self.text, size, dot: dot))
    }

    @Test func at4KLettersAreTenTimesAsLarge() {
        let size = FrameSize(width: 3840, height: 2160)
        #expect(drawn(size) == Self.reference(Self.text, size, dot: 10))
    }

    @Test func aPictureThatIsTooSmallShowsWholeLetters() {
        let size = FrameSize(width: 50, height: 21)
        #expect(drawn(size) == Self.reference("2026-11", size, dot: 1))
        let tiny = FrameSize(width: 5, height: 5)
        #expect(drawn(tiny) == [UInt8](repeating: Self.ground, count: 25))
    }

    @Test(arguments: RotationAngle.allCases, [false, true]) func itIsUprightWhereAPictureIsTurned(
        angle: RotationAngle, isMirrored: Bool
    ) {
        let size = FrameSize(width: 241, height: 163), mount = CameraMount(angle: angle, isMirrored: isMirrored)
        let stored = drawn(size, seenAs: mount)
        let isOnItsSide = angle == .quarter || angle == .threeQuarters
        let seen = isOnItsSide ? FrameSize(width: size.height, height: size.width) : size
        // Mirrored, then turned clockwise.
        var picture = [UInt8](repeating: 0, count: size.area)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let across = isMirrored ? size.width - 1 - x : x
                let place: (column: Int, row: Int) =
                    switch angle {
                    case .none: (across, y)
                    case .quarter: (size.height - 1 - y, across)
                    case .half: (size.width - 1 - across, size.height - 1 - y)
                    case .threeQuarters: (y, size.width - 1 - across)
                    }
                picture[place.row * seen.width + place.column] = stored[y * size.width + x]
            }
        }
        #expect(picture == Self.reference(Self.text, seen, dot: 1))
    }

    @Test func chromaIsNeutralWhereAPixelHasADate() {
        let size = FrameSize(width: 161, height: 101)
        let luma = drawn(size)
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(size))
        stamp.show(Self.moment)
        let across = 81
        let down = 51
        var chroma = [UInt8](repeating: 99, count: across * down)
        chroma.withUnsafeMutableBufferPointer {
            stamp.draw(
                into: StampedPlane($0.baseAddress!, stride: across, shared: (2, 2), ink: 128, outline: 128))
        }
        var wrong = 0
        for y in 0..<down {
            for x in 0..<across {
                let pixels = [(2 * x, 2 * y), (2 * x + 1, 2 * y), (2 * x, 2 * y + 1), (2 * x + 1, 2 * y + 1)]
                    .filter { $0.0 < size.width && $0.1 < size.height }
                let isDrawn = pixels.contains { luma[$0.1 * size.width + $0.0] != Self.ground }
                if chroma[y * across + x] != (isDrawn ? 128 : 99) { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }

    @Test func theTimeIsThatOfTheFrame() {
        let size = FrameSize(width: 160, height: 120)
        // The recording's clock stands at 0.4 s of a second at 1000 ns.
        let calendar = CalendarTime(sinceEpoch: .seconds(1_796_053_510) + .milliseconds(400))
        let clock = FrameClock.recording(
            WallClockAnchor(monotonic: Timestamp(nanoseconds: 1000), calendar: calendar, zoneName: "UTC"))
        var stamp = DateStamp(.usual, of: clock, in: PixelArea(size))
        let begin = Timestamp(nanoseconds: 1000)
        for (offset, text) in [
            (Duration.zero, "2026-11-30 15:45:10"), (.milliseconds(599), "2026-11-30 15:45:10"),
            (.milliseconds(600), "2026-11-30 15:45:11"), (.milliseconds(599), "2026-11-30 15:45:10"),
            (.milliseconds(-401), "2026-11-30 15:45:09"), (.seconds(3600), "2026-11-30 16:45:10"),
        ] {
            stamp.show(begin + offset)
            #expect(draw(stamp, size) == Self.reference(text, size, dot: 1), "\(offset)")
        }
    }

    @Test func whatIsNotKnownIsNotDrawn() {
        let size = FrameSize(width: 160, height: 120)
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(size))
        stamp.show(.now)
        #expect(draw(stamp, size) == [UInt8](repeating: Self.ground, count: size.area))
    }

    @Test func anAreaIsNotLeft() {
        let size = FrameSize(width: 200, height: 60)
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(x: 20, y: 10, width: 130, height: 30))
        stamp.show(Self.moment)
        let picture = draw(stamp, size)
        let inner = Self.reference(Self.text, FrameSize(width: 130, height: 30), dot: 1)
        var wrong = 0
        for y in 0..<60 {
            for x in 0..<200 {
                let isInside = (20..<150).contains(x) && (10..<40).contains(y)
                let expected = isInside ? inner[(y - 10) * 130 + x - 20] : Self.ground
                if picture[y * 200 + x] != expected { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }
}
