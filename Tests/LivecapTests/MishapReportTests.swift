// SPDX-License-Identifier: MIT
// What `record` and `share` say of a stream's interruptions: each, also one like an earlier one.

import LivecapFrames
import Testing

@testable import Camera
@testable import livecap

@Suite struct MishapReportTests {
    private typealias Interruption = CaptureLoop.Interruption

    private func unplugged(_ number: Int, before frame: UInt64) -> Interruption {
        Interruption(
            number: number, cause: .unplugged, reason: "the camera was unplugged", firstFrameAfter: frame, isAway: true)
    }

    private let waiting = "the camera was unplugged; waiting (Ctrl-C ends)"
    private let back = "frames are arriving again"

    @Test func everyUnplugIsReported() {
        var report = MishapReport(onUnplug: .wait())
        #expect(report.lines(nil, [], frames: 9).isEmpty)
        for number in 1...3 {
            let frame = UInt64(number * 10)
            #expect(report.lines(unplugged(number, before: frame), [], frames: frame) == [waiting])
            #expect(report.lines(unplugged(number, before: frame), [], frames: frame).isEmpty)
            #expect(report.lines(unplugged(number, before: frame), [], frames: frame + 1) == [back])
            #expect(report.lines(unplugged(number, before: frame), [], frames: frame + 2).isEmpty)
        }
    }

    @Test func anInterruptionBetweenTwoLooksIsReportedWithItsEnd() {
        var report = MishapReport(onUnplug: .wait())
        #expect(report.lines(unplugged(1, before: 10), [], frames: 20) == [waiting, back])
        #expect(report.lines(unplugged(2, before: 20), [], frames: 20) == [waiting])
        #expect(report.lines(unplugged(3, before: 25), [], frames: 25) == [back, waiting])
    }

    @Test func anotherReasonWithoutFramesIsNoReturn() {
        var report = MishapReport(onUnplug: .wait())
        _ = report.lines(unplugged(1, before: 10), [], frames: 10)
        let busy = CameraError.busy(path: "/dev/video0", holder: "cheese (pid 7)")
        let other = Interruption(
            number: 2, cause: .busy(busy), reason: busy.message, firstFrameAfter: 10, isAway: true)
        let lines = report.lines(other, [], frames: 10)
        #expect(lines.count == 1 && lines[0].contains("cheese") && lines[0].contains("waiting until it is free"))
    }

    @Test func anotherCameraGoesOn() {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 8, height: 8))
        let other = SourceDescription(name: "Eye", identity: "e", format: format, rate: nil, clock: .monotonic)
        var report = MishapReport(onUnplug: .next())
        let lines = report.lines(
            unplugged(1, before: 10), [.moved(to: other, firstFrame: 10), .recovered, .slow(reason: "slow")],
            frames: 11)
        #expect(
            lines == [
                "the camera was unplugged; going on as soon as a camera can be used (Ctrl-C ends)",
                "going on with Eye", "slow", back,
            ])
    }
}
