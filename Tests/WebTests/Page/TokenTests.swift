// SPDX-License-Identifier: MIT
// Without the token a visitor sees how to get in, and with it the camera.

import Foundation
import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct TokenTests {
        private let folder: TemporaryFolder
        private let server: ServedProgram
        private let visit: PageVisit
        private var browser: Browser { visit.browser }

        init() throws {
            folder = try TemporaryFolder()
            var settings = ServedProgram.Settings()
            settings.arguments += ["--token-file", folder.path("token")]
            server = try ServedProgram(settings)
            visit = try PageVisit(server, waitsForPicture: false)
        }

        private func enter(_ token: String) throws {
            try browser.run("document.getElementById('token').value = arguments[0]", .string(token))
            try browser.find(".letter button").click()
        }

        @Test func theTokenCanBeEntered() throws {
            #expect(try browser.find("h1").text == "This camera needs its token")
            #expect(try !browser.find("#token").label.isEmpty)
            #expect(try !browser.find("[role=alert]").isDisplayed)
            try enter("00000000000000000000000000000000")
            try browser.await("what was wrong", "document.querySelector('[role=alert]')?.checkVisibility()")
            #expect(try !browser.run("return location.href").string!.contains("000"))
            let token = folder.text("token").trimmingCharacters(in: .whitespacesAndNewlines)
            try #require(!token.isEmpty)
            // The whole link, with a space on either side.
            try enter(" \(server.url)?token=\(token) ")
            try browser.await("the page", "window.livecap")
            try visit.waitForPicture()
            // The token is not left in the address bar.
            #expect(try browser.run("return location.href").string == "\(server.url)")
        }
    }
}
