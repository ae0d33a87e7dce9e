// SPDX-License-Identifier: MIT
// When a camera's exposure counts as settled.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct ExposureSettlingTests {
    private let start = Timestamp(nanoseconds: 5_000_000_000)

    private func time(_ frame: Int) -> Timestamp { start + .milliseconds(33) * Int64(frame) }

    /// The first frame at which it was settled or timed out, and which of the two.
    private func outcome(of brightness: [Double?]) -> (frame: Int, state: ExposureSettling.State)? {
        var settling = ExposureSettling()
        for (frame, value) in brightness.enumerated() {
            let state = settling.note(value, at: time(frame), epoch: 0)
            #expect(settling.state == state)
            if state != .settling { return (frame, state) }
        }
        return nil
    }

    @Test("A steady picture settles with its third frame")
    func steady() throws {
        let end = try #require(outcome(of: [0.4, 0.4, 0.4]))
        #expect(end.frame == 2 && end.state == .settled)
    }

    @Test("A ramp is followed to its end", arguments: [0.05, 0.1, 0.3])
    func ramp(step: Double) throws {
        // From nearly black, each frame is brighter than the previous one by `step`.
        var (values, value): ([Double], Double) = ([], 0.05)
        while value < 0.5 {
            values.append(value)
            value *= 1 + step
        }
        let end = try #require(outcome(of: values + Array(repeating: 0.5, count: 10)))
        #expect(end.state == .settled)
        // The last frames of the ramp may be within a twentieth of its end.
        #expect((values.count - 1...values.count + 2).contains(end.frame))
    }

    @Test("A twentieth between the darkest and the brightest of three is the limit")
    func limit() {
        #expect(outcome(of: [0.488, 0.5, 0.512])?.state == .settled)
        #expect(outcome(of: [0.486, 0.5, 0.514]) == nil)
        #expect(outcome(of: [0.5, 0.5, 0.55, 0.5, 0.5]) == nil)
    }

    @Test("In the dark, a change of one 8-bit code does not count, and of two does")
    func dark() {
        #expect(outcome(of: [2.0 / 255, 3.0 / 255, 2.0 / 255])?.state == .settled)
        #expect(outcome(of: [2.0 / 255, 4.0 / 255, 2.0 / 255]) == nil)
        #expect(outcome(of: [0, 0, 0])?.state == .settled)
    }

    @Test("Damaged frames neither count nor restart the count")
    func damaged() throws {
        let end = try #require(outcome(of: [nil, 0.4, nil, 0.4, nil, nil, 0.4]))
        #expect(end.frame == 6 && end.state == .settled)
    }

    @Test("Light that never settles gets two seconds, on the frames' clock")
    func timeOut() throws {
        let flicker = (0..<100).map { $0 % 2 == 0 ? 0.3 : 0.4 }
        let end = try #require(outcome(of: flicker))
        #expect(end.frame == 61 && end.state == .timedOut)
        #expect(time(60) < start + .seconds(2) && time(61) >= start + .seconds(2))
        let broken = try #require(outcome(of: Array(repeating: nil, count: 100)))
        #expect(broken.frame == 61 && broken.state == .timedOut)
    }

    @Test("The frame at the time limit may still settle it")
    func inTime() {
        var settling = ExposureSettling()
        #expect(settling.deadline == nil)
        settling.note(0.5, at: start, epoch: 0)
        #expect(settling.deadline == start + .seconds(2))
        settling.note(0.5, at: start + .seconds(1), epoch: 0)
        #expect(settling.note(0.5, at: start + .seconds(3), epoch: 0) == .settled)
    }

    @Test("A settled exposure stays settled until a new epoch")
    func epochs() {
        var settling = ExposureSettling()
        for frame in 0..<3 { settling.note(0.4, at: time(frame), epoch: 1) }
        #expect(settling.note(0.9, at: time(3), epoch: 1) == .settled)
        #expect(settling.note(0.9, at: time(4), epoch: 2) == .settling)
        #expect(settling.deadline == time(4) + .seconds(2))
        #expect(settling.note(0.9, at: time(5), epoch: 2) == .settling)
        #expect(settling.note(0.9, at: time(6), epoch: 2) == .settled)
    }
}
