// SPDX-License-Identifier: MIT
// A moment that is held grows older, is about to leave memory, and leaves: nothing is taken that was not meant.

import LivecapIntents
import LivecapPatience
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct HeldMomentTests {
        /// Without time to hold moments, they leave as soon as the history has passed them.
        private static func server(ring seconds: Int, hold: String = "1ms") throws -> ServedProgram {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--ring", "\(seconds)", "--hold", hold]
            return try ServedProgram(settings)
        }

        private static let isHeld = "document.getElementById('moment').classList.contains('held')"

        @Test func aPressAtTheMomentOfTheSwitchTakesNothing() throws {
            let server = try Self.server(ring: 4)
            let visit = try PageVisit(server)
            let browser = visit.browser
            // Pressed in the same task of the page in which the view becomes live.
            try browser.run(
                """
                const moment = document.getElementById('moment');
                const press = type => document.body.dispatchEvent(new KeyboardEvent(type, { key: ' ', bubbles: true }));
                new MutationObserver(() => {
                    if (moment.classList.contains('held')) window.wasHeld = true;
                    else if (window.wasHeld) { press('keydown'); press('keyup'); window.wasHeld = false; }
                }).observe(moment, { attributes: true, attributeFilter: ['class'] });
                """)
            try browser.press(.pageDown)
            try visit.awaitWords("words", "about to leave memory")
            try visit.awaitWords("words", "Not taken")
            #expect(try browser.run("return livecap.shots.length").integer == 0)
            // Soon after that, the shutter answers again.
            try browser.await("the shutter", "!document.getElementById('shutter').classList.contains('guarded')")
            try browser.press(.space)
            try browser.await("a photo of now", "livecap.shots.length === 1 && livecap.shots[0].photo")
        }

        @Test func aLostConnectionIsSaidWhileAMomentIsHeld() throws {
            let server = try Self.server(ring: 4)
            let visit = try PageVisit(server, delay: .milliseconds(20))
            let network = try #require(visit.network)
            try visit.browser.press(.pageDown)
            try visit.awaitWords("words", "about to leave memory")
            network.isRefusing = true
            try network.breakAll()
            try visit.awaitWords("words", "Connection lost")
        }

        @Test func aBurstEndsWithItsMoment() throws {
            let server = try Self.server(ring: 4)
            let visit = try PageVisit(server)
            let browser = visit.browser
            try browser.press(.pageDown)
            try browser.await("a moment", Self.isHeld)
            try browser.run(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }))")
            try browser.await("live frames", "!(\(Self.isHeld))")
            try browser.await("the shutter", "!document.getElementById('shutter').classList.contains('guarded')")
            #expect(try browser.run("return livecap.shots.length").integer == 1)
        }

        @Test func aHeldMomentIsTakenAfterTheHistoryHasPassedIt() throws {
            // Long enough for a moment to be held before it leaves, on a busy machine, too.
            let server = try Self.server(ring: 12, hold: "10min")
            let visit = try PageVisit(server)
            let browser = visit.browser
            try visit.noteTaps()
            #expect(try visit.words("rail").contains(/^−\d+ s ?now$/))
            // So that there are frames before the moment.
            try eventually("a history") { try server.json("/ring")["frames"]?.elements.count ?? 0 > 90 }
            try browser.press(.pageDown)
            let (id, number) = try visit.held()
            try #require(number > 0)
            try eventually("a history without it") {
                try server.json("/ring")["frames"]?.elements.allSatisfy { $0["id"]?.string != id } ?? false
            }
            #expect(try browser.run("return \(Self.isHeld)").bool == true)
            // The frames around it can still be stepped to.
            try browser.press(.left)
            #expect(try visit.held().number == number - 1)
            try browser.press(.right)
            try browser.await("it again", "livecap.painted === '\(id)'")
            try visit.tap()
            let tap = try #require(try visit.takeTaps().first)
            #expect((tap.painted, tap.onScreen) == (id, number))
            #expect(tap.photo != nil, "\(tap.problem)")
            try browser.press("l")
            try browser.await("live frames", "!(\(Self.isHeld))")
        }

        @Test func theRailSaysHowOldItIs() throws {
            let server = try Self.server(ring: 10)
            let visit = try PageVisit(server)
            let browser = visit.browser
            try browser.press(.left)
            try browser.await("a moment", Self.isHeld)
            let first = try #require(try browser.find("#rail").attribute("aria-valuetext"))
            try browser.await(
                "another text",
                "document.getElementById('rail').ariaValueText !== arguments[0]".replacing(
                    "arguments[0]", with: JSON.string(first).text))
            #expect(try browser.run("return \(Self.isHeld)").bool == true)
        }

        /// A timer counts to a moment to come; one that is held is taken at once.
        @Test func theTimerDoesNotHoldUpThePast() throws {
            let server = try Self.server(ring: 10)
            let visit = try PageVisit(server)
            let browser = visit.browser
            try browser.press("t")
            try browser.press(.left)
            try browser.await("a moment", Self.isHeld)
            try browser.press(.space)
            #expect(try browser.run("return livecap.shots.length").integer == 1)
            #expect(try visit.words("countdown") == "")
        }
    }
}
