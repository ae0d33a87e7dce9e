// SPDX-License-Identifier: MIT
// Decoding the bytes of a terminal to keys.

import Testing

@testable import Shutter

@Suite struct TerminalKeysTests {
    private var keys = TerminalKeys()

    @Test mutating func enterAndSpacePress() {
        #expect(keys.keys(in: Array("\n ".utf8)) == [.press, .press])
    }

    @Test mutating func aReturnWithItsLineFeedIsOneKey() {
        #expect(keys.keys(in: Array("\r\n\r".utf8)) == [.press, .press])
        #expect(keys.keys(in: Array("\nq".utf8)) == [.character("q")])
    }

    @Test mutating func otherKeysAreThemselves() {
        #expect(keys.keys(in: Array("qb?".utf8)) == [.character("q"), .character("b"), .character("?")])
    }

    @Test(arguments: ["\u{1B}[A", "\u{1B}OP", "\u{1B}[15~", "\u{1B}[1;5C"])
    func arrowsAndFunctionKeysAreNone(_ sequence: String) {
        var keys = TerminalKeys()
        #expect(keys.keys(in: Array((sequence + "x").utf8)) == [.character("x")])
    }

    @Test mutating func escapeAloneIsAKey() {
        #expect(keys.keys(in: [0x1B]) == [.character("\u{1B}")])
        #expect(keys.keys(in: [0x1B, 0x20]) == [.character("\u{1B}"), .press])
    }

    @Test mutating func charactersMayComeInPieces() {
        #expect(keys.keys(in: [0xC3]).isEmpty)
        #expect(keys.keys(in: [0xA4, 0xF0, 0x9F]) == [.character("ä")])
        #expect(keys.keys(in: [0x93, 0xB7]) == [.character("📷")])
    }

    @Test mutating func whatIsNoTextIsPassedOver() {
        #expect(keys.keys(in: [0xFF, 0x80, 0xE0, 0x80, 0x80, 0xC3, 0x0A]) == [.press])
    }

    @Test mutating func controlDEnds() {
        #expect(keys.keys(in: [0x04]) == [.end])
    }
}
