// SPDX-License-Identifier: MIT
// What is said of effects that do not keep up.

import LivecapFrames
import LivecapIntents
import Testing

@testable import LivecapEffects
@testable import livecap

@Suite struct EffectNotesTests {
    private static let slow = EffectProgress(
        effort: .least, rates: EffectProgress.Rates(drawn: 23.8, came: 30.02), lowersRate: true)

    @Test func everyChangeIsSaidOnce() {
        var notes = EffectNotes()
        #expect(notes.words(nil) == nil)
        #expect(notes.words(EffectProgress(effort: .full)) == nil)
        #expect(
            notes.words(EffectProgress(effort: .lean))
                == "effects are drawn with less effort, to keep up with the frames")
        #expect(notes.words(EffectProgress(effort: .least)) == nil)
        #expect(notes.words(Self.slow) == "effects lower the rate to 24 frames per second of 30")
        #expect(notes.words(Self.slow) == nil)
        #expect(
            notes.words(EffectProgress(effort: .lean))
                == "effects no longer lower the rate; they are drawn with less effort")
        #expect(notes.words(EffectProgress(effort: .full)) == "effects are drawn with full effort again")
    }

    @Test func effectsThatAreOffSayNothing() {
        var notes = EffectNotes()
        _ = notes.words(Self.slow)
        #expect(notes.words(nil) == nil)
        #expect(notes.words(EffectProgress(effort: .full)) == nil)
    }

    @Test func aRunTellsHowItKeepsUp() throws {
        let board = EffectBoard(EffectSettings(light: 0.5))
        let effects = RunEffects(board, camera: { "usb-1" }, lack: { _ in nil })
        func drawn() throws -> DrawnEffects { DrawnEffects(.object(try effects.members(after: EffectsIntent()))) }
        #expect(try drawn().effort == nil && drawn().fps == nil)
        let drawer = ObjectIdentifier(board)
        board.report(Self.slow, by: drawer)
        let slow = try drawn()
        #expect(slow.effort == "least" && slow.fps == 23.8 && slow.framesFps == 30)
        #expect(
            EffectsReport(drawn: slow).lines.last
                == "drawn now: light=0.5, 24 of 30 frames per second, with less effort (least)")
        board.report(EffectProgress(effort: .full), by: drawer)
        #expect(EffectsReport(drawn: try drawn()).lines.last == "drawn now: light=0.5")
    }
}
