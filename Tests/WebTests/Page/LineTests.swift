// SPDX-License-Identifier: MIT
// What the page asks for over a line, second by second, by what arrives of the frames that were made.

import LivecapIntents
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct LineTests {
        private let server: ServedProgram
        private let visit: PageVisit

        init() throws {
            server = try ServedProgram()
            visit = try PageVisit(server)
        }

        /// Seconds of a line, one after the other: the share that arrives of the frames that are made, and what is then
        /// asked for. Of 30 frames that the camera takes, `made` are made. `then` is done in between, by second.
        private func choices(
            _ options: String, _ shares: [Double], made: Int = 30, then: String = "{}"
        ) throws -> [String] {
            try visit.browser.run(
                """
                const { Line } = await import('/js/line.js');
                const line = Object.assign(new Line('WebCodecs'), \(options)), then = \(then);
                const words = ({ codec, width }) => `${codec} ${width}`;
                let counter = 0, number = 0;
                return arguments[0].map((share, second) => {
                    then[second]?.(line);
                    const now = line.wish(0, 1280);
                    for (let index = 0; index < 30; index += 1) {
                        counter += 1;
                        if (Math.floor(index * \(made) / 30) === Math.floor((index + 1) * \(made) / 30)) continue;
                        number += 1;
                        if (Math.floor(number * share) === Math.floor((number + 1) * share)) continue;
                        line.arrived({ id: `0:${counter}`, number, bytes: new Uint8Array(1000) }, 20);
                    }
                    if (line.look(now.width || 1280)) line.begin();
                    return words(line.wish(0, 1280));
                });
                """, .array(shares.map(JSON.number))
            ).elements.map { $0.string ?? "" }
        }

        @Test func aSlowLineGetsLessAndLaterMoreAgain() throws {
            let (slow, fine) = (0.5, 1.0)
            // First another codec, then smaller pictures.
            let down = try choices("{}", [fine, slow, slow, slow, fine, slow, slow, slow])
            #expect(
                down == ["jpeg 0", "jpeg 0", "h264 0", "h264 0", "h264 0", "h264 0", "h264 960", "h264 960"])
            // A choice is kept: only the size follows the line.
            let jpeg = try choices("{ choice: 'jpeg' }", [slow, slow, slow, slow])
            #expect(jpeg == ["jpeg 0", "jpeg 960", "jpeg 960", "jpeg 640"])
            let up = try choices("{ choice: 'h264' }", [slow, slow] + Array(repeating: fine, count: 10) + [fine])
            #expect(up[1] == "h264 960" && up[10] == "h264 960" && up.last == "h264 0")
            // Without a decoder, sizes alone are left.
            let plain = try choices("{ decoder: '' }", [slow, slow, slow, slow])
            #expect(plain.last == "jpeg 640")
            // Video that is slower still was no help.
            let worse = try choices("{}", [slow, slow, 0.3, 0.3, fine])
            #expect(worse == ["jpeg 0", "h264 0", "h264 0", "jpeg 0", "jpeg 0"])
        }

        /// A busy processor, or what makes the frames, leaves some out: over the line all of them come.
        @Test(arguments: [20, 15, 10]) func aSlowProcessorIsNoSlowLine(_ made: Int) throws {
            let quick = try choices("{}", Array(repeating: 1, count: 20), made: made)
            #expect(quick.allSatisfy { $0 == "jpeg 0" }, "\(quick)")
            let slow = try choices("{}", [0.5, 0.5], made: made)
            #expect(slow.last == "h264 0")
        }

        @Test func anotherChoiceForgetsWhatFailed() throws {
            let then = "{ 4: line => { line.choice = 'h264'; }, 5: line => { line.choice = 'auto'; } }"
            let all = try choices("{}", [0.5, 0.5, 0.3, 0.3, 1, 1, 1], then: then)
            #expect(all[3] == "jpeg 0" && all[4] == "h264 0" && all.suffix(2) == ["jpeg 0", "jpeg 0"])
        }

        @Test func afterALongCalmJPEGIsTriedOnceMore() throws {
            let calm = Array(repeating: 1.0, count: 160)
            let all = try choices("{}", [0.5, 0.5] + calm + [0.5, 0.5] + calm + calm)
            #expect(all[160] == "h264 0" && all[161] == "jpeg 0" && all[162] == "jpeg 0")
            #expect(all[163...].allSatisfy { $0 == "h264 0" })
        }
    }
}
