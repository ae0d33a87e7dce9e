// SPDX-License-Identifier: MIT
// Cameras that fail for a moment after they were plugged in are asked again, by a clock that tests give.

import Glibc
import LivecapFrames
import LivecapThreads
import Testing

@testable import Camera

@Suite struct ControlRoundsTests {
    /// A clock that goes on only when something waits, and a camera that answers as it is told.
    private final class Stage: Sendable {
        private struct State: Sendable {
            var now = Timestamp.zero
            var waits: [Duration] = []
            var asked: [String] = []
            /// The answers left for each control, negative errnos; 0 once there are none.
            var answers: [String: [Int32]]
        }
        private let state: Guarded<State>

        init(_ answers: [String: [Int32]] = [:]) { state = Guarded(State(answers: answers)) }

        var waits: [Duration] { state.withLock { $0.waits } }
        var asked: [String] { state.withLock { $0.asked } }
        var now: Timestamp { state.withLock { $0.now } }

        func pass(_ time: Duration) { state.withLock { $0.now = $0.now + time } }

        func pace(limit: Duration = .seconds(6)) -> ControlPace {
            ControlPace(
                waits: [.milliseconds(50), .milliseconds(150), .milliseconds(400)], limit: limit, now: { self.now },
                wait: { time in
                    self.state.withLock { $0.waits.append(time) }
                    self.pass(time)
                })
        }

        /// What does not answer takes five seconds.
        func set(_ name: String) -> Int32 {
            let answer = state.withLock { state in
                state.asked.append(name)
                guard let first = state.answers[name]?.first else { return Int32(0) }
                state.answers[name]?.removeFirst()
                return first
            }
            if answer == -ETIMEDOUT { pass(.seconds(5)) }
            return answer
        }
    }

    @Test func aCameraThatAnswersIsAskedOnce() {
        let stage = Stage(["gamma": [-ERANGE]])
        let rounds = stage.pace().run(["gain", "gamma", "hue"], stage.set)
        #expect(stage.asked == ["gain", "gamma", "hue"] && stage.waits.isEmpty)
        #expect(rounds.refused.map(\.change) == ["gamma"] && rounds.open.isEmpty && rounds.due == nil)
    }

    @Test(arguments: [EIO, EPIPE]) func whatFailsIsTriedAgainAfterGrowingWaits(errno: Int32) {
        let stage = Stage(["gain": [-errno, -errno, -errno]])
        let rounds = stage.pace().run(["gain", "hue"], stage.set)
        #expect(stage.asked == ["gain", "hue", "gain", "gain", "gain"])
        #expect(stage.waits == [.milliseconds(50), .milliseconds(150), .milliseconds(400)])
        #expect(rounds.failures.isEmpty)
    }

    @Test func whatFailsEachTimeIsGivenUp() {
        let stage = Stage(["gain": [Int32](repeating: -EIO, count: 9)])
        let rounds = stage.pace().run(["gain", "hue"], stage.set)
        #expect(stage.asked.count == 5 && stage.waits.count == 3)
        #expect(rounds.open.map(\.change) == ["gain"] && rounds.open.first?.errno == EIO && rounds.refused.isEmpty)
    }

    @Test func aValueThatWaitsForItsModeIsNotRefused() {
        let stage = Stage(["mode": [-EIO], "value": [-EACCES]])
        let rounds = stage.pace().run(["mode", "value"], stage.set)
        #expect(stage.asked == ["mode", "value", "mode", "value"] && rounds.failures.isEmpty)
    }

    @Test func aCameraThatDoesNotAnswerIsAskedOncePerRound() {
        let stage = Stage(["gain": [-ETIMEDOUT, -ETIMEDOUT, -ETIMEDOUT]])
        let rounds = stage.pace().run(["gain", "hue"], stage.set)
        // Its second silence ends it: six seconds are over.
        #expect(stage.asked == ["gain", "gain"] && stage.waits == [.milliseconds(50)])
        #expect(rounds.open.map(\.change) == ["gain", "hue"])
    }

    @Test func oneThatWasUnpluggedIsNotWaitedFor() {
        let stage = Stage(["gain": [-ENODEV]])
        let rounds = stage.pace().run(["gain", "hue"], stage.set)
        #expect(rounds.isGone && stage.waits.isEmpty && stage.asked == ["gain"])
    }

    @Test func roundsDoNotSleepByThemselves() {
        let stage = Stage(["gain": [-EIO]])
        let pace = stage.pace()
        var rounds = ControlRounds(["gain"], pace)
        #expect(rounds.due == .zero)
        rounds.run(pace, stage.set)
        #expect(rounds.due == .zero + .milliseconds(50) && stage.waits.isEmpty)
        stage.pass(.milliseconds(50))
        rounds.run(pace, stage.set)
        #expect(rounds.due == nil && rounds.failures.isEmpty)
        #expect(ControlRounds<String>([], pace).due == nil)
    }

    @Test func questionsAreAskedAgain() throws {
        let stage = Stage()
        var left = 2
        let answer = try stage.pace().ask { () throws(CameraError) in
            left -= 1
            if left >= 0 { throw .driver(path: "/dev/video0", call: "VIDIOC_QUERY_EXT_CTRL", errno: EIO) }
            return 7
        }
        #expect(answer == 7 && stage.waits == [.milliseconds(50), .milliseconds(150)])
        let gone = CameraError.disconnected(path: "/dev/video0")
        #expect(throws: gone) { try stage.pace().ask { () throws(CameraError) -> Int in throw gone } }
        #expect(stage.waits.count == 2)
    }
}
