// SPDX-License-Identifier: MIT
// One photo at full size: what it is made of, its neighbours in time, its files, and its removal.

import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct PhotoViewerTests {
        private let server: ServedProgram
        private let visit: PageVisit
        private var numbers: FrameNumbers
        private var browser: Browser { visit.browser }

        init() throws {
            var settings = ServedProgram.Settings()
            settings.scene = "object:noise=none"
            settings.arguments += ["--quality", "balanced"]
            server = try ServedProgram(settings)
            visit = try PageVisit(server)
            try visit.noteTaps()
            numbers = try FrameNumbers(server)
        }

        /// Takes photos, and opens the newest.
        private mutating func open(_ count: Int = 1) throws -> [Tap] {
            try visit.tap(pausing: [Duration](repeating: .milliseconds(300), count: count))
            let taps = try visit.takeTaps()
            try numbers.learn()
            try #require(taps.count == count && taps.allSatisfy { $0.photo != nil })
            try browser.await("a picture", "document.querySelector('#list li:first-child img')?.naturalWidth")
            try browser.find("#list button").click()
            try awaitPhoto(try #require(taps.last?.photo?["id"]?.integer))
            return taps
        }

        /// Waits until the viewer shows a photo's picture.
        private func awaitPhoto(_ id: Int64) throws {
            try browser.await(
                "photo \(id)",
                """
                document.getElementById('viewer').open && (image => image?.naturalWidth
                    && image.getAttribute('src').startsWith('/photos/\(id)/'))(document.querySelector('.frame > img'))
                """)
        }

        private func press(_ name: String) throws { try browser.find("#viewer button", called: name).click() }

        private func text(_ selector: String) throws -> String { try browser.find("#viewer \(selector)").text }

        @Test mutating func itsFactsAreSaid() throws {
            let tap = try #require(open().first)
            let facts = try text(".facts")
            #expect(facts.contains("the frame you saw") && facts.lowercased().contains("balanced"), "\(facts)")
            #expect(facts.contains("640 × 360") && facts.contains("JPEG"), "\(facts)")
            let used = try #require(tap.photo?["framesUsed"]?.integer)
            #expect(used > 1 && facts.contains("\(used) frames"), "\(facts)")
            #expect(try !browser.find("#viewer .story").isDisplayed)
            let place = try browser.find(".frame > img").place
            try press("How it was made")
            try browser.await("the story", "document.querySelector('#viewer .story').checkVisibility()")
            try browser.await("its words", "document.querySelector('#viewer .story').textContent")
            #expect(try text(".story").contains("Made of \(used) frames"))
            // Names of frames are for programs.
            #expect(try !text(".story").contains(/\d:\d/))
            #expect(try browser.find(".frame > img").place == place)
            try press("How it was made")
            #expect(try !browser.find("#viewer .story").isDisplayed)
        }

        @Test mutating func theFrameBeforeAndTheOneAfterMakePhotos() throws {
            let tap = try #require(open().first)
            let id = try #require(tap.photo?["id"]?.integer)
            let counter = try #require(FrameID(tap.painted)?.counter)
            for (number, (name, step)) in [("Earlier", -1), ("Later", 1)].enumerated() {
                try press(name)
                let new = id + Int64(number) + 1
                try awaitPhoto(new)
                let frame = try #require(server.json("/photos/\(new)")["frame"]?.string)
                #expect(Int(try #require(FrameID(frame)).counter) == Int(counter) + step)
                #expect(try server.mark("/photos/\(new)/image") == numbers[frame])
                // The list has it, too, in its place in time, and from there back.
                try browser.await("its tile", "document.querySelectorAll('#list button').length === \(number + 2)")
                try browser.press(number == 0 ? .left : .right)
                try awaitPhoto(id)
            }
        }

        @Test mutating func theSingleFrameIsComparedWithIt() throws {
            let tap = try #require(open().first)
            try press("Compare")
            try browser.await("both", "document.querySelector('.curtain canvas')?.width")
            #expect(try browser.find("#viewer button", called: "Compare").attribute("aria-pressed") == "true")
            // Both show the same frame, in the same place and size.
            let single = try browser.run(
                "return document.querySelector('.curtain canvas').toDataURL('image/jpeg', 0.95)")
            #expect(try Tap.number(single) == tap.onScreen)
            let (left, right) = (try browser.find(".curtain canvas").place, try browser.find(".curtain img").place)
            #expect(left == right && left.width > 300)
            let slider = try browser.find(".curtain input")
            #expect(try slider.role == "slider" && !slider.label.isEmpty)
            func cut() throws -> String? {
                try browser.run("return getComputedStyle(document.querySelector('.curtain canvas')).clipPath").string
            }
            let before = try cut()
            try browser.run("arguments[0].focus()", slider.json)
            for _ in 0..<10 { try browser.press(.right) }
            #expect(try cut() != before)
            try browser.tap(x: left.x + left.width * 0.2, y: left.y + left.height / 2)
            #expect(try slider.property("value").string.flatMap { Double($0) } ?? 50 < 30)
            try press("Compare")
            try awaitPhoto(try #require(tap.photo?["id"]?.integer))
        }

        @Test mutating func anOverlayExplainsIt() throws {
            let tap = try #require(open().first)
            try press("Explain")
            let shown = try browser.await(
                "the overlay",
                "(image => image?.src.startsWith('blob:') && [image.naturalWidth, image.naturalHeight])"
                    + "(document.querySelector('.explained > img'))")
            // Below the overlay it says what its colours mean.
            let (width, height) = (shown.elements.first?.integer, shown.elements.last?.integer ?? 0)
            #expect(width == 640 && height >= 360)
            #expect(try browser.find("#viewer button", called: "Explain").attribute("aria-pressed") == "true")
            #expect(try !(browser.find(".explained > img").attribute("alt") ?? "").isEmpty)
            #expect(try text(".legend").contains("agree"))
            try press("Explain")
            try awaitPhoto(try #require(tap.photo?["id"]?.integer))
        }

        @Test mutating func itIsSavedInEveryFormat() throws {
            _ = try open()
            let formats = try server.json("/status")["formats"]?.elements.compactMap(\.string) ?? []
            #expect(formats.contains("jpeg") && formats.contains("png"))
            try press("Save")
            #expect(try browser.focused().text == formats.first?.uppercased())
            for format in formats {
                let link = try browser.find("#viewer a[download]", called: format.uppercased())
                #expect(try link.isDisplayed)
                #expect(try link.attribute("download")?.hasSuffix(format == "jpeg" ? ".jpg" : ".\(format)") == true)
                let answer = try server.get(try #require(try link.attribute("href")))
                #expect(answer.status == 200 && answer["Content-Type"] == "image/\(format)", "\(format)")
                #expect(answer["Content-Disposition"]?.hasPrefix("attachment; filename=") == true)
                #expect(answer.body.count > 1000 && answer.body.isPicture(format), "\(format)")
            }
        }

        @Test mutating func itIsDeletedAndCanBeHadBack() throws {
            let ids = try open(2).compactMap { $0.photo?["id"]?.integer }
            try press("Delete")
            try eventually("its removal") { try server.get("/photos/\(ids[1])").status == 404 }
            try browser.find("#undo button").click()
            try eventually("it again") { try server.get("/photos/\(ids[1])").status == 200 }
            try browser.await("its tile", "document.querySelectorAll('#list button').length === 2")
            try browser.press(.left)
            try awaitPhoto(ids[1])
            for (id, next) in [(ids[1], ids[0] as Int64?), (ids[0], nil)] {
                try press("Delete")
                try eventually("its removal") { try server.get("/photos/\(id)").status == 404 }
                if let next { try awaitPhoto(next) }
            }
            try browser.await("the camera", "!document.getElementById('viewer').open")
            try browser.await("no tile", "!document.querySelector('#list button')")
            #expect(try browser.find("#empty").isDisplayed)
            try eventually("the focus of the shutter") { try visit.focus()?.name == "shutter" }
        }

        @Test mutating func neighboursAreOneKeyAwayAndEscapeGoesBack() throws {
            let ids = try open(3).compactMap { $0.photo?["id"]?.integer }
            #expect(try !browser.find("#viewer button", called: "Newer photo").isEnabled)
            try browser.press(.right)
            try awaitPhoto(ids[1])
            try press("Older photo")
            try awaitPhoto(ids[0])
            #expect(try !browser.find("#viewer button", called: "Older photo").isEnabled)
            try browser.press(.left)
            try awaitPhoto(ids[1])
            try browser.press(.escape)
            try browser.await("the camera", "!document.getElementById('viewer').open")
            try eventually("the focus of the shutter") { try visit.focus()?.name == "shutter" }
        }
    }
}

extension [UInt8] {
    /// Whether these are the first bytes of a file of that format.
    fileprivate func isPicture(_ format: String) -> Bool {
        switch format {
        case "jpeg": starts(with: [0xFF, 0xD8, 0xFF])
        case "png": starts(with: [0x89, 0x50, 0x4E, 0x47])
        case "heic": dropFirst(4).starts(with: Array("ftyp".utf8))
        default: false
        }
    }
}
