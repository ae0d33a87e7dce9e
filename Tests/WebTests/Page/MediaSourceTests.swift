// SPDX-License-Identifier: MIT
// The live view in H.264 without WebCodecs, as phones see a page of another machine over plain HTTP.

import LivecapFrames
import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct MediaSourceTests {
        private static let host = "phone.test"

        /// A server, and a visitor of another machine who asks for H.264. `script` runs before the page's own.
        private func visit(
            _ arguments: [String] = [], delay: Duration? = nil, before script: String? = nil
        ) throws -> (server: ServedProgram, visit: PageVisit) {
            var settings = ServedProgram.Settings()
            settings.arguments += ["--name", Self.host] + arguments
            let server = try ServedProgram(settings)
            let video = JSON.object([("video", "h264")])
            let visit = try PageVisit(server, delay: delay, options: video, host: Self.host)
            if let script {
                try visit.browser.devTools("Page.addScriptToEvaluateOnNewDocument", ("source", .string(script)))
                try visit.browser.reload()
                try visit.waitForPicture()
            }
            return (server, visit)
        }

        private func awaitCodec(_ codec: String, _ visit: PageVisit) throws {
            try visit.browser.await(
                "a live view in \(codec)",
                "livecap.connected && livecap.video.codec === '\(codec)' && livecap.video.bits > 0")
        }

        private func awaitPlay(_ visit: PageVisit) throws {
            try awaitCodec("h264", visit)
            try visit.browser.await("the video", "document.querySelector('body > video')?.currentTime > 0.5")
        }

        /// Waits until JPEGs are shown, and returns why.
        private func awaitJPEG(_ visit: PageVisit) throws -> String? {
            try awaitCodec("jpeg", visit)
            let before = try visit.shown().id
            try visit.browser.await("another frame", "livecap.painted !== '\(before)'")
            #expect(try visit.browser.run("return document.querySelector('body > video')").isNull)
            return try visit.browser.run("return livecap.video.why").string
        }

        @Test func theCanvasShowsTheFrameThatThePageNames() throws {
            let (server, visit) = try visit(delay: .milliseconds(60))
            var numbers = try FrameNumbers(server)
            try awaitPlay(visit)
            #expect(try visit.browser.run("return !isSecureContext && !globalThis.VideoDecoder").bool == true)
            var seen: Set<String> = []
            for _ in 0..<40 {
                let shown = try visit.shown()
                try numbers.learn()
                let named = try #require(numbers[shown.id], "\(shown.id) is unknown")
                #expect(shown.number == named)
                seen.insert(shown.id)
            }
            #expect(seen.count > 5)
            #expect(try visit.browser.run("return livecap.video.decoder").string == "Media Source")
            try visit.browser.await("the choice in words", "document.getElementById('options').click() ?? true")
            try visit.awaitWords("livenote", "Now H.264 by Media Source in full size")
            #expect(try visit.browser.takeErrors().isEmpty)
        }

        @Test func tapsWithoutWebCodecsAreOfThePaintedFrame() throws {
            let (server, visit) = try visit(["--quality", "single", "--ring", "8"], delay: .milliseconds(60))
            visit.network?.change(.toClient) { $0.bytesPerSecond = 500_000 }
            try awaitPlay(visit)
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

        @Test func theVideoStaysNearTheNewestFrameAndForgetsOldOnes() throws {
            let (_, visit) = try visit()
            try awaitPlay(visit)
            // A video that has stood still for a while catches up.
            try visit.browser.run("document.querySelector('body > video').pause()")
            try visit.browser.await(
                "the newest frame",
                """
                (video => !video.paused && video.buffered.length === 1
                    && video.buffered.end(0) - video.currentTime < 0.2)(document.querySelector('body > video'))
                """)
            // There is a key frame every ten seconds, and only what comes before one can go.
            try visit.browser.await(
                "memory without old frames", "document.querySelector('body > video').buffered.start(0) > 0")
            let before = try visit.shown().id
            try visit.browser.await("another frame", "livecap.painted !== '\(before)'")
            #expect(try visit.browser.run("return livecap.video.codec").string == "h264")
        }

        /// Another choice forgets that.
        @Test func aStreamThatTheBrowserRefusesLeavesJPEG() throws {
            let (_, visit) = try visit()
            try awaitPlay(visit)
            // A box that is shorter than its own head.
            try visit.browser.run(
                """
                window.append = SourceBuffer.prototype.appendBuffer;
                const box = Uint8Array.of(0, 0, 0, 3, 0, 0, 0, 0);
                SourceBuffer.prototype.appendBuffer = function () { append.call(this, box); }
                """)
            #expect(try awaitJPEG(visit) == "The browser cannot decode the stream.")
            try visit.browser.run(
                """
                SourceBuffer.prototype.appendBuffer = append;
                document.getElementById('options').click();
                document.querySelector('input[value=auto]').click();
                """)
            try visit.browser.await("another choice", "livecap.video.why === ''")
            try visit.browser.run("document.querySelector('input[value=h264]').click()")
            try awaitPlay(visit)
        }

        @Test func aStreamThatIsNotPlayedLeavesJPEG() throws {
            let (_, visit) = try visit(before: "SourceBuffer.prototype.appendBuffer = () => {}")
            #expect(try awaitJPEG(visit) == "The browser does not play the stream.")
            #expect(try visit.browser.run("return livecap.video.width").integer == 0)
        }

        @Test func aBrowserThatDoesNotSayWhatItShowsGetsJPEG() throws {
            let (_, visit) = try visit(
                before: "Object.defineProperty(VideoFrame.prototype, 'timestamp', { get: () => 7e9 })")
            #expect(try awaitJPEG(visit) == "The browser does not say which frame it shows.")
        }

        @Test(arguments: ["MediaSource.isTypeSupported = () => false", "delete globalThis.VideoFrame"])
        func aBrowserThatCannotPlayItGetsJPEG(_ script: String) throws {
            let (_, visit) = try visit(before: script)
            #expect(try awaitJPEG(visit)?.hasPrefix("this browser decodes H.264 here only") == true)
        }

        /// Whatever start codes a frame has, of three bytes or four.
        @Test func aFrameBecomesAFragment() throws {
            let (_, visit) = try visit()
            let made = try visit.browser.run(
                """
                const { beginning, fragment, units } = await import('/js/fragments.js');
                const sequence = [0x67, 0x42, 0xc0, 0x28, 1], set = [0x68, 2], picture = [0x65, 3, 0, 0, 3, 4];
                const frame = Uint8Array.of(
                    0, 0, 0, 1, 9, 0xf0, 0, 0, 0, 1, ...sequence, 0, 0, 1, ...set, 0, 0, 0, 1, ...picture, 0, 0);
                // The boxes, with their places.
                const boxes = (bytes, from = 0, end = bytes.length) => {
                    const list = [];
                    for (let at = from; at < end;) {
                        const size = new DataView(bytes.buffer).getUint32(at);
                        const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
                        list.push({ name, at, size });
                        if (['moof', 'traf'].includes(name)) list.push(...boxes(bytes, at + 8, at + size));
                        at += size;
                    }
                    return list;
                };
                const time = 2 ** 33 + 5, bytes = fragment(frame, { number: 1, time, duration: 33, isKey: true });
                const view = new DataView(bytes.buffer), all = boxes(bytes);
                const { at: run } = all.find(({ name }) => name === 'trun'), data = all.find(({ name }) => name === 'mdat');
                const head = beginning(frame, 640, 360).join(), avcC = [1, 0x42, 0xc0, 0x28, 0xff, 0xe1, 0, 5];
                return {
                    units: units(frame).map(unit => unit.length),
                    boxes: all.map(({ name }) => name).join(' '),
                    samples: [...bytes.subarray(data.at + 8)],
                    offset: view.getInt32(run + 16) === data.at + 8,
                    size: view.getUint32(run + 24),
                    time: Number(view.getBigUint64(all.find(({ name }) => name === 'tfdt').at + 12)) === time,
                    head: head.includes([...avcC, ...sequence, 1, 0, 2, ...set].join()),
                    none: beginning(Uint8Array.of(0, 0, 1, ...picture), 640, 360),
                };
                """)
            func numbers(_ name: String) -> [Int64] { made[name]?.elements.compactMap(\.integer) ?? [] }
            #expect(numbers("units") == [2, 5, 2, 6])
            #expect(made["boxes"]?.string == "moof mfhd traf tfhd tfdt trun mdat")
            #expect(numbers("samples") == [0, 0, 0, 6, 0x65, 3, 0, 0, 3, 4])
            #expect(made["size"]?.integer == 10 && made["offset"]?.bool == true && made["time"]?.bool == true)
            #expect(made["head"]?.bool == true && made["none"]?.isNull == true)
        }
    }
}
