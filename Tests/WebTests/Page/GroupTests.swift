// SPDX-License-Identifier: MIT
// Photos that several cameras took at one tap: one stack in the list, side by side in the viewer.

import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct GroupTests {
        private let server: ServedProgram
        private let visit: PageVisit
        private var browser: Browser { visit.browser }
        /// The photos of the group, by camera: Front, Side.
        private let ids: [Int64]

        /// A library with a photo, and after it one of each of two cameras, 12.5 ms apart.
        init() throws {
            server = try ServedProgram()
            visit = try PageVisit(server)
            try visit.noteTaps()
            try visit.tap(pausing: [.milliseconds(200)])
            let photo = try #require(try visit.takeTaps().first?.photo?["id"]?.integer)
            let image = try server.get("/photos/\(photo)/final").body
            let library = try PhotoLibrary(server.library.path("library"))
            let before = try library.photo(PhotoID(number: photo))
            let cameras: [(stream: String, lag: Int64)] = [("Front", -2_500_000), ("Side", 10_000_000)]
            ids = try cameras.map { stream, lag in
                var new = NewPhoto(
                    tap: before.tap, reference: Timestamp(nanoseconds: before.tap.nanoseconds + lag),
                    taken: CalendarTime(utcNanoseconds: before.taken.utcNanoseconds + 1_000_000_000 + lag),
                    format: .jpeg, size: before.size, qualityAsked: .single, qualityGiven: .single,
                    provenance: #"{"lagBoundMs":2.0}"#, thumbnail: image)
                new.group = PhotoGroup(id: "tap-1", stream: stream)
                return try library.addFinished(new, image).id.number
            }
            try browser.reload()
            try visit.waitForPicture()
            try browser.await("two tiles", "\(Self.tiles).length === 2")
        }

        private static let tiles = "document.querySelectorAll('#list li:not([hidden]) button')"

        private func isShown(_ id: Int64) throws -> Bool { try server.get("/photos/\(id)").status == 200 }

        private func open() throws {
            try browser.find("#list li.stack:not([hidden]) button").click()
            try browser.await(
                "two pictures",
                "[...document.querySelectorAll('.beside img')].filter(image => image.naturalWidth).length === 2")
        }

        @Test func theyAreOneTileThatSaysWhoTookThem() throws {
            let tile = try browser.find("#list li.stack:not([hidden])")
            #expect(try tile.attribute("data-count") == "2")
            let label = try browser.find("#list li.stack:not([hidden]) button").label
            #expect(label.hasPrefix("2 photos by Front and Side"), "\(label)")
        }

        @Test func theyAreShownSideBySideAndSayHowFarApartTheyAre() throws {
            try open()
            let names = try browser.findAll(".beside button").map { try $0.label }
            #expect(names.count == 2 && names[0].hasPrefix("Front: photo") && names[1].hasPrefix("Side: photo"))
            let facts = try browser.find("#viewer .facts").text
            #expect(facts.contains("2 cameras") && facts.contains("13 ms apart (within 4.0 ms)"), "\(facts)")
            let places = try browser.findAll(".beside button").map { try $0.place }
            #expect(places[0].x < places[1].x && places[0].y == places[1].y)
            try browser.find("#viewer button", called: "Save").click()
            let links = try browser.findAll("#viewer .ask a").filter { try $0.isDisplayed }
            #expect(try links.map { try $0.text } == ["All", "Front", "Side"])
            let archive = try server.get(try #require(try links[0].attribute("href")))
            #expect(archive.status == 200 && archive["Content-Type"] == "application/zip")
        }

        @Test func onAPhoneTheyAreOneAboveTheOther() throws {
            try browser.resize(to: Screen.phone.size, scale: Screen.phone.scale, isMobile: true)
            try open()
            let places = try browser.findAll(".beside button").map { try $0.place }
            #expect(places[0].y < places[1].y && places[0].x == places[1].x)
        }

        @Test func oneOfThemIsShownAloneAndEscapeLeadsBack() throws {
            try open()
            try browser.find(".beside button:last-child").click()
            try browser.await("one picture", "document.querySelector('.frame > img:not(.small)')?.naturalWidth")
            let facts = try browser.find("#viewer .facts").text
            #expect(facts.hasPrefix("Side · 10 ms after the moment"), "\(facts)")
            #expect(try browser.focused().label == "All cameras")
            try browser.press(.escape)
            try browser.await("two pictures", "document.querySelectorAll('.beside img').length === 2")
            // Keys are still heard: the older photo is of one camera.
            try browser.press(.right)
            try browser.await("the other photo", "document.querySelector('.frame > img:not(.small)')?.naturalWidth")
            #expect(try browser.find("#viewer .facts").text.contains("Side") == false)
        }

        @Test func theyAreDeletedTogetherAndComeBackTogether() throws {
            try open()
            try browser.find("#viewer button", called: "Delete").click()
            try browser.await("one tile", "\(Self.tiles).length === 1")
            #expect(try ids.map(isShown) == [false, false])
            try browser.await(
                "words", "document.querySelector('#undo span')?.textContent === '2 photos deleted'")
            try browser.find("#undo button").click()
            try browser.await("two tiles", "\(Self.tiles).length === 2")
            #expect(try ids.map(isShown) == [true, true])
        }

        @Test func theyAreChosenTogether() throws {
            try browser.press("p")
            try browser.find("#select").click()
            try browser.find("#list li.stack:not([hidden]) button").click()
            #expect(try browser.find("#chosen span").text == "2 photos chosen")
            try browser.find("#list li.stack:not([hidden]) button").click()
            #expect(try browser.find("#chosen span").text == "Choose photos")
        }

        @Test func whatIsLeftOfAStackIsAPhotoLikeOthers() throws {
            try browser.run(
                """
                const { proof } = await (await fetch('/status')).json();
                await fetch('/photos/\(ids[0])', { method: 'DELETE', headers: { 'Livecap-Proof': proof } });
                """)
            try browser.await("no stack", "!document.querySelector('#list .stack')")
            let label = try browser.find("#list li:not([hidden]) button").label
            #expect(label.hasPrefix("Photo \(ids[1]),"), "\(label)")
        }
    }
}
