// SPDX-License-Identifier: MIT
// Space takes photos after something else was used, and Escape closes one thing after the other.

import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct FocusTests {
        private let server: ServedProgram
        private let visit: PageVisit
        private var browser: Browser { visit.browser }

        init() throws {
            server = try ServedProgram()
            visit = try PageVisit(server)
        }

        private func shots() throws -> Int64? { try browser.run("return livecap.shots.length").integer }

        private func open(_ selector: String) throws { try browser.find(selector).click() }

        @Test func spaceTakesAPhotoAfterTheOptionsWereUsed() throws {
            try open("#options")
            try open("#sheet .segments label:nth-of-type(2)")
            // The choice that was clicked has no use for it.
            try browser.press(.space)
            #expect(try shots() == 1)
            try open("#sheet header button")
            try browser.press(.space)
            #expect(try shots() == 2)
            try open("#timer")
            #expect(try browser.run("return document.activeElement.id").string == "shutter")
        }

        @Test func aControlThatHasTheFocusKeepsItsKeys() throws {
            try browser.run("document.getElementById('timer').focus()")
            try browser.press(.space)
            #expect(try shots() == 0)
            #expect(try browser.find("#timer").attribute("aria-pressed") == "true")
            #expect(try browser.run("return document.activeElement.id").string == "timer")
        }

        @Test func escapeClosesOnePartOfTheViewerAfterTheOther() throws {
            try browser.press(.space)
            try browser.await("a photo", "livecap.shots[0].photo")
            try open("#list button")
            try browser.await("its picture", "document.querySelector('#viewer .frame img:not(.small)')")
            let tool = { (words: String) in
                "[...document.querySelectorAll('.tool')].find(({ textContent }) => textContent === '\(words)')"
            }
            try browser.run("\(tool("Compare")).click()")
            try browser.await("both pictures", "document.querySelector('.curtain')")
            try browser.run("document.querySelector('.facts button').click(); \(tool("Save")).click()")
            let parts = [
                "document.querySelector('#viewer .ask').hidden", "document.querySelector('.story').hidden",
                "!document.querySelector('.curtain')",
                // Closed, and the page has heard of it.
                "!document.getElementById('viewer').open && !document.querySelector('#viewer .frame').firstChild",
            ]
            for (index, part) in parts.enumerated() {
                #expect(try browser.run("return \(part)").bool == false)
                try browser.press(.escape)
                try browser.await("part \(index) closed", part)
            }
            // It was opened with the mouse.
            try browser.press(.space)
            #expect(try shots() == 2)
        }

        @Test func earlierGoesOnFromThePhotoItMade() throws {
            try browser.press(.space)
            let first = try browser.await("a photo", "livecap.shots[0].photo")
            try open("#list button")
            let count = "document.querySelectorAll('#list button').length"
            for number in 2...3 {
                try browser.run(
                    "[...document.querySelectorAll('.tool')].find(({ textContent }) => textContent === 'Earlier').click()"
                )
                try browser.await("photo \(number)", "\(count) === \(number)")
                try browser.await("its words", "!document.querySelector('#viewer .note').textContent")
            }
            let photos = try browser.run("return (await (await fetch('/photos')).json()).photos").elements
            let counters = photos.compactMap { $0["frame"]?.string?.split(separator: ":").last.flatMap { Int($0) } }
            let last = try #require(counters.max())
            #expect(first["frame"]?.string?.hasSuffix(":\(last)") == true)
            #expect(Set(counters) == [last, last - 1, last - 2])
            let formats = try browser.run("return document.querySelectorAll('.ask a').length").integer
            #expect(formats ?? 0 > 1)
        }
    }
}
