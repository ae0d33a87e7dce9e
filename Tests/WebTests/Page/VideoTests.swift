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
                "livecap.connected && livecap.video.codec === '\(codec)' && livecap.video.fps > 3 && livecap.video.bits > 0 && livecap.video"
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

        /// About what the JPEGs of this scene need is more than twice the line.
        @Test func aLineThatIsTooSlowForJPEGGetsVideo() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server, delay: .milliseconds(20))
            try awaitCodec("jpeg", visit)
            let bits = try visit.browser.run("return livecap.video.bits").integer ?? 0
            try #require(bits > 0)
            // Little on the way, so that it is soon seen.
            visit.network?.change(.toClient) {
                ($0.bytesPerSecond, $0.capacity) = (Int(bits) / 20, 20_000)
            }
            try awaitCodec("h264", visit)
            let video = try visit.browser.run("return livecap.video")
            #expect(video["why"]?.string == "the line is slower than JPEG needs")
            #expect(video["failure"] == nil)
        }

        /// Seconds of a line, one after the other: the share of 30 frames that arrives, and what is then asked for.
        private func choices(_ options: String, _ shares: [Double], _ visit: PageVisit) throws -> [String] {
            try visit.browser.run(
                """
                const { Line } = await import('/js/line.js');
                const line = Object.assign(new Line(true), \(options));
                const words = ({ codec, width }) => `${codec} ${width}`;
                let counter = 0;
                return arguments[0].map(share => {
                    const now = line.wish(0, 1280);
                    for (let index = 0; index < 30; index += 1) {
                        counter += 1;
                        const frame = { id: `0:${counter}`, bytes: new Uint8Array(1000) };
                        if (Math.floor(index * share) !== Math.floor((index + 1) * share)) line.arrived(frame, 20);
                    }
                    if (line.look(now.width || 1280)) line.begin();
                    return words(line.wish(0, 1280));
                });
                """, .array(shares.map(JSON.number))
            ).elements.map { $0.string ?? "" }
        }

        @Test func aSlowLineGetsLessAndLaterMoreAgain() throws {
            let server = try ServedProgram()
            let visit = try PageVisit(server)
            let (slow, fine) = (0.5, 1.0)
            // First another codec, then smaller pictures.
            let down = try choices("{}", [fine, slow, slow, slow, fine, slow, slow, slow], visit)
            #expect(
                down == ["jpeg 0", "jpeg 0", "h264 0", "h264 0", "h264 0", "h264 0", "h264 960", "h264 960"])
            // A choice is kept: only the size follows the line.
            let jpeg = try choices("{ choice: 'jpeg' }", [slow, slow, slow, slow], visit)
            #expect(jpeg == ["jpeg 0", "jpeg 960", "jpeg 960", "jpeg 640"])
            let up = try choices(
                "{ choice: 'h264' }", [slow, slow] + Array(repeating: fine, count: 10) + [fine], visit)
            #expect(up[1] == "h264 960" && up[10] == "h264 960" && up.last == "h264 0")
            // Without a decoder, sizes alone are left.
            let plain = try choices("{ canDecode: false }", [slow, slow, slow, slow], visit)
            #expect(plain.last == "jpeg 640")
            // Video that is slower still was no help.
            let worse = try choices("{}", [slow, slow, 0.3, 0.3, fine], visit)
            #expect(worse == ["jpeg 0", "h264 0", "h264 0", "jpeg 0", "jpeg 0"])
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
            let script = JSON.string("delete globalThis.VideoDecoder")
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
