// SPDX-License-Identifier: MIT
// The browser's way back closes what is open, and leaves the page only then.

import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct BackTests {
        private let server: ServedProgram
        private let visit: PageVisit
        private var browser: Browser { visit.browser }
        private static let isOpen = "document.getElementById('viewer').open"
        private static let isList = "document.body.classList.contains('photos')"

        init() throws {
            server = try ServedProgram()
            visit = try PageVisit(server)
            try visit.noteTaps()
            try visit.tap()
            _ = try visit.takeTaps()
        }

        @Test func goingBackClosesThePhotoAndThenTheList() throws {
            try browser.press("p")
            try browser.await("the list", Self.isList)
            try browser.find("#list button").click()
            try browser.await("the photo", Self.isOpen)
            try browser.find("#viewer button", called: "Save").click()
            try browser.run("history.back()")
            try browser.await(
                "the end of the question", "document.querySelector('#viewer .ask a').offsetParent === null")
            #expect(try browser.run("return \(Self.isOpen)").bool == true)
            try browser.run("history.back()")
            try browser.await("its end", "!\(Self.isOpen)")
            #expect(try browser.run("return \(Self.isList)").bool == true)
            try browser.run("history.back()")
            try browser.await("the end of the list", "!\(Self.isList)")
            #expect(try browser.run("return location.pathname").string == "/")
        }

        @Test func goingBackLeavesTheComparisonBeforeThePhoto() throws {
            let isCompared = "!!document.querySelector('#viewer .curtain')"
            let isExplained = "!document.querySelector('#viewer .story').hidden"
            try browser.find("#list button").click()
            try browser.await("the photo", Self.isOpen)
            try browser.find("#viewer button", called: "Compare").click()
            try browser.await("the comparison", isCompared)
            try browser.find("#viewer button", called: "How it was made").click()
            try browser.await("the text about how it was made", isExplained)
            try goBack(until: "the text is hidden", "!(\(isExplained)) && \(isCompared)")
            try goBack(until: "only the photo is shown", "!(\(isCompared)) && \(Self.isOpen)")
            try goBack(until: "the photo is closed", "!\(Self.isOpen)")
        }

        private func goBack(until what: String, _ condition: String) throws {
            try browser.run("history.back()")
            try browser.await(what, condition)
        }

        @Test func goingBackClosesTheOptions() throws {
            try browser.press("o")
            try browser.await("the options", "!document.getElementById('sheet').hidden")
            try browser.run("history.back()")
            try browser.await("their end", "document.getElementById('sheet').hidden")
            #expect(try browser.run("return location.pathname").string == "/")
        }

        /// What closes and what opens in its place share one step back.
        @Test func photosOpenedOverTheOptionsAreOneStepFromTheCamera() throws {
            try browser.run("history.replaceState('first', '')")
            for isButton in [true, false] {
                try browser.press("o")
                try browser.await("the options", "!document.getElementById('sheet').hidden")
                try browser.run("document.getElementById('photos').click()")
                try browser.await("the list", "\(Self.isList) && document.getElementById('sheet').hidden")
                if isButton { try browser.find("#closeshots").click() } else { try browser.run("history.back()") }
                try browser.await("the camera", "!\(Self.isList) && history.state === 'first'")
            }
        }

        @Test func aKeyThatIsHeldOpensNothingTwice() throws {
            try browser.run("history.replaceState('first', '')")
            for isRepeat in [false, true, true] {
                try browser.run(
                    """
                    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'o', bubbles: true, repeat: arguments[0] }))
                    """, .bool(isRepeat))
            }
            #expect(try !browser.run("return document.getElementById('sheet').hidden").bool!)
            try browser.press(.escape)
            try browser.await("the page's own entry", "history.state === 'first'")
        }

        @Test func closingAPhotoLeavesNothingToGoBackTo() throws {
            try browser.run("history.replaceState('first', '')")
            for _ in 0..<3 {
                try browser.find("#list button").click()
                try browser.await("the photo", Self.isOpen)
                try browser.press(.escape)
                try browser.await("the page's own entry", "!\(Self.isOpen) && history.state === 'first'")
            }
        }
    }
}
