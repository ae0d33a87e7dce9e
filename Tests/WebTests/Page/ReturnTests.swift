// SPDX-License-Identifier: MIT
// Servers that go and come back, and several pages of one server.

import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct ReturnTests {
        private static func settings(port: UInt16 = 0) -> ServedProgram.Settings {
            var settings = ServedProgram.Settings()
            settings.port = port
            settings.arguments += ["--quality", "single"]
            return settings
        }

        @Test(arguments: [true, false]) func aServerThatIsBackIsUsedAgainByItself(isKilled: Bool) throws {
            let first = try ServedProgram(Self.settings())
            let visit = try PageVisit(first)
            try visit.noteTaps()
            try visit.tap()
            let before = try #require(try visit.takeTaps().first?.photo?["id"]?.integer)
            if isKilled { try first.kill() } else { try first.interrupt() }
            try visit.awaitWords("words", "Connection lost")
            #expect(try visit.browser.find("#view").isDisplayed)
            let last = try visit.shown().id
            let second = try ServedProgram(Self.settings(port: first.port), library: first.library)
            try visit.waitForPicture()
            // A tap before that takes another frame than the one on the screen, which no server has any more.
            try visit.browser.await("a frame of the second server", "livecap.painted !== '\(last)'")
            try visit.browser.await("no words", "!/lost/.test(document.getElementById('words').textContent)")
            // The server's proof is another one now, so the page has to ask for it.
            try visit.tap()
            let tap = try #require(try visit.takeTaps().first)
            let photo = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
            #expect(photo > before)
            #expect(try second.mark("/photos/\(photo)/image") == tap.onScreen)
            // The library has both.
            try visit.browser.await("both photos", "document.querySelectorAll('#list li button').length === 2")
        }

        @Test func aHeldMomentOutlivesABrokenConnection() throws {
            var settings = Self.settings()
            settings.arguments += ["--ring", "20"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server, delay: .milliseconds(20))
            try visit.noteTaps()
            try eventually("a history") { try server.json("/ring")["frames"]?.elements.count ?? 0 > 60 }
            try visit.tab(to: "rail")
            try visit.browser.press(.pageDown)
            let held = try visit.held()
            try #require(visit.network).breakAll()
            try visit.browser.await("no frames", "!livecap.connected")
            try visit.browser.await("frames", "livecap.connected")
            try visit.tap()
            let tap = try #require(try visit.takeTaps().first)
            #expect((tap.painted, tap.onScreen) == (held.id, held.number))
            let photo = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
            #expect(try server.mark("/photos/\(photo)/image") == held.number)
        }

        @Test func aTapOnTheLastServersPictureTakesOneOfTheNextServers() throws {
            let first = try ServedProgram(Self.settings())
            let visit = try PageVisit(first)
            try visit.noteTaps()
            // More frames than the next server has at first.
            try visit.browser.await("frames", "Number(livecap.painted.split(':')[1]) > 120")
            // The page goes on showing the last picture.
            try visit.browser.run(
                """
                const ask = fetch;
                window.fetch = (path, options) =>
                    String(path).startsWith('/frames') ? new Promise(() => {}) : ask(path, options);
                """)
            try first.kill()
            try visit.awaitWords("words", "Connection lost")
            let second = try ServedProgram(Self.settings(port: first.port), library: first.library)
            try visit.tap()
            let tap = try #require(try visit.takeTaps().first)
            let photo = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
            // The next server has a frame of that name, too, after a while.
            #expect(try second.mark("/photos/\(photo)/image") != tap.onScreen)
        }

        @Test func aShotWithoutAServerFailsAndIsSaid() throws {
            let server = try ServedProgram(Self.settings())
            let visit = try PageVisit(server)
            try visit.noteTaps()
            try server.kill()
            try visit.awaitWords("words", "Connection lost")
            try visit.tap()
            try visit.awaitWords("words", "cannot be reached")
            // No tile waits for ever.
            try visit.browser.await("no tile", "!document.querySelector('#list .waiting')")
        }

        @Test func aBrokenConnectionIsMadeAgain() throws {
            let server = try ServedProgram(Self.settings())
            let visit = try PageVisit(server, delay: .milliseconds(20))
            let network = try #require(visit.network)
            network.isRefusing = true
            try network.breakAll()
            try visit.awaitWords("words", "Connection lost")
            network.isRefusing = false
            try visit.waitForPicture()
            let shown = try visit.shown()
            try visit.browser.await("newer frames", "livecap.painted !== '\(shown.id)'")
        }

        @Test func aLateStatusDoesNotOverwriteEvents() throws {
            let server = try ServedProgram(Self.settings())
            let visit = try PageVisit(server, delay: .milliseconds(20))
            let network = try #require(visit.network)
            // An outdated state, in a response that arrives after the event that replaced it.
            try visit.browser.run(
                """
                const ask = fetch;
                window.fetch = async (path, options) => {
                    const answer = await ask(path, options);
                    if (path !== '/status') return answer;
                    const status = await answer.json();
                    status.readiness = { state: 'notReadyMomentarily', waitMs: null };
                    setTimeout(() => { window.isAnswered = true; });
                    return new Response(JSON.stringify(status));
                };
                """)
            try network.breakAll()
            try visit.browser.await("the answer", "window.isAnswered")
            try visit.waitForPicture()
        }

        @Test func aShotBeforeEventsAreHeardAgainHasItsPhoto() throws {
            let server = try ServedProgram(Self.settings())
            let visit = try PageVisit(server, delay: .milliseconds(20))
            let network = try #require(visit.network)
            try visit.noteTaps()
            // From now on, no connection for events is ever made.
            try visit.browser.run("window.EventSource = class { addEventListener() {} close() {} }")
            network.isRefusing = true
            try network.breakAll()
            try visit.awaitWords("words", "Connection lost")
            network.isRefusing = false
            try visit.waitForPicture()
            try visit.tap()
            let tap = try #require(try visit.takeTaps().first)
            let photo = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
            #expect(try server.mark("/photos/\(photo)/image") == tap.onScreen)
        }

        @Test func aStalledNetworkIsNoticed() throws {
            let server = try ServedProgram(Self.settings())
            let visit = try PageVisit(server, delay: .milliseconds(20))
            let network = try #require(visit.network)
            network.stall(.toClient)
            // Silence for some seconds is a loss: the server would have sent a heartbeat.
            try visit.browser.await("a loss", "!livecap.connected")
            network.resume(.toClient)
            try visit.waitForPicture()
        }

        @Test func pagesAreInStep() throws {
            let server = try ServedProgram(Self.settings())
            let (one, other) = (try PageVisit(server), try PageVisit(server))
            try one.noteTaps()
            try one.tap()
            let photo = try #require(one.takeTaps().first?.photo?["id"]?.integer)
            let tiles = "document.querySelectorAll('#list li:not(.end)').length"
            try other.browser.await("the other's photo", "\(tiles) === 1")
            try other.browser.find("#list button").click()
            try other.browser.await("the viewer", "document.getElementById('viewer').open")
            let proof = try #require(try server.json("/status")["proof"]?.string)
            let answer = try HTTPConnection.exchange(
                port: server.port,
                HTTPRequest("DELETE", "/photos/\(photo)", fields: [("Livecap-Proof", proof)]))
            #expect(answer.status == 204)
            for visit in [one, other] { try visit.browser.await("its removal", "\(tiles) === 0") }
            try other.browser.await("the end of the viewer", "!document.getElementById('viewer').open")
        }
    }
}
