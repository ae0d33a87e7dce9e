// SPDX-License-Identifier: MIT
// What is on a viewer's screen is the frame that the page names.

import LivecapFrames
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct TapTests {
        @Test func theCanvasShowsTheFrameThatThePageNames() throws {
            let server = try ServedProgram()
            var numbers = try FrameNumbers(server)
            let visit = try PageVisit(server, delay: .milliseconds(100))
            var seen: Set<String> = []
            for _ in 0..<40 {
                let shown = try visit.shown()
                try numbers.learn()
                let named = try #require(numbers[shown.id], "\(shown.id) is unknown")
                #expect(shown.number == named)
                seen.insert(shown.id)
            }
            #expect(seen.count > 5)
        }
    }
}
