// SPDX-License-Identifier: MIT
// A movie is recorded, listed, played and deleted in the page.

import Foundation
import LivecapIntents
import LivecapPatience
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct MovieTests {
        private let server: ServedProgram
        private let visit: PageVisit
        private let folder: TemporaryFolder
        private var browser: Browser { visit.browser }

        init() throws {
            folder = try TemporaryFolder()
            var settings = ServedProgram.Settings()
            settings.arguments += ["--movies", folder.path("movies")]
            server = try ServedProgram(settings)
            visit = try PageVisit(server)
        }

        private func names() throws -> [String] {
            try server.json("/movies")["movies"]?.elements.compactMap { $0["name"]?.string } ?? []
        }

        @Test func itIsRecordedPlayedAndDeletedOnceThatIsConfirmed() throws {
            try browser.press("r")
            try browser.await("its time", "/[1-9]$/.test(document.querySelector('#recording time').textContent)")
            try browser.press("r")
            try eventually("the movie") { try server.json("/movies")["state"]?.string == "idle" }
            let name = try #require(names().first)
            try browser.press("p")
            try browser.find("#shots .segments button", called: "Movies").click()
            try browser.await("its row", "document.querySelector('#movies button')")
            let row = try browser.find("#movies button")
            let text = try row.text
            #expect(text.contains(name) && (text.contains("kB") || text.contains("MB")), "\(text)")
            #expect(try !browser.find("#select").isDisplayed)
            try browser.await("its first picture", "document.querySelector('#movies .poster canvas')")
            #expect(try browser.find("#movies .poster b").text.contains(/^0:0\d$/))
            try row.click()
            try browser.await("its beginning", "document.querySelector('.frame video')?.readyState >= 2")
            try browser.find("#viewer footer button", called: "Delete").click()
            #expect(try browser.find("#viewer .ask span").text == "Delete this movie for good?")
            try browser.find("#viewer .ask button", called: "Keep").click()
            #expect(try browser.focused().text == "Delete" && names() == [name])
            try browser.find("#viewer footer button", called: "Delete").click()
            try browser.find("#viewer .ask button.danger").click()
            try browser.await("no row", "!document.querySelector('#movies button')")
            try browser.await("the list", "!document.getElementById('viewer').open")
            #expect(try names().isEmpty && browser.find("#empty").text == "Movies you record appear here.")
            try eventually("the focus of the way out") { try browser.focused().label == "Back to the camera" }
        }

        @Test func oneThatAnotherPageDeletesIsShownNoMore() throws {
            let path = folder.path("movies/livecap-0007.mkv")
            try Data("movie".utf8).write(to: URL(filePath: path))
            try browser.reload()
            try visit.waitForPicture()
            try browser.press("p")
            try browser.find("#shots .segments button", called: "Movies").click()
            try browser.await("its row", "document.querySelector('#movies button')")
            try browser.find("#movies button").click()
            try browser.await("the viewer", "document.getElementById('viewer').open")
            try browser.run(
                """
                const { proof } = await (await fetch('/status')).json();
                await fetch('/movies/livecap-0007.mkv', { method: 'DELETE', headers: { 'Livecap-Proof': proof } });
                """)
            try browser.await("the list", "!document.getElementById('viewer').open")
            try browser.await("no row", "!document.querySelector('#movies button')")
        }
    }
}
