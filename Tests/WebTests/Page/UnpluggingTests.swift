// SPDX-License-Identifier: MIT
// A camera that is unplugged, and what the page says and does until there is one again.

import LivecapPatience
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct UnpluggingTests {
        /// Waits for the words over the picture.
        private func awaitVeil(_ title: String, on visit: PageVisit) throws {
            try visit.browser.await("'\(title)'", "document.querySelector('#veil h2').textContent === '\(title)'")
        }

        @Test func anUnpluggedCameraIsSaidAndItsReturnToo() async throws {
            try await withServedCamera { server, port in
                let visit = try PageVisit(server)
                try visit.noteTaps()
                port.camera = nil
                try awaitVeil("Porch is not there", on: visit)
                #expect(try visit.words("veil").contains("unplugged"))
                // It is a live region, and the last picture stays.
                #expect(try visit.browser.find("#veil").role == "status")
                try visit.browser.await("a shutter that is not ready", "livecap.state === 'notRunning'")
                // What is on the screen is still in memory.
                try visit.tap()
                let last = try #require(visit.takeTaps().first)
                let photo = try #require(last.photo?["id"]?.integer, "\(last.problem)")
                #expect(try last.onScreen != nil && server.mark("/photos/\(photo)/image") == last.onScreen)

                port.camera = "Porch"
                try visit.waitForPicture()
                try awaitVeil("", on: visit)
                try visit.browser.await("its frames", "livecap.painted.startsWith('1:')")
                try visit.browser.await("no words", "document.getElementById('words').textContent === ''")
                try visit.tap()
                let tap = try #require(visit.takeTaps().first)
                let next = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
                #expect(try server.mark("/photos/\(next)/image") == tap.onScreen)
            }
        }

        @Test func aPageThatComesMeanwhileSaysItToo() async throws {
            try await withServedCamera { server, port in
                try eventually("a frame") { try server.get("/snapshot").status == 200 }
                port.camera = nil
                let state = { try server.json("/status")["readiness"]?["state"]?.string }
                try eventually("its absence") { try state() == "notRunning" }
                let visit = try PageVisit(server, waitsForPicture: false)
                try awaitVeil("Porch is not there", on: visit)
                port.camera = "Porch"
                try visit.waitForPicture()
                try awaitVeil("", on: visit)
            }
        }

        @Test func anotherCameraInItsPlaceIsNamed() async throws {
            try await withServedCamera { server, port in
                let visit = try PageVisit(server)
                #expect(try visit.browser.title == "Porch – livecap")
                port.camera = "Garden"
                try visit.awaitWords("words", "Now showing Garden")
                try visit.browser.await("its name", "document.title === 'Garden – livecap'")
                try awaitVeil("", on: visit)
            }
        }
    }
}
