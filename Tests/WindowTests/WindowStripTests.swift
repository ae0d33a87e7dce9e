// SPDX-License-Identifier: MIT
// What is drawn over pictures, and what is said of windows that cannot be.

import LivecapFrames
import Testing

@testable import LivecapWindow

@Suite struct WindowStripTests {
    private func painted(
        _ words: WindowWords, handle: Int? = nil, width: Int = 640, density: Double = 1, hasKeys: Bool = false
    ) -> WindowStrip {
        var strip = WindowStrip(width: width, density: density, hasKeys: hasKeys)
        strip.paint(words, handle: handle)
        return strip
    }

    /// The number of pixels of a colour in columns.
    private func count(_ colour: UInt32, _ strip: WindowStrip, _ columns: Range<Int>) -> Int {
        strip.pixels.indices.filter { strip.pixels[$0] == colour && columns.contains($0 % strip.width) }.count
    }

    private let ink: UInt32 = 0xFFFF_FFFF

    @Test func lettersAreOfDots() {
        var words = WindowWords()
        words.moment = "1"
        let strip = painted(words)
        let dots = (0..<35).filter { DotFont.rows(UInt8(ascii: "1")) >> UInt64($0) & 1 == 1 }.count
        // Two pixels wide and high each.
        #expect(count(ink, strip, strip.right - 10..<strip.right) == dots * 4)
        #expect(count(ink, strip, 0..<strip.right - 10) == 0)
    }

    @Test func denseScreensHaveLargerDots() {
        let plain = painted(WindowWords()), dense = painted(WindowWords(), width: 1280, density: 2)
        #expect(dense.height == plain.height * 2 && dense.left == plain.left * 2)
        #expect(!dense.hasSize(of: plain) && plain.hasSize(of: painted(WindowWords(), handle: 9)))
    }

    @Test func theLightHasItsColour() {
        for light in [WindowLight.ready, .waiting, .away] {
            var words = WindowWords()
            words.light = light
            #expect(count(light.colour, painted(words), 0..<640) == 100)
        }
    }

    @Test func theHandleIsWhereTheMomentIs() {
        let strip = painted(WindowWords(), handle: 300)
        #expect(count(ink, strip, 298..<304) == 60 && count(ink, strip, 0..<298) == 0)
        #expect(count(ink, painted(WindowWords()), 0..<640) == 0)
    }

    @Test func longWordsAreSmallerAndThenCut() {
        var words = WindowWords()
        words.status = String(repeating: "i", count: 70)
        words.moment = "live"
        let strip = painted(words)
        // None of them runs into the moment.
        #expect(count(ink, strip, 0..<strip.right - 50) > 0)
        #expect(count(ink, strip, strip.right - 54..<strip.right - 47) == 0)
        words.status = String(repeating: "i", count: 7000)
        #expect(painted(words).pixels.count == 640 * strip.height)
    }

    @Test func aNarrowWindowIsNoTrouble() {
        var words = WindowWords()
        words.status = "ready"
        words.keys = "q end"
        #expect(painted(words, handle: 1, width: 1, hasKeys: true).pixels.count == 72)
    }

    @Test func keysNeedRoom() {
        #expect(painted(WindowWords(), hasKeys: true).height > painted(WindowWords()).height)
    }

    @Test func delaysAreThoseOfTheLastFrames() {
        var figures = WindowFigures()
        #expect(figures.delay(of: 0.5) == nil)
        for delay in 1...2000 { figures.note(.milliseconds(delay)) }
        #expect(figures.frames == 2000)
        #expect(figures.delay(of: 0) == .milliseconds(977) && figures.delay(of: 1) == .milliseconds(2000))
    }

    @Test func aLibraryThatIsMissingIsNamed() {
        let error = WindowError.noLibrary(detail: "libSDL2-2.0.so.0: cannot open shared object file")
        #expect(error.message.contains("libSDL2-2.0.so.0") && error.hint.contains("sudo apt install libsdl2-2.0-0"))
        #expect(error.exitStatus == 69 && error.code == "no-sdl")
        #expect(WindowError.noScreen(detail: "x").exitStatus == 69)
    }
}
