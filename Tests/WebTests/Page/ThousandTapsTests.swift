// SPDX-License-Identifier: MIT
// Taps of viewers near and far, all at the same time: each takes the frame that was on its viewer's screen.

import Foundation
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapSeededRandom
import LivecapThreads
import LivecapWebGear
import Testing

extension InBrowser {
    @Suite struct ThousandTapsTests {
        /// A viewer and what it does.
        private struct Viewer: Sendable {
            /// The time that bytes take from the server to the viewer, and the same from the viewer to the server.
            let delay: Duration
            let taps: Int
            /// How many taps follow each other, and how many of their shots may be under way when it goes on tapping.
            /// Browsers have six connections for a server, of which the page's frames and events take two.
            var batch: Int { delay < .milliseconds(500) ? 10 : 4 }
        }

        /// A tap, and the number of the frame that the page said it showed.
        private struct NumberedTap: Sendable {
            let tap: Tap
            let delay: Duration
            let painted: UInt32?
        }

        private static let seed = ProcessInfo.processInfo.environment["LIVECAP_SEED"].flatMap { UInt64($0) } ?? 1

        /// Taps as often as the viewer is to, at any phase of the frames.
        private static func taps(of viewer: Viewer, on server: ServerAtPort, _ rate: FrameRate, seed: UInt64) throws
            -> [NumberedTap]
        {
            var random = SeededRandom(seed: seed)
            var numbers = try FrameNumbers(server, rate)
            var browser = Browser.Settings()
            // Just large enough for all pixels of the frames: all viewers draw with the same two processors.
            (browser.size, browser.hasReducedMotion) = (FrameSize(width: 900, height: 560), true)
            let visit = try PageVisit(server, delay: viewer.delay, browser)
            try visit.noteTaps()
            var taps: [NumberedTap] = []
            var count = 0
            func note(_ done: [Tap]) {
                taps += done.map { NumberedTap(tap: $0, delay: viewer.delay, painted: numbers[$0.painted]) }
            }
            while count < viewer.taps {
                let pauses = (0..<min(viewer.batch, viewer.taps - count)).map { _ in
                    Duration.milliseconds(.random(in: 5...200, using: &random))
                }
                try visit.tap(pausing: pauses)
                count += pauses.count
                try visit.awaitTaps(but: viewer.batch)
                try numbers.learn()
                try note(visit.takeDoneTaps())
            }
            try note(visit.takeTaps())
            return taps
        }

        /// The taps of all viewers. Each acts on a thread of its own.
        private func taps(of viewers: [Viewer], on server: ServedProgram) async throws -> [NumberedTap] {
            let (at, rate) = (ServerAtPort(port: server.port), server.settings.rate)
            return try await withThrowingTaskGroup(of: [NumberedTap].self) { group in
                for (index, viewer) in viewers.enumerated() {
                    group.addTask {
                        try await onThread(named: "viewer") {
                            try Self.taps(of: viewer, on: at, rate, seed: Self.seed &* 1000 &+ UInt64(index))
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }

        /// Checks each tap: its photo, the screen and the page name the same frame.
        private func check(_ taps: [NumberedTap], on server: ServedProgram) throws {
            var photos: Set<Int64> = []
            for tap in taps {
                let photo = try #require(tap.tap.photo?["id"]?.integer, "\(tap.delay): \(tap.tap.problem)")
                photos.insert(photo)
                let number = try #require(tap.tap.onScreen)
                let ofPhoto = try server.mark("/photos/\(photo)/image")
                #expect(ofPhoto == number, "photo \(photo), with a delay of \(tap.delay)")
                #expect(tap.painted == number, "\(tap.tap.painted), with a delay of \(tap.delay)")
            }
            #expect(photos.count == taps.count)
        }

        @Test func aThousandTapsTakeTheFramesOnTheirScreens() async throws {
            var settings = ServedProgram.Settings()
            settings.rate = FrameRate(8)
            settings.arguments += ["--quality", "single", "--ring", "20"]
            let server = try ServedProgram(settings)
            let viewers = [
                Viewer(delay: .zero, taps: 250), Viewer(delay: .milliseconds(200), taps: 250),
                Viewer(delay: .milliseconds(500), taps: 250), Viewer(delay: .seconds(1), taps: 125),
                Viewer(delay: .seconds(1), taps: 125),
            ]
            let taps = try await taps(of: viewers, on: server)
            try check(taps, on: server)
            for delay in Set(viewers.map(\.delay)).sorted() {
                let count = taps.count { $0.delay == delay }
                #expect(count == 250)
                print("seed \(Self.seed): \(count) taps at a delay of \(delay.milliseconds) ms each way")
            }
            // Most of them were of frames that others did not tap, or only others at another time.
            #expect(taps.count == 1000 && Set(taps.map(\.tap.onScreen)).count > 100)
        }

        @Test func aFusedPhotoShowsTheFrameOnTheScreen() async throws {
            var settings = ServedProgram.Settings()
            settings.scene = "object:noise=none"
            settings.arguments += ["--quality", "balanced", "--ring", "8"]
            let server = try ServedProgram(settings)
            let viewers = [0, 300].map { Viewer(delay: .milliseconds($0), taps: 12) }
            let taps = try await taps(of: viewers, on: server)
            for tap in taps {
                let photo = try #require(tap.tap.photo?["id"]?.integer, "\(tap.tap.problem)")
                // On a busy machine, the photo follows its proxy.
                try eventually("the finished photo") { try server.json("/photos/\(photo)")["isProxy"]?.bool == false }
                #expect(try server.json("/photos/\(photo)")["framesUsed"]?.integer ?? 0 > 1)
            }
            try check(taps, on: server)
        }
    }
}
