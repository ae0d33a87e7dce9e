// SPDX-License-Identifier: MIT
// Several photos of the list are chosen, saved as one file, or deleted together and had back.

import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct PhotoSelectionTests {
        private let server: ServedProgram
        private let visit: PageVisit
        /// Those that were taken, the newest first.
        private let ids: [Int64]
        private var browser: Browser { visit.browser }

        init() throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--quality", "single"]
            server = try ServedProgram(settings)
            visit = try PageVisit(server)
            try visit.noteTaps()
            try visit.tap(pausing: [Duration](repeating: .milliseconds(200), count: 4))
            ids = try visit.takeTaps().compactMap { $0.photo?["id"]?.integer }.reversed()
            try #require(ids.count == 4)
            try browser.await("four tiles", "document.querySelectorAll('#list button').length === 4")
            try browser.press("p")
            try browser.find("#select").click()
        }

        private func tile(_ place: Int) throws -> Element {
            try browser.find("#list li:nth-child(\(place + 1)) button")
        }

        /// Presses a button below the list.
        private func press(_ name: String) throws {
            let all = try browser.findAll("#chosen button").filter { try $0.isDisplayed && $0.text == name }
            try #require(all.first).click()
        }

        private func words() throws -> String { try browser.find("#chosen span").text }

        private func chosen() throws -> [Bool] {
            try (0..<4).map { try tile($0).attribute("aria-pressed") == "true" }
        }

        private func isList() throws -> Bool {
            try browser.run("return document.body.classList.contains('photos')").bool == true
        }

        @Test func thoseThatAreChosenAreDeletedAndCanBeHadBack() throws {
            #expect(try words() == "Choose photos" && browser.find("#viewer").isDisplayed == false)
            try tile(1).click()
            #expect(try words() == "1 photo chosen")
            for place in [3, 2, 2] { try tile(place).click() }
            #expect(try words() == "2 photos chosen" && chosen() == [false, true, false, true])
            try press("Delete")
            try browser.await("two tiles", "document.querySelectorAll('#list button').length === 2")
            for (id, status) in zip(ids, [200, 404, 200, 404]) {
                #expect(try server.get("/photos/\(id)").status == status)
            }
            try browser.await("the end of the choice", "document.getElementById('chosen').hidden")
            #expect(try isList() && browser.focused().text == "Select" && visit.words("said") == "2 photos deleted")
            #expect(try browser.find("#undo span").text == "2 photos deleted")
            try browser.find("#undo button").click()
            try browser.await("four tiles", "document.querySelectorAll('#list button').length === 4")
            #expect(try ids.allSatisfy { try server.get("/photos/\($0)").status == 200 })
        }

        @Test func thoseThatAreChosenAreSavedAsOneFile() throws {
            for place in [0, 1, 3] { try tile(place).click() }
            let link = try browser.find("#chosen a")
            let answer = try server.get(try #require(try link.attribute("href")))
            #expect(answer.status == 200 && answer["Content-Type"] == "application/zip")
            let sizes = try [0, 1, 3].map { try server.get("/photos/\(ids[$0])/final").body.count }
            #expect(answer.body.count > sizes.reduce(0, +))
        }

        @Test func moreThanOneFileTakesAreNotSaved() throws {
            let shown = try browser.run(
                """
                const { Selection } = await import('/js/selection.js');
                const gallery = {
                    ids: [...Array(1001).keys()].map(id => id + 1), mark() {}, async loadAll() {},
                    members: photo => [photo],
                };
                const selection = new Selection({ gallery, tell() {} });
                selection.toggle(true);
                selection.all.click();
                await new Promise(done => setTimeout(done));
                const shown = [[selection.save.hidden, selection.words.textContent]];
                selection.pick({ id: 7 });
                return [...shown, [selection.save.hidden, selection.words.textContent]];
                """)
            let (tooMany, most) = (shown.elements[0].elements, shown.elements[1].elements)
            #expect(tooMany[0].bool == true && most[0].bool == false)
            #expect(tooMany[1].string == "1001 photos chosen: at most 1000 can be saved at once")
            #expect(most[1].string == "1000 photos chosen")
        }

        @Test func whenAllAreDeletedTheWayOutHasTheFocus() throws {
            try press("All")
            try press("Delete")
            try browser.await("no tile", "!document.querySelector('#list button')")
            try browser.await("the end of the choice", "document.getElementById('chosen').hidden")
            #expect(try browser.focused().label == "Back to the camera")
            #expect(try ids.allSatisfy { try server.get("/photos/\($0)").status == 404 })
        }

        @Test func aServerThatIsGoneEndsTheDeletionWithWords() throws {
            try press("All")
            try server.kill()
            try press("Delete")
            try browser.await("words", "/cannot be reached/.test(document.querySelector('#chosen span').textContent)")
            #expect(try chosen() == [true, true, true, true])
        }

        @Test func aRangeIsChosenWithTheShiftKeyAndAllWithAButton() throws {
            try tile(0).click()
            try browser.run(
                "arguments[0].dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }))", tile(2).json)
            #expect(try chosen() == [true, true, true, false])
            try press("All")
            #expect(try words() == "4 photos chosen" && chosen() == [true, true, true, true])
        }

        @Test func escapeAndTheWayBackLeaveTheChoiceBeforeTheList() throws {
            try tile(0).click()
            try browser.press(.escape)
            #expect(try isList() && !browser.find("#chosen").isDisplayed)
            #expect(try tile(0).attribute("aria-pressed") == nil)
            try browser.find("#select").click()
            try tile(0).click()
            try browser.run("history.back()")
            try browser.await("the end of the choice", "document.getElementById('chosen').hidden")
            #expect(try isList())
            try browser.run("history.back()")
            try browser.await("the camera", "!document.body.classList.contains('photos')")
            #expect(try ids.allSatisfy { try server.get("/photos/\($0)").status == 200 })
        }

        @Test func onesThatAnotherPageDeletesAreChosenNoMore() throws {
            try press("All")
            try browser.run(
                """
                const { proof } = await (await fetch('/status')).json();
                await fetch('/photos/\(ids[0])', { method: 'DELETE', headers: { 'Livecap-Proof': proof } });
                """)
            try browser.await("three tiles", "document.querySelectorAll('#list button').length === 3")
            try browser.await(
                "their number", "document.querySelector('#chosen span').textContent === '3 photos chosen'")
        }
    }
}
