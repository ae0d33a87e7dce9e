// SPDX-License-Identifier: MIT
// The browser does what the gear tells it to, on a page of the test's own.

import Foundation
import LivecapFrames
import LivecapPatience
import LivecapWebGear
import Testing

@Suite(.serialized, .enabled(if: WebRun.hasBrowser, Comment(rawValue: WebRun.noBrowser)))
struct BrowserTests {
    private static let page = """
        <!DOCTYPE html><html lang="en"><head><title>Gear</title>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-a'; style-src 'nonce-a'">
        <style nonce="a">
            body { margin: 0; background: rgb(255, 255, 255) }
            @media (prefers-color-scheme: dark) { body { background: rgb(0, 0, 0); color: white } }
        </style></head><body><main><h1>Gear</h1>
        <button aria-label="Take a photo">Shutter</button> <label>Name <input></label>
        <canvas width="64" height="64"></canvas></main>
        <script nonce="a">
            window.seen = [];
            const note = event => seen.push([event.type, event.pointerType ?? event.key ?? ''].join(' ').trim());
            for (const type of ['click', 'keydown', 'pointerdown', 'wheel']) document.addEventListener(type, note);
        </script></body></html>
        """

    private let driver: ChromeDriver
    private let browser: Browser

    init() throws {
        driver = try ChromeDriver(log: WebRun.path("chromedriver-gear.log"))
        browser = try Browser(driver)
        try browser.open(Self.url(Self.page))
    }

    private static func url(_ page: String) -> String {
        "data:text/html;base64," + Data(page.utf8).base64EncodedString()
    }

    private func seen() throws -> [String] {
        try browser.run("return window.seen.splice(0)").elements.compactMap(\.string)
    }

    @Test func elementsAreFoundAndClicked() throws {
        #expect(try browser.title == "Gear")
        let button = try browser.find("button")
        try button.click()
        #expect(try seen().contains("click mouse"))
        #expect(try (button.text, button.role, button.label) == ("Shutter", "button", "Take a photo"))
        #expect(try button.isDisplayed && button.isEnabled && button.attribute("aria-label") == "Take a photo")
        let place = try button.place
        try browser.tap(.touch, x: place.x + place.width / 2, y: place.y + place.height / 2)
        #expect(try seen().contains("pointerdown touch"))
        try browser.scroll(x: 10, y: 10, byY: 100)
        // The compositor passes it on to the page a moment later.
        try eventually("the wheel") { try seen().contains("wheel") }
        #expect(try browser.findAll("nothing").isEmpty)
        #expect(try browser.takeErrors().isEmpty)
    }

    @Test func keysArePressed() throws {
        let field = try browser.find("input")
        try field.click()
        try browser.type("ab")
        try browser.press(.backspace)
        #expect(try field.property("value").string == "a")
        #expect(try browser.focused().role == "textbox")
        try field.clear()
        try field.type("xyz")
        #expect(try field.property("value").string == "xyz")
        _ = try seen()
        try browser.press(.escape)
        try browser.press("k", holding: [.control])
        #expect(try seen() == ["keydown Escape", "keydown Control", "keydown k"])
    }

    @Test func scriptsReturnValues() throws {
        #expect(try browser.run("return [1, 'ä', null, arguments[0]]", true).text == "[1,\"ä\",null,true]")
        #expect(try browser.run("return await Promise.resolve(5)").integer == 5)
        #expect(try browser.runWithCallback("arguments[1](arguments[0] + 1)", 1).integer == 2)
        try browser.run("setTimeout(() => { window.later = 'now' }, 50)")
        #expect(try browser.await("a timer", "window.later").string == "now")
        #expect(throws: WireError.timedOut("nothing")) { try browser.await("nothing", "false", within: .zero) }
        #expect {
            try browser.run("throw new Error('why')")
        } throws: { error in
            if case WireError.refused("execute/sync", "javascript error", let words) = error {
                return words.contains("why")
            }
            return false
        }
    }

    @Test func preferencesAreEmulated() throws {
        func background() throws -> String? {
            try browser.run("return getComputedStyle(document.body).backgroundColor").string
        }
        #expect(try background() == "rgb(255, 255, 255)")
        try browser.emulate(isDark: true, hasReducedMotion: true)
        #expect(try background() == "rgb(0, 0, 0)")
        #expect(try browser.run("return matchMedia('(prefers-reduced-motion: reduce)').matches").bool == true)
        // They hold for the next page, too.
        try browser.reload()
        #expect(try background() == "rgb(0, 0, 0)")
        try browser.resize(to: FrameSize(width: 390, height: 844), scale: 3, isMobile: true)
        #expect(
            try browser.run("return [screen.width, devicePixelRatio, navigator.maxTouchPoints > 0]").text
                == "[390,3,true]")
    }

    @Test func screenshotsAreKept() throws {
        let path = WebRun.path("gear.png")
        let picture = try browser.screenshot(to: path)
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(picture))
    }

    @Test func errorsOfThePageAreSeen() throws {
        _ = try browser.takeConsole()
        try browser.run("setTimeout(() => { console.log('hello'); nothing.there() }, 0)")
        var lines: [ConsoleLine] = []
        try eventually("an error") {
            lines += try browser.takeConsole()
            return lines.contains { $0.level == "SEVERE" && $0.message.contains("nothing is not defined") }
        }
        #expect(lines.contains { $0.level == "INFO" && $0.message.contains("hello") })
        #expect(try browser.takeErrors().isEmpty)
        // What the policy refuses is an error.
        try browser.run("document.body.insertAdjacentHTML('beforeend', '<img src=\"http://127.0.0.1:1/x.png\">')")
        try eventually("a refusal") { try browser.takeErrors().contains { $0.message.contains("Content Security") } }
    }

    @Test func aCanvasIsRead() throws {
        #expect(try browser.canvasMark() == nil)
        #expect(try browser.canvasPicture().starts(with: [0xFF, 0xD8]))
    }

    @Test func twoBrowsersDoNotShareAProfile() throws {
        let other = try Browser(driver)
        try other.open(Self.url(Self.page))
        try other.find("button").click()
        #expect(try seen().isEmpty)
        other.close()
        #expect(try browser.title == "Gear")
    }

    @Test(.enabled(if: AxeScript.path != nil, Comment(rawValue: WebRun.noAxe)))
    func accessibilityIsChecked() throws {
        #expect(try browser.accessibilityProblems().filter(\.isSerious).isEmpty)
        try browser.run("document.querySelector('button').removeAttribute('aria-label')")
        try browser.run("document.querySelector('button').textContent = ''")
        let problems = try browser.accessibilityProblems()
        #expect(problems.contains { $0.rule == "button-name" && $0.isSerious && $0.places == ["button"] })
    }
}
