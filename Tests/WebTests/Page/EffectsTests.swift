// SPDX-License-Identifier: MIT
// The panel of effects: it sets what is drawn, follows what others set, and is not there without effects.

import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapServing
import LivecapThreads
import LivecapWebGear
import Testing

/// Somebody who would draw effects, and notes what pages ask.
private final class NotedEffects: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        var lists = ["none"]
        var reactions: [Reaction] = []
        var fault: EffectRefusal?
        var observer: (@Sendable (EffectSwitchboard.Change) -> Void)?
    }

    /// All lists so far.
    var lists: [String] { state.withLock { $0.lists } }
    /// The reactions so far.
    var reactions: [Reaction] { state.withLock { $0.reactions } }

    /// Somebody sets effects.
    func set(_ list: String) {
        state.withLock { state in
            state.lists.append(list)
            state.fault = nil
        }
        tell(.effects)
    }

    /// What was set last cannot be drawn after all.
    func fail(_ fault: EffectRefusal) {
        state.withLock { state in
            state.lists.append("none")
            state.fault = fault
        }
        tell(.effects)
    }

    private func tell(_ change: EffectSwitchboard.Change) { state.withLock { $0.observer }?(change) }

    var board: EffectSwitchboard {
        var board = EffectSwitchboard(
            effects: [
                .init("portrait", usual: 0.6), .init("light", usual: 0.6), .init("framing", usual: 1),
                .init("gestures", usual: nil),
            ],
            current: { self.lists.last ?? "" },
            set: {
                self.set($0)
                return nil
            },
            perform: { reaction in
                self.state.withLock { $0.reactions.append(reaction) }
                self.tell(.reaction(reaction))
                return nil
            },
            onChange: { observer in
                self.state.withLock { $0.observer = observer }
                return { self.state.withLock { $0.observer = nil } }
            })
        board.fault = { self.state.withLock { $0.fault } }
        return board
    }

    /// One face, ten times a second: marks without successors vanish.
    static let facts = FactSource([.faces]) { _ in
        let box = PictureBox(origin: PicturePoint(x: 0.25, y: 0.25), width: 0.5, height: 0.5)
        let facts = FrameFacts(
            frame: FrameID(epoch: 0, counter: 0), time: .now, faces: [FaceFacts(id: 1, box: box, confidence: 1)])
        return AsyncStream {
            do { try await Task.sleep(for: .milliseconds(100)) } catch { return nil }
            return facts
        }
    }
}

extension InBrowser {
    @Suite struct EffectsTests {
        private static let isOpen = "!document.getElementById('looks').hidden"

        private func withEffects(_ body: (NotedEffects, PageVisit) throws -> Void) async throws {
            let effects = NotedEffects()
            try await withServedCamera(change: {
                $0.effects = effects.board
                $0.facts = NotedEffects.facts
            }) { server, _ in
                let visit = try PageVisit(server)
                try visit.browser.await("the button", "!document.getElementById('effects').hidden")
                try body(effects, visit)
            }
        }

        @Test func effectsAreChosenWithTheKeyboard() async throws {
            try await withEffects { effects, visit in
                let browser = visit.browser
                try browser.press("e")
                try browser.await("the panel", Self.isOpen)
                #expect(try visit.focus() == Focus(name: "Close the effects", isVisible: true))
                try visit.tab(to: "As it is")
                try browser.press(.right)
                #expect(try visit.focus() == Focus(name: "Blurred", isVisible: true))
                try eventually("blur") { effects.lists.last == "portrait=0.6" }
                // The strength appears next to the choice.
                let passed = try visit.tab(to: "effect-portrait")
                #expect(passed.hidden.isEmpty)
                try browser.press(.right)
                try eventually("more blur") { effects.lists.last == "portrait=0.65" }
                try visit.tab(to: "effect-light")
                try browser.press(.right)
                try eventually("light") { effects.lists.last == "portrait=0.65,light=0.05" }
                #expect(try browser.find("#effects").label == "Effects: on")
                // One without a strength.
                try visit.tab(to: "effect-gestures")
                try browser.press(.space)
                try eventually("gestures") { effects.lists.last == "portrait=0.65,light=0.05,gestures" }
                try browser.find("#looks button", called: "All off").click()
                try eventually("none") { effects.lists.last == "none" }
                try visit.awaitWords("looks", "Everything is off")
                try browser.press(.escape)
                try browser.await("the end of the panel", "!(\(Self.isOpen))")
            }
        }

