// SPDX-License-Identifier: MIT
// What is said of effects that do not keep up.

import LivecapDetection
import LivecapFrames
import LivecapIntents
import LivecapServing
import LivecapThreads
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

    @Test func everyFaultIsSaidOnce() throws {
        var notes = EffectNotes()
        let board = EffectBoard(), wanted = EffectSettings(portrait: 1)
        #expect(notes.words(ofFault: board.fault) == nil)
        for _ in 0..<2 {
            // It may be taken off the board before anybody has heard that it was set.
            board.set(wanted)
            board.refuse(wanted, for: EffectSettings(), .noMemory)
            let said = notes.words(ofFault: board.fault), words = try #require(said)
            #expect(words.hasPrefix("portrait could not be drawn, and effects are as before: "), "\(words)")
            #expect(notes.words(ofFault: board.fault) == nil)
        }
        board.set(EffectSettings())
        #expect(notes.words(ofFault: board.fault) == nil)
    }

    /// It also looks again for what has disappeared.
    @Test func aRunTellsWhatIsNotDrawn() throws {
        let board = EffectBoard(), isThere = Guarded(true)
        let gone = EffectError.nets(.noRuntime(folders: ["/nets"]))
        let effects = RunEffects(board, camera: { "usb-1" }) { settings in
            settings.models.isEmpty || isThere.withLock { $0 } ? nil : gone
        }
        func drawn(_ list: String? = nil) throws(Failure) -> DrawnEffects {
            DrawnEffects(.object(try effects.members(after: EffectsIntent(list))))
        }
        #expect(try drawn("portrait=1").fault == nil)
        isThere.withLock { $0 = false }
        board.refuse(EffectSettings(portrait: 1), for: EffectSettings(), .noRuntime(folders: ["/nets"]))
        let after = try drawn(), fault = try #require(after.fault)
        #expect(after.list == "none" && after.available == ["brighten"])
        #expect(fault.code == "effects-missing" && fault.hint == gone.hint && fault.message.contains("/nets"))
        #expect(EffectsReport(drawn: after).lines.last == "\(fault.message); \(fault.hint)")
        #expect(DrawnEffects(after.json) == after)
        #expect(throws: Failure.self) { try drawn("portrait=1") }
        #expect(try drawn("brighten").fault == nil)
    }

    /// Pages are told by the same board, of nothing twice.
    @Test func pagesAreToldWhatIsNotDrawn() {
        let board = EffectBoard(), switchboard = EffectSwitchboard(board) { _ in nil }
        let told = Guarded<[String?]>([])
        let leave = switchboard.onChange { change in
            if change == .effects { told.withLock { $0.append(switchboard.fault()?.code) } }
        }
        #expect(switchboard.set("portrait=1") == nil)
        board.refuse(EffectSettings(portrait: 1), for: EffectSettings(), .noMemory)
        #expect(switchboard.fault()?.message == board.fault?.message && switchboard.current() == "none")
        #expect(switchboard.set("none") == nil && switchboard.set("none") == nil)
        #expect(told.withLock { $0 } == [nil, "effects-missing", nil])
        leave()
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
