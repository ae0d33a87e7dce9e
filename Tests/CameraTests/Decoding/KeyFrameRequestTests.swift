// SPDX-License-Identifier: MIT
// After a loss, a camera is asked for a key frame: not too often, and without keeping anything else waiting.

import FrameRing
import Glibc
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import Camera

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct KeyFrameRequestTests {
    /// A camera that is asked, and answers as it is to.
    private final class Asked: Sendable {
        private let answer: KeyFrameRequests.Answer
        private let cameras = Guarded<[String]>([])
        private let count = Atomic<Int>(0)
        private let bell = Alarm()

        init(_ answer: KeyFrameRequests.Answer) { self.answer = answer }

        var ask: KeyFrameRequests.Ask {
            { identity in
                self.cameras.withLock { $0.append(identity) }
                self.count.add(1, ordering: .releasing)
                self.bell.rouse()
                return self.answer
            }
        }

        /// Waits until it was asked so often, and returns who was.
        func wait(for times: Int) -> [String] {
            bell.wait { self.count.load(ordering: .acquiring) >= times }
            return cameras.withLock { $0 }
        }
    }

    private let start = Timestamp(nanoseconds: 5_000_000_000)

    @Test func itIsAskedAtMostOnceASecond() {
        let asked = Asked(.taken)
        let account = DecodingAccount()
        let requests = KeyFrameRequests(to: "eye", account, asked.ask)
        for milliseconds in [0, 33, 500, 999] { requests.wish(at: start + .milliseconds(milliseconds)) }
        #expect(asked.wait(for: 1) == ["eye"])
        requests.wish(at: start + .milliseconds(1000))
        #expect(asked.wait(for: 2) == ["eye", "eye"])
        requests.wish(at: start + .milliseconds(1999))
        requests.move(to: "other")
        requests.wish(at: start + .milliseconds(2000))
        #expect(asked.wait(for: 3) == ["eye", "eye", "other"])
        requests.end()
        #expect(account.statistics.keyFramesAsked >= 2)
    }

    @Test func aCameraThatCannotBeAskedIsLeftAlone() {
        let asked = Asked(.unknown)
        let account = DecodingAccount()
        let requests = KeyFrameRequests(to: "eye", account, asked.ask)
        requests.wish(at: start)
        #expect(asked.wait(for: 1) == ["eye"])
        // The answer is noted right after it was given: what follows may be asked once more, and no more.
        for second in 1...20 { requests.wish(at: start + .seconds(second)) }
        requests.move(to: "other")
        requests.wish(at: start + .seconds(30))
        let cameras = asked.wait(for: 2)
        #expect(cameras.count <= 22 && account.statistics.keyFramesAsked == 0)
        requests.end()
    }

    /// Frames go on while the camera has not answered: the last of them lets it answer.
    @Test(.enabled(if: VideoClip.isAvailable(.h264), VideoClip.lack)) func noFrameWaitsForTheAnswer() throws {
        let clip = try VideoClip(.h264, count: 25)
        let (gate, answered) = (Alarm(), Alarm())
        let acts: [ScriptedVideo.Act] =
            (5..<25).map { .frame($0) } + [
                .call {
                    gate.switchOff(); answered.wait(until: .distantFuture)
                }
            ]
        let (loop, frames) = try ScriptedVideo.run(clip, acts) { identity in
            gate.wait(until: .distantFuture)
            answered.switchOff()
            return identity == "eye" ? .taken : .refused
        }
        #expect(frames.map(\.metadata.isUsable) == (5..<25).map { $0 >= 10 })
        #expect(loop.decodingStatistics?.waitedForKey == 5)
    }

    @Test(.enabled(if: VideoClip.isAvailable(.h264), VideoClip.lack)) func withoutALossNothingIsAsked() throws {
        let clip = try VideoClip(.h264, count: 25)
        let count = Guarded(0)
        let (_, frames) = try ScriptedVideo.run(clip, (0..<25).map { .frame($0) }) { _ in
            count.withLock { $0 += 1 }
            return .taken
        }
        #expect(frames.allSatisfy(\.metadata.isUsable) && count.withLock { $0 } == 0)
    }
}
