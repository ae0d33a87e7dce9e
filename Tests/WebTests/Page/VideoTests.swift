// SPDX-License-Identifier: MIT
// The live view in H.264: what is painted is the frame that the page names, over slow lines, too.

import LivecapFrames
import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct VideoTests {
        private static func options(_ members: (String, JSON)...) -> JSON { .object(members) }

        private static let video = options(("video", "h264"))

        private func awaitCodec(_ codec: String, _ visit: PageVisit) throws {
            try visit.browser.await(
                "a live view in \(codec)",
                "livecap.connected && livecap.video.codec === '\(codec)' && livecap.video.bits > 0 && livecap.video"
            )
        }

        @Test func theCanvasShowsTheFrameThatThePageNames() throws {
            let server = try ServedProgram()
            var numbers = try FrameNumbers(server)
            let visit = try PageVisit(server, delay: .milliseconds(60), options: Self.video)
            try awaitCodec("h264", visit)
            var seen: Set<String> = []
            for _ in 0..<40 {
                let shown = try visit.shown()
                try numbers.learn()
                let named = try #require(numbers[shown.id], "\(shown.id) is unknown")
                #expect(shown.number == named)
                seen.insert(shown.id)
            }
            #expect(seen.count > 5)
            let status = try server.json("/status")["video"]
            #expect(status?["h264"]?.string == "ready" && status?["viewers"]?["h264"]?.integer == 1)
        }

        @Test func tapsOverASlowLineAreOfThePaintedFrame() throws {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--quality", "single", "--ring", "8"]
            let server = try ServedProgram(settings)
            let visit = try PageVisit(server, delay: .milliseconds(60), options: Self.video)
            visit.network?.change(.toClient) { $0.bytesPerSecond = 500_000 }
            try awaitCodec("h264", visit)
            try visit.noteTaps()
            var taps: [Tap] = []
            for _ in 0..<10 {
                try visit.tap(pausing: [.milliseconds(40), .milliseconds(90), .milliseconds(10)])
                taps += try visit.takeTaps()
            }
            #expect(taps.count == 30)
            for tap in taps {
                let photo = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
                #expect(try server.mark("/photos/\(photo)/image") == tap.onScreen)
            }
            #expect(try visit.browser.run("return livecap.video.codec").string == "h264")
        }

        /// The JPEGs of this scene need five times the line, so even a busy machine makes more than it carries.
        @Test func aLineThatIsTooSlowForJPEGGetsVideo() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server, delay: .milliseconds(20))
            let bytes = try server.get("/snapshot").body.count
            try #require(bytes > 0)
            // Little on the way, so that it is soon seen.
            visit.network?.change(.toClient) {
                ($0.bytesPerSecond, $0.capacity) = (bytes * 15 / 5, 20_000)
            }
            try awaitCodec("h264", visit)
            let video = try visit.browser.run("return livecap.video")
            #expect(video["why"]?.string == "the line is slower than JPEG needs")
            #expect(video["failure"] == nil)
        }

        @Test func aDecoderThatFailsLeavesJPEG() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server, options: Self.video)
            try awaitCodec("h264", visit)
            try visit.browser.run("VideoDecoder.prototype.decode = () => { throw new Error('no more'); }")
            try awaitCodec("jpeg", visit)
            #expect(try visit.browser.run("return livecap.video.why").string == "No more.")
            let before = try visit.shown().id
            try visit.browser.await("another frame", "livecap.painted !== '\(before)'")
            try visit.browser.await("the choice in words", "document.getElementById('options').click() ?? true")
            try visit.awaitWords("livenote", "Now JPEG .*: No more")
        }

        @Test func aBrowserWithoutADecoderGetsJPEG() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server, options: Self.video)
            let script = JSON.string("delete globalThis.VideoDecoder; delete globalThis.MediaSource")
            try visit.browser.devTools("Page.addScriptToEvaluateOnNewDocument", ("source", script))
            try visit.browser.reload()
            try awaitCodec("jpeg", visit)
            let why = try visit.browser.run("return livecap.video.why").string ?? ""
            #expect(why.hasPrefix("this browser decodes H.264 here only"))
        }

        /// Of a scene that is too much for a data saver as it is.
        @Test(arguments: ["auto", "jpeg"]) func theDataSaverTakesLittle(_ choice: String) throws {
            var settings = ServedProgram.Settings()
            (settings.size, settings.rate) = (FrameSize(width: 1280, height: 720), FrameRate(30))
            settings.scene = "object:noise=none,prerender=30"
            let server = try ServedProgram(settings)
            let visit = try PageVisit(
                server, options: Self.options(("video", .string(choice)), ("saver", true)))
            try awaitCodec(choice == "auto" ? "h264" : "jpeg", visit)
            let video = try visit.browser.run("return livecap.video")
            #expect(video["width"]?.integer == 640)
            #expect(video["bits"]?.integer ?? .max < 4_000_000)
        }
    }
}
