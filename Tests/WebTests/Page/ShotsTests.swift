// SPDX-License-Identifier: MIT
// The strip of photos: a tile for each shot at once, its proxy, its photo.

import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct ShotsTests {
        /// Has the page note everything that the newest tile is: its class, and what it shows.
        private func noteTile(_ browser: Browser) throws {
            try browser.run(
                """
                window.tile = [];
                const list = document.getElementById('list');
                new MutationObserver(() => {
                    const item = list.querySelector('li:not(.end)');
                    const shown = item && [item.className, item.querySelector('img:last-child')?.getAttribute('src') ?? ''];
                    if (shown && String(shown) !== String(tile.at(-1))) tile.push(shown);
                }).observe(list, { subtree: true, childList: true, attributes: true });
                """)
        }

        @Test func aProxyComesAtOnceAndItsPhotoReplacesIt() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server, options: .object([("quality", "quality")]))
            try visit.noteTaps()
            try noteTile(visit.browser)
            try visit.browser.await("frames to merge", "Number(livecap.painted.split(':')[1]) > 15")
            try visit.tap()
            let tap = try #require(visit.takeTaps().first)
            #expect(tap.state == "proxy" && tap.photo?["isProxy"]?.bool == true)
            let id = try #require(tap.photo?["id"]?.integer)
            try visit.browser.await("the photo", "tile.length && tile.at(-1)[0] === '' && tile.at(-1)[1]")
            let tile = try visit.browser.run("return tile").elements.map { $0.elements.compactMap(\.string) }
            // First what was on the screen, then the proxy's thumbnail, then another one in its place.
            #expect(tile.first == ["waiting", ""])
            let proxy = try #require(tile.first { $0.first == "proxy" && $0.last != "" }?.last)
            let final = try #require(tile.last?.last)
            #expect(proxy.hasPrefix("/photos/\(id)/thumbnail") && final.hasPrefix("/photos/\(id)/thumbnail"))
            #expect(proxy != final)
            try visit.browser.await(
                "its picture alone",
                """
                (images => images.length === 1 && images[0].naturalWidth > 0)(
                    document.querySelectorAll('#list li:first-child button > *'))
                """)
            let photo = try server.json("/photos/\(id)")
            #expect(photo["isProxy"]?.bool == false && photo["framesUsed"]?.integer ?? 0 > 8)
            #expect(try server.mark("/photos/\(id)/image") == tap.onScreen)
        }

        @Test func aHeldShutterTakesFramesThatFollow() throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--quality", "single", "--ring", "8"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server)
            try visit.browser.run(
                """
                window.key = name => document.getElementById('shutter').dispatchEvent(
                    new KeyboardEvent(name, { key: ' ', bubbles: true, cancelable: true }));
                key('keydown');
                """)
            let shown = try visit.browser.await(
                "a burst of five",
                "(text => Number(text) >= 5 && text)(document.querySelector('#shutter i').textContent)")
            try visit.browser.run("key('keyup')")
            let count = try #require(visit.browser.run("return livecap.shots.length").integer)
            #expect(count >= Int64(shown.string ?? "") ?? .max)
            try visit.browser.await("their photos", "document.querySelectorAll('#list button').length === \(count)")
            let frames = try visit.browser.run("return livecap.shots.map(({ frame }) => frame)").elements.compactMap(
                \.string)
            #expect(frames.count == count && Set(frames).count == frames.count)
            #expect(try visit.browser.run("return livecap.shots.length").integer == count)
            #expect(try visit.browser.find("#shutter i").text == "" && server.isRunning)
        }

        @Test func photosAreListedNewestFirstAndLaterVisitorsSeeThem() throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--quality", "single"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server)
            #expect(try visit.browser.find("#empty").isDisplayed)
            try visit.noteTaps()
            try visit.tap(pausing: [Duration](repeating: .milliseconds(150), count: 3))
            let ids = try visit.takeTaps().compactMap { $0.photo?["id"]?.integer }
            #expect(ids.count == 3)
            let labels = "[...document.querySelectorAll('#list button')].map(button => button.ariaLabel)"
            for again in [false, true] {
                if again { try visit.browser.reload() }
                let shown = try visit.browser.await("three photos", "\(labels).length === 3 && \(labels)")
                let expected = ids.reversed().map { "Photo \($0), " }
                #expect(zip(shown.elements, expected).allSatisfy { $0.string?.hasPrefix($1) == true }, "\(shown.text)")
            }
            #expect(try !visit.browser.find("#empty").isDisplayed)
        }
    }
}
