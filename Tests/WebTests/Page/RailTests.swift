// SPDX-License-Identifier: MIT
// The line of time: the visitor slides back to a moment, sees its frame, and takes its photo.

import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct RailTests {
        private let server: ServedProgram
        private let visit: PageVisit
        private var browser: Browser { visit.browser }

        init() throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--quality", "single", "--ring", "10"]
            server = try ServedProgram(settings)
            visit = try PageVisit(server)
            try visit.noteTaps()
            // A history to go back in.
            try eventually("a history") { try server.json("/ring")["frames"]?.elements.count ?? 0 > 60 }
        }

        private func point(at share: Double) throws -> PointerStep {
            let place = try browser.find("#rail").place
            return .move(x: place.x + place.width * share, y: place.y + place.height / 2)
        }

        @Test func aPointHoldsItsMomentAndTheShutterTakesIt() throws {
            try browser.point(.mouse, [point(at: 0.5), .down, .up])
            let (id, number) = try visit.held()
            var numbers = try FrameNumbers(server)
            #expect(numbers[id] == number)
            // Frames still come, and none of them is shown.
            let newest = try #require(try server.json("/ring")["newest"]?["id"]?.string)
            try numbers.learn()
            #expect(try #require(numbers[newest]) > number + 15)
            #expect(try visit.words("moment").contains(" s ago"))
            try visit.tap()
            let tap = try #require(try visit.takeTaps().first)
            #expect((tap.painted, tap.onScreen) == (id, number))
            let photo = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
            #expect(try server.mark("/photos/\(photo)/image") == number)
        }

        @Test func keysGoFrameByFrame() throws {
            try browser.run("performance.clearResourceTimings()")
            try browser.press(.left)
            var last = try visit.held()
            // The stream may have skipped frames. While a moment is held, the page requests the whole list repeatedly.
            try browser.await(
                "all frames",
                "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/ring')).length > 1")
            let steps: [(Key, [Key], Int)] = [
                (.left, [], -1), (.left, [], -1), (.right, [], 1), (.left, [.shift], -10), (.pageDown, [], -10),
                (.pageUp, [], 10), (.down, [], -1), (.up, [], 1),
            ]
            for (key, modifiers, count) in steps {
                try browser.press(key, holding: modifiers)
                let next = try visit.held()
                #expect(Int(next.number) - Int(last.number) == count, "\(key)")
                last = next
            }
            try browser.press(.home)
            #expect(try visit.held().number < last.number)
            try browser.press(.end)
            try browser.await("live frames", "!document.getElementById('moment').classList.contains('held')")
        }

        @Test func theRailSaysWhereItIs() throws {
            let rail = try browser.find("#rail")
            #expect(try (rail.role, rail.label) == ("slider", "Moment"))
            #expect(try rail.attribute("aria-valuetext") == "Live")
            try browser.run("arguments[0].focus()", rail.json)
            try browser.press(.pageDown)
            _ = try visit.held()
            let text = try #require(try rail.attribute("aria-valuetext"))
            #expect(text.contains(/^\d+(\.\d+)? s ago$/))
            let now = try #require(try rail.attribute("aria-valuenow").flatMap { Double($0) })
            let oldest = try #require(try rail.attribute("aria-valuemin").flatMap { Double($0) })
            #expect(oldest < now && now < 0)
            try browser.press(.escape)
            try browser.await("live frames", "document.getElementById('rail').ariaValueText === 'Live'")
        }
    }

    @Suite struct ShortHistoryTests {
        @Test func aMomentThatLeavesMemoryIsSaidAndTheViewIsLiveAgain() throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--ring", "2", "--hold", "1ms"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server)
            try visit.browser.press(.home)
            try visit.awaitWords("words", "left memory")
            try visit.browser.await("live", "!document.getElementById('moment').classList.contains('held')")
        }
    }
}
