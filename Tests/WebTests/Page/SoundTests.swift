// SPDX-License-Identifier: MIT
// The sound of the microphone on the page: off until it is asked for, in step with the picture, and never kept on.

import Glibc
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapServing
import LivecapSound
import LivecapThreads
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct SoundTests {
        /// How a browser decodes: over TLS and from `localhost`, and elsewhere.
        enum Way: String, CaseIterable {
            case packets
            case pieces

            /// Leaves a browser this way.
            var script: String { self == .pieces ? "delete globalThis.AudioDecoder" : "" }
        }

        private static func served(_ more: [String] = ["--sound", "synthetic", "--live-sound"]) throws -> ServedProgram
        {
            var settings = ServedProgram.Settings()
            settings.arguments += more
            return try ServedProgram(settings)
        }

        private func awaitButton(_ words: String, _ visit: PageVisit) throws {
            try visit.browser.await(
                "a button with '\(words)'", "document.getElementById('sound')?.textContent === '\(words)'")
        }

        private func awaitListeners(_ count: Int64, _ server: any WebServer) throws {
            try eventually("\(count) listeners") { try server.json("/status")["sound"]?["listeners"]?.integer == count }
        }

        // MARK: The button

        @Test func withoutAnOfferThereIsNoButton() throws {
            let visit = try PageVisit(try Self.served(["--sound", "synthetic"]))
            #expect(try visit.browser.run("return document.getElementById('sound')").isNull)
            try visit.browser.press("s")
            #expect(try visit.browser.run("return 'sound' in livecap").bool == false)
        }

        @Test func itIsOffUntilSomebodyAsksForIt() throws {
            let server = try Self.served()
            let visit = try PageVisit(server)
            let other = try PageVisit(server)
            try awaitButton("Sound off", visit)
            try awaitButton("Sound off", other)
            let button = try visit.browser.find("#sound")
            #expect(try button.attribute("title") == "Hear the microphone (S)")
            #expect(try button.attribute("aria-pressed") == "false")
            try awaitListeners(0, server)
            try button.click()
            try awaitButton("Sound on", visit)
            #expect(try button.attribute("aria-pressed") == "true")
            try awaitListeners(1, server)
            // Everybody sees that the microphone is heard.
            try awaitButton("Microphone on", other)
            let title = try other.browser.find("#sound").attribute("title")
            #expect(title == "1 viewer hears the microphone. Hear the microphone (S)")
            try visit.browser.press("s")
            try awaitListeners(0, server)
            try awaitButton("Sound off", other)
            // It is not kept on.
            try visit.browser.press("s")
            try awaitListeners(1, server)
            try visit.browser.reload()
            try awaitButton("Sound off", visit)
            try awaitListeners(0, server)
        }

        @Test func aPageThatNobodySeesHearsNothing() throws {
            let server = try Self.served()
            let visit = try PageVisit(server)
            try awaitButton("Sound off", visit)
            try visit.browser.find("#sound").click()
            try awaitListeners(1, server)
            func hide(_ isHidden: Bool) throws {
                try visit.browser.run(
                    """
                    Object.defineProperty(document, 'hidden', { value: \(isHidden), configurable: true });
                    document.dispatchEvent(new Event('visibilitychange'));
                    """)
            }
            try hide(true)
            try awaitListeners(0, server)
            try hide(false)
            try awaitListeners(1, server)
            try awaitButton("Sound on", visit)
        }

        @Test func aBrowserThatPlaysNoSoundSaysSo() throws {
            let visit = try PageVisit(try Self.served())
            try awaitButton("Sound off", visit)
            try visit.browser.run("delete globalThis.AudioContext")
            try visit.browser.find("#sound").click()
            try visit.awaitWords("words", "This browser cannot play sound here")
            try awaitButton("Sound off", visit)
        }

        // MARK: What is heard

        /// The microphone clicks at each whole second of the clock of frames' times: decoded packets have the clicks
        /// there.
        @Test(arguments: Way.allCases) func decodedSoundHasItsTime(_ way: Way) throws {
            let visit = try PageVisit(try Self.served())
            try visit.browser.run(way.script)
            let heard = try visit.browser.runWithCallback(
                """
                const done = arguments[arguments.length - 1], stop = new AbortController();
                (async () => {
                    const { decoder } = await import('/js/opus.js');
                    const { packets } = await import('/js/sound.js');
                    const clicks = [], context = new AudioContext({ sampleRate: 48000 });
                    const made = await decoder(context, 1, {
                        failed: error => done([String(error)]),
                        decoded(packet, [plane]) {
                            const at = plane.findIndex(value => Math.abs(value) > 0.3);
                            if (at >= 0) clicks.push(((packet.time + at / 48 + 500) % 1000) - 500);
                            if (clicks.length < 2) return;
                            stop.abort();
                            done([made.how, ...clicks]);
                        },
                    });
                    const { body } = await fetch('/sound', { signal: stop.signal });
                    for await (const packet of packets(body, () => {})) made.take(packet);
                })().catch(error => error.name === 'AbortError' || done([String(error)]));
                """
            ).elements
            #expect(heard.first?.string == way.rawValue)
            let clicks = heard.dropFirst().compactMap(\.double)
            #expect(clicks.count == 2 && clicks.allSatisfy { abs($0) < 2 }, "\(heard)")
        }

        /// A busy machine paints late now and then; over a second or two, half of all frames are in step.
        @Test(arguments: Way.allCases, [nil, Duration.milliseconds(60)])
        func soundIsInStepWithThePicture(_ way: Way, delay: Duration?) throws {
            let visit = try PageVisit(try Self.served(), delay: delay)
            try awaitButton("Sound off", visit)
            try visit.browser.run(way.script)
            try visit.browser.find("#sound").click()
            try awaitButton("Sound on", visit)
            #expect(try visit.browser.run("return livecap.sound.how").string == way.rawValue)
            try visit.browser.run(
                """
                window.steps = [];
                let last = null;
                setInterval(() => {
                    if (livecap.painted === last || livecap.sound.offMs === null) return;
                    last = livecap.painted;
                    steps = [...steps.slice(-30), Math.abs(livecap.sound.offMs)];
                }, 20);
                """)
            try visit.browser.await(
                "sound in step", "steps.length > 20 && steps.toSorted((a, b) => a - b)[steps.length >> 1] < 40")
        }

        /// A photo of what is seen is of the very frame, although pictures wait for their sound.
        @Test func photosAreOfThePaintedFrame() throws {
            let server = try Self.served(["--sound", "synthetic", "--live-sound", "--quality", "single"])
            let visit = try PageVisit(server)
            try awaitButton("Sound off", visit)
            try visit.browser.find("#sound").click()
            try awaitButton("Sound on", visit)
            try visit.noteTaps()
            try visit.tap(pausing: [.milliseconds(40), .milliseconds(90), .milliseconds(10)])
            let taps = try visit.takeTaps()
            #expect(taps.count == 3)
            for tap in taps {
                let photo = try #require(tap.photo?["id"]?.integer, "\(tap.problem)")
                #expect(try server.mark("/photos/\(photo)/image") == tap.onScreen)
            }
        }

        /// A port for a microphone: there is one in it, or none.
        private final class MicrophonePort: SoundDirectory {
            private let plugged = Guarded(false)
            var isPlugged: Bool {
                get { plugged.withLock { $0 } }
                set { plugged.withLock { $0 = newValue } }
            }

            func microphones() -> [Microphone] { isPlugged ? [Microphone(id: "desk", name: "Desk", card: "desk")] : [] }

            func open(_ microphone: Microphone) throws(SoundError) -> any SoundSource { Source(self) }

            private final class Source: SoundSource {
                let format = SoundFormat(rate: 48_000, channels: 1)
                private let inner = SyntheticMicrophone()
                private let port: MicrophonePort

                init(_ port: MicrophonePort) { self.port = port }

                func start() { inner.start() }

                func read(into samples: UnsafeMutableBufferPointer<Float>, until deadline: Timestamp) -> SoundEvent {
                    port.isPlugged ? inner.read(into: samples, until: deadline) : .gone(.disconnected("Desk"))
                }
            }
        }

        @Test func aMicrophoneThatIsNotThereIsSaidAndItsReturnHeard() async throws {
            let microphone = MicrophonePort()
            let change: (inout ViewfinderSettings) -> Void = {
                $0.sound = .microphone(PageMicrophone(.automatic, in: microphone))
            }
            try await withServedCamera(change: change) { server, _ in
                let visit = try PageVisit(server)
                try awaitButton("Sound off", visit)
                try visit.browser.find("#sound").click()
                try visit.awaitWords("words", "No microphone is connected")
                microphone.isPlugged = true
                try awaitButton("Sound on", visit)
                microphone.isPlugged = false
                try visit.awaitWords("words", "The microphone is gone")
                try awaitButton("No microphone", visit)
                microphone.isPlugged = true
                try awaitButton("Sound on", visit)
            }
        }

        // MARK: When it is heard

        /// Where the packets of some seconds go, by a sound device that is `ppm` too fast: the largest distance from
        /// where they should be, how many were left out, and the fastest of all. `script` may change `delay`, in
        /// seconds, `clock`, or leave out the packet with `number`.
        private func placed(_ script: String = "", ppm: Int = 0) throws -> [Double] {
            let visit = try PageVisit(try Self.served([]), waitsForPicture: false)
            defer { withExtendedLifetime(visit) {} }
            return try visit.browser.run(
                """
                const { place } = await import('/js/step.js');
                let end = null, next = 0, off = 0, left = 0, fastest = 0, delay = 0.12;
                const clock = time => time * (1 + \(ppm) * 1e-6);
                for (let number = 0; number < 3000; number += 1) {
                    const time = number * 0.02;
                    \(script)
                    const ideal = clock(time + delay), gap = time - next;
                    next = time + 0.02;
                    const spot = place({ ideal, end, gap: Math.abs(gap) < 0.001 ? 0 : gap, now: clock(time + 0.05) });
                    if (!spot) { left += 1; continue; }
                    off = Math.max(off, Math.abs(spot.at - ideal));
                    if (end !== null && spot.at < end - 1e-9) throw new Error('one over the other');
                    fastest = Math.max(fastest, Math.abs(spot.rate - 1));
                    end = spot.at + 0.02 / spot.rate;
                }
                return [off, left, fastest];
                """
            ).elements.compactMap(\.double)
        }

        @Test(arguments: [-3000, -300, 0, 300, 3000]) func anotherClockMakesNoDrift(_ ppm: Int) throws {
            let placed = try placed(ppm: ppm)
            #expect(placed.count == 3 && placed[0] < 0.01 && placed[1] == 0 && placed[2] <= 0.01, "\(placed)")
        }

        @Test func smallChangesAreStretchedAndLargeOnesJump() throws {
            let small = try placed("if (number === 1000) delay = 0.15; if (number === 2000) delay = 0.12;")
            #expect(small.count == 3 && small[0] < 0.031 && small[1] == 0 && small[2] <= 0.011, "\(small)")
            let later = try placed("if (number === 1000) delay = 0.3;")
            #expect(later.count == 3 && later[0] < 0.005 && later[1] == 0, "\(later)")
            // To be heard sooner, some must be left out.
            let sooner = try placed("if (number === 1000) delay = 0.3; if (number === 2000) delay = 0.1;")
            #expect(sooner.count == 3 && sooner[0] < 0.036 && (8...10).contains(sooner[1]), "\(sooner)")
        }

        @Test func missingPacketsMoveNothing() throws {
            let placed = try placed("if (number % 100 > 97) continue;")
            #expect(placed.count == 3 && placed[0] < 0.005 && placed[1] == 0, "\(placed)")
        }

        @Test func whatIsTooLateIsNotHeard() throws {
            let placed = try placed("delay = number < 1000 ? 0.12 : 0;")
            #expect(placed.count == 3 && placed[1] == 2000, "\(placed)")
        }

        @Test func theLaterOfBothDecidesTheDelay() throws {
            let visit = try PageVisit(try Self.served([]), waitsForPicture: false)
            defer { withExtendedLifetime(visit) {} }
            let delays = try visit.browser.run(
                """
                const { Delay } = await import('/js/step.js');
                const delay = new Delay(), delays = [];
                const pass = (count, picture, sound) => {
                    for (let index = 0; index < count; index += 1) {
                        delay.picture(picture + index % 5);
                        if (sound) delay.sound(sound + index % 7);
                    }
                    delays.push(delay.value, delay.wait(picture));
                };
                pass(100, 40, 0);
                pass(100, 40, 120);
                pass(100, 200, 120);
                pass(200, 30, 2000);
                return delays;
                """
            ).elements.compactMap(\.double)
            try #require(delays.count == 8)
            // Without sound no picture waits.
            #expect((40...60).contains(delays[0]) && delays[1] == 0)
            // Pictures wait for sound, and sound for pictures.
            #expect((120...145).contains(delays[2]) && delays[3] == delays[2] - 40)
            #expect((200...250).contains(delays[4]) && delays[5] < 50)
            // Not longer than there is memory for them.
            #expect((320...350).contains(delays[6]))
        }
    }
}