        @Test func thePanelFollowsOthers() async throws {
            try await withEffects { effects, visit in
                let browser = visit.browser
                try browser.press("e")
                effects.set("framing=0.5,background=#123456")
                try browser.await(
                    "the new strength", "document.getElementById('effect-framing').ariaValueText === '50 %'")
                #expect(try browser.run("return document.querySelector('#looks :checked').value").string == "colour")
                #expect(try browser.run("return document.querySelector('[type=color]').value").string == "#123456")
                #expect(effects.lists.count == 2)
            }
        }

        @Test func thePanelSaysWhatIsNotDrawnAfterAll() async throws {
            try await withEffects { effects, visit in
                try visit.browser.press("e")
                effects.set("portrait=0.6")
                effects.fail(EffectRefusal("the net is gone", hint: "install it", code: "effects-missing"))
                try visit.awaitWords("looks", "The net is gone. Install it.")
                effects.set("framing=1")
                try visit.browser.await(
                    "no words of it", "!document.getElementById('looks').textContent.includes('The net is gone')")
            }
        }

        @Test func aReactionIsSeenOnEveryPage() async throws {
            try await withEffects { effects, visit in
                let browser = visit.browser
                try browser.press("e")
                try browser.find(".reactions button", called: "Hearts").click()
                try browser.await("its bar", "document.querySelector('.reactions .on')?.ariaLabel === 'Hearts'")
                try visit.awaitWords("said", "Hearts")
                #expect(effects.reactions == [.hearts] && effects.lists == ["none"])
            }
        }

        @Test func facesAreMarkedWhereThatIsAskedFor() async throws {
            try await withEffects { _, visit in
                let browser = visit.browser
                #expect(try browser.run("return document.getElementById('known').hidden").bool == true)
                try browser.press("e")
                try browser.find("[id='row-Mark faces']").click()
                try browser.await(
                    "a mark",
                    """
                    (canvas => canvas.width > 0 && !canvas.hidden && canvas.getContext('2d')
                        .getImageData(canvas.width / 4 - 2, canvas.height / 2, 4, 1).data.some(value => value > 0))(
                        document.getElementById('known'))
                    """)
            }
        }

        @Test func thePanelIsClosedByGoingBackAndByTheOptions() async throws {
            try await withEffects { _, visit in
                let browser = visit.browser
                try browser.run("history.replaceState('first', '')")
                try browser.press("e")
                try browser.await("the panel", Self.isOpen)
                try browser.find("#options").click()
                try browser.await("the options", "!(\(Self.isOpen)) && !document.getElementById('sheet').hidden")
                try browser.find("#effects").click()
                try browser.await("the panel", "\(Self.isOpen) && document.getElementById('sheet').hidden")
                try browser.run("history.back()")
                try browser.await("the camera", "!(\(Self.isOpen)) && history.state === 'first'")
            }
        }

        @Test func theOptionsSayWhyThereAreNone() async throws {
            let reason = EffectRefusal.noStage(hint: "start it with a stage")
            try await withServedCamera(change: { $0.noEffects = reason }) { server, _ in
                let visit = try PageVisit(server), browser = visit.browser
                try browser.press("o")
                try browser.await(
                    "the reason",
                    """
                    document.getElementById('sheet').textContent
                        .includes('Start it with a stage.')
                    """)
                #expect(try browser.run("return document.getElementById('effects').hidden").bool == true)
                try browser.press(.escape)
                try browser.press("e")
                #expect(try browser.run("return document.getElementById('looks').hidden").bool == true)
            }
        }

        @Test(.enabled(if: AxeScript.path != nil, Comment(rawValue: WebRun.noAxe)), arguments: [false, true])
        func axeFindsNothing(isDark: Bool) async throws {
            let effects = NotedEffects()
            try await withServedCamera(change: {
                $0.effects = effects.board
                $0.facts = NotedEffects.facts
            }) { server, _ in
                var appearance = Browser.Settings()
                appearance.isDark = isDark
                appearance.hasReducedMotion = true
                let visit = try PageVisit(server, appearance, on: .phone)
                try visit.browser.press("e")
                try visit.browser.await("the panel", Self.isOpen)
                for list in ["none", "portrait,light", "background=#204060"] {
                    effects.set(list)
                    let isOn = list == "none" ? "off" : "on"
                    try visit.browser.await("it", "document.getElementById('effects').ariaLabel === 'Effects: \(isOn)'")
                    let problems = try visit.browser.accessibilityProblems()
                    #expect(problems.isEmpty, "\(list): \(problems)")
                }
            }
        }
    }
}
