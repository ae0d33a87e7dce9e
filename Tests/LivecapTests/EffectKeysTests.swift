// SPDX-License-Identifier: MIT
// What a run does with effects that clients and keys ask for.

import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapIntents
import Testing

@testable import livecap

@Suite struct EffectKeysTests {
    private let board = EffectBoard()

    /// The effects of a run in which these nets are missing.
    private func effects(missing: Set<NetModel> = [], looks: Looks = Looks()) -> RunEffects {
        RunEffects(board) {
            "usb-1"
        } lack: { settings in
            looks.count += 1
            return settings.models.contains { missing.contains($0) } ? .nets(.noRuntime(folders: ["/nets"])) : nil
        }
    }

    private final class Looks { var count = 0 }

    private func answer(_ effects: RunEffects, _ intent: EffectsIntent) throws -> JSON {
        .object(try effects.members(after: intent))
    }

    private func failure(_ effects: RunEffects, _ list: String) -> Failure? {
        do throws(Failure) {
            _ = try effects.members(after: EffectsIntent(list))
            return nil
        } catch { return error }
    }

    @Test func aListIsDrawnAndSaid() throws {
        let answer = try answer(effects(), EffectsIntent("portrait=0.25,light"))
        #expect(board.settings == EffectSettings(portrait: 0.25, light: 0.6))
        #expect(answer["set"]?.asString == "portrait=0.25,light=0.6" && answer["camera"]?.asString == "usb-1")
        #expect(answer["available"]?.text == #"["portrait","light","background","framing","brighten","gestures"]"#)
    }

    @Test func aQuestionChangesNothing() throws {
        board.set(EffectSettings(framing: 1))
        board.perform(.hearts)
        let answer = try answer(effects(), EffectsIntent())
        #expect(answer["set"]?.asString == "framing=1" && answer["inProgress"]?.text == #"["hearts"]"#)
        #expect(board.settings == EffectSettings(framing: 1))
    }

    @Test func aRunWithoutEffectsRefusesAll() {
        let effects = RunEffects(nil) { "usb-1" }
        for list in ["light", "none"] { #expect(failure(effects, list)?.hint.contains("--effects-in") == true) }
        #expect(throws: Failure.self) { try effects.members(after: EffectsIntent()) }
        #expect(throws: Failure.self) { try effects.members(after: ReactionIntent(.hearts)) }
        for key: Character in ["e", "1", "9"] { #expect(effects.obey(key)?.contains("draws no effects") == true) }
        #expect(effects.keysInWords == nil)
    }

    @Test func withoutFramesThereAreNoReactions() throws {
        let effects = RunEffects(board, hasFrames: false) {
            "usb-1"
        } lack: { _ in
            nil
        }
        #expect(throws: Failure.self) { try effects.members(after: ReactionIntent(.hearts)) }
        #expect(effects.obey("1")?.contains("photos only") == true && board.inProgress().isEmpty)
        #expect(effects.keysInWords?.contains("reactions") == false)
        #expect(try answer(effects, EffectsIntent("light"))["set"]?.asString == "light=0.6")
    }

    @Test(arguments: ["sparkle", "portrait=2", "light,light", "portrait=", ",", " none"])
    func anUnknownListIsRefusedAndNothingChanges(list: String) {
        board.set(EffectSettings(light: 0.5))
        #expect(failure(effects(), list)?.message.contains(list) == true)
        #expect(board.settings == EffectSettings(light: 0.5))
    }

    @Test func effectsWithoutTheirNetsAreRefused() throws {
        let effects = effects(missing: [.faces])
        #expect(failure(effects, "light")?.code == "effects-missing" && board.settings.areNone)
        let available = try answer(effects, EffectsIntent("portrait"))["available"]?.text
        #expect(available == #"["portrait","background","brighten","gestures"]"#)
    }

    @Test func netsAreLookedForOnce() throws {
        let looks = Looks(), effects = effects(looks: looks)
        _ = try answer(effects, EffectsIntent())
        let first = looks.count
        for _ in 0..<5 { _ = try answer(effects, EffectsIntent("light=0.1")) }
        #expect(first > 0 && looks.count == first)
    }

    @Test func aReactionBeginsNow() throws {
        let members = JSON.object(try effects().members(after: ReactionIntent(.confetti)))
        #expect(members.text == #"{"perform":"confetti","durationMs":4000.0}"#, "\(members.text)")
        #expect(board.inProgress() == [.confetti])
    }

    @Test func aKeySwitchesEffectsOffAndOn() {
        let effects = effects()
        #expect(effects.obey("e")?.contains("no effects") == true)
        board.set(EffectSettings(portrait: 0.5))
        #expect(effects.obey("e") != nil && board.settings.areNone)
        #expect(effects.obey("e") != nil && board.settings == EffectSettings(portrait: 0.5))
        #expect(effects.obey("e") != nil && board.settings.areNone)
        // What a program draws meanwhile is what is switched next.
        board.set(EffectSettings(light: 1))
        #expect(effects.obey("e") != nil && effects.obey("e") != nil && board.settings == EffectSettings(light: 1))
    }

    @Test func digitsPerformReactions() {
        for (index, reaction) in Reaction.allCases.enumerated() {
            let effects = effects()
            #expect(effects.obey(Character("\(index + 1)"))?.contains(reaction.rawValue) == true)
        }
        // No more are drawn at once.
        #expect(board.calls(after: 0).map(\.reaction) == Array(Reaction.allCases.prefix(EffectBoard.mostReactions)))
    }

    @Test(arguments: ["0", "q", "m", "E", "²", "٣", "五", "\u{1B}"] as [Character])
    func otherKeysAreNoneOfIts(key: Character) {
        #expect(effects().obey(key) == nil)
        #expect(board.calls(after: 0).isEmpty)
    }

    @Test func itsKeysAreFree() {
        for key in "e123456789" { #expect(!ArmedRun.keys.contains(key)) }
    }
}

@Suite struct EffectListTests {
    @Test(arguments: [
        "none", "portrait=0.6", "light=1e-05", "portrait=0.1,light=1,background=#0a00ff,framing=0.3333333333333333",
        "background=#000000",
    ])
    func aListIsReadAgainAsTheSame(list: String) throws {
        let settings = try #require(EffectSettings(list: list))
        #expect(settings.list == list)
        #expect(EffectSettings(list: settings.list) == settings)
    }

    @Test func everyNameHasAnExample() throws {
        for name in EffectName.allCases {
            let settings = try #require(EffectSettings(list: name.example))
            #expect(settings.list == name.example && !settings.areNone)
        }
    }
}
