// SPDX-License-Identifier: MIT
// A visitor without a pointer: everything is reached and used with the keyboard, and the focus is always in sight.

import LivecapIntents
import LivecapPatience
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct KeyboardTests {
        private let server: ServedProgram
        private let visit: PageVisit
        private var browser: Browser { visit.browser }

        init() throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--quality", "single", "--ring", "8"]
            server = try ServedProgram(settings)
            visit = try PageVisit(server)
            try visit.noteTaps()
        }

        private func takePhoto() throws -> Int64 {
            try browser.press(.space)
            return try #require(visit.takeTaps().first?.photo?["id"]?.integer)
        }

        private func awaitViewer(isOpen: Bool) throws {
            // A dialogue is closed a moment before the page hears of it, and passes the focus on.
            try browser.await(
                "the viewer",
                """
                (({ open }, frame) => open === \(isOpen) && (open || !frame.firstChild))(
                    document.getElementById('viewer'), document.querySelector('#viewer .frame'))
                """)
        }

        @Test func tabReachesEverythingInSight() throws {
            _ = try takePhoto()
            try browser.await("a tile", "document.querySelector('#list button')")
            // Round once: what is passed until the rail has the focus for the second time.
            try visit.tab(to: "rail")
            let passed = try visit.tab(to: "rail")
            let names = passed.map(\.name)
            for name in ["options", "timer", "shutter", "photos"] { #expect(names.contains(name), "\(names)") }
            #expect(names.contains { $0.hasPrefix("Photo 1, ") }, "\(names)")
            #expect(passed.hidden.isEmpty)
            // The way back is the same.
            let back = try visit.tab(to: "rail", holding: [.shift])
            #expect(back.map(\.name) == names.dropLast().reversed() + ["rail"])
        }

        @Test func theShutterIsPressedWithSpaceAndEnter() throws {
            try visit.tab(to: "shutter")
            for key in [Key.space, .enter] {
                try browser.press(key)
                let taps = try visit.browser.run("return livecap.shots.length").integer
                #expect(taps == (key == .space ? 1 : 2))
            }
            try browser.await("both photos", "document.querySelectorAll('#list button').length === 2")
            #expect(try visit.focus() == Focus(name: "shutter", isVisible: true))
        }

        @Test func aMomentIsChosenAndTaken() throws {
            try visit.tab(to: "rail")
            try browser.press(.pageDown)
            let held = try visit.held()
            let photo = try takePhoto()
            #expect(try server.mark("/photos/\(photo)/image") == held.number)
            #expect(try visit.focus() == Focus(name: "rail", isVisible: true))
            // Back to the present with the button that says so.
            try visit.tab(to: "moment")
            try browser.press(.enter)
            try browser.await("live frames", "!document.getElementById('moment').classList.contains('held')")
            #expect(try visit.focus()?.isVisible == true)
        }

        @Test func optionsAreChosen() throws {
            try visit.tab(to: "options")
            try browser.press(.enter)
            try browser.await("the options", "!document.getElementById('sheet').hidden")
            #expect(try visit.focus()?.isVisible == true)
            let passed = try visit.tab(to: "Single")
            #expect(passed.hidden.isEmpty)
            // The sheet is made anew with each choice.
            for name in ["Fast", "Balanced"] {
                try browser.press(.right)
                #expect(try visit.focus() == Focus(name: name, isVisible: true))
            }
            let kept = try browser.run("return JSON.parse(localStorage.getItem('livecap.options')).quality")
            #expect(kept.string == "balanced")
            let rest = try visit.tab(to: "row-Grid")
            #expect(rest.hidden.isEmpty)
            try browser.press(.space)
            try browser.await("the grid", "document.getElementById('grid').checkVisibility()")
            #expect(try visit.focus() == Focus(name: "row-Grid", isVisible: true))
            try browser.press(.escape)
            try browser.await("the end of the options", "document.getElementById('sheet').hidden")
            #expect(try visit.focus()?.isVisible == true)
        }

        @Test func photosAreSeenAndLeft() throws {
            let ids = [try takePhoto(), try takePhoto()]
            try browser.await("tiles", "document.querySelectorAll('#list button').length === 2")
            try visit.tab(to: "photos")
            try browser.press(.enter)
            #expect(try visit.focus() == Focus(name: "closeshots", isVisible: true))
            let tile = try browser.find("#list button").label
            try visit.tab(to: tile)
            #expect(tile.hasPrefix("Photo \(ids[1]), "))
            try browser.press(.enter)
            try awaitViewer(isOpen: true)
            // The focus stays in the dialogue.
            let close = try #require(try visit.focus())
            #expect(close == Focus(name: "Close", isVisible: true))
            let passed = try visit.tab(to: "Close")
            #expect(passed.hidden.isEmpty)
            let names = passed.map(\.name)
            for name in ["Older photo", "How it was made", "Compare", "Explain", "Earlier", "Later", "Save", "Delete"] {
                #expect(names.contains(name), "\(names)")
            }
            try browser.press(.right)
            try browser.await(
                "the older photo", "document.querySelector('.frame > img')?.src.includes('/photos/\(ids[0])/')")
            try browser.press(.escape)
            try awaitViewer(isOpen: false)
            // Where the visitor is now: at the photo that was seen last.
            #expect(try visit.focus()?.name.hasPrefix("Photo \(ids[0]), ") == true)
            #expect(try visit.focus()?.isVisible == true)
            try browser.press(.escape)
            try browser.await("the camera", "!document.body.classList.contains('photos')")
            #expect(try visit.focus()?.isVisible == true)
        }

        @Test func aDeletedPhotoLeavesTheFocusInThePage() throws {
            _ = try [takePhoto(), takePhoto()]
            try browser.await("tiles", "document.querySelectorAll('#list button').length === 2")
            try visit.tab(to: browser.find("#list button").label)
            try browser.press(.enter)
            try awaitViewer(isOpen: true)
            for left in [1, 0] {
                try visit.tab(to: "Delete")
                try browser.press(.enter)
                try browser.await("its removal", "document.querySelectorAll('#list button').length === \(left)")
                try awaitViewer(isOpen: left > 0)
                try eventually("a focus in sight, with \(left) left") { try visit.focus()?.isVisible == true }
            }
        }
    }
}
