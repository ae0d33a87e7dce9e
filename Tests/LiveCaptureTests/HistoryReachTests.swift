// SPDX-License-Identifier: MIT
// How far back the history is promised to reach: judged by the camera's frames, not by the largest possible ones.

import FrameRing
import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct HistoryReachTests {
    private static let largest = 153_600
    private static let jpeg = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 320, height: 240))

    /// Publishes frames `apart` ms apart until a verdict is reached. Returns it and the number of frames.
    private func verdict(
        frameBytes: Int, past: Duration, framesBefore: Int = 0, apart: Int64 = 10, ring seconds: Double = 0.4
    ) throws -> (HistoryReach.Verdict, frames: Int) {
        let plan = try #require(
            RingCapacity(duration: .seconds(seconds), byteCap: 1 << 30).plan(format: Self.jpeg, rate: FrameRate(100)))
        let (ring, _) = try #require(Ring.slabs(plan, format: Self.jpeg))
        var producer = RingProducer(filling: ring)
        var reach = HistoryReach(ring, interval: .milliseconds(10))
        for number in 0..<1000 {
            guard let slot = producer.claim(byteCount: frameBytes) else { break }
            producer.publish(slot, FrameMetadata(time: moment(Double(apart) * Double(number)), byteCount: frameBytes))
            let verdict = reach.verdict(past: past, framesBefore: framesBefore)
            if verdict != .growing { return (verdict, number + 1) }
        }
        return (.growing, 1000)
    }

    @Test func smallFramesReachBackFartherThanTheLargestWould() throws {
        // About eight of the largest frames fit: 70 ms.
        let (verdict, frames) = try verdict(frameBytes: 12_000, past: .milliseconds(300), framesBefore: 7)
        #expect(verdict == .reached && frames == 38)
    }

    @Test func framesOfTheLargestSizeReachBackAsFarAsTheyFit() throws {
        #expect(try verdict(frameBytes: Self.largest, past: .milliseconds(40)).0 == .reached)
        guard case .tooShort(let span) = try verdict(frameBytes: Self.largest, past: .milliseconds(300)).0 else {
            Issue.record("300 ms of eight frames")
            return
        }
        #expect(span >= .milliseconds(50) && span < .milliseconds(100))
    }

    @Test func theMomentIsServedWithFewerFramesBeforeItThanWereWished() throws {
        #expect(try verdict(frameBytes: Self.largest, past: .milliseconds(40), framesBefore: 15).0 == .reached)
    }

    @Test func aFarMomentIsRefusedBeforeHistoryIsFull() throws {
        let (verdict, frames) = try verdict(frameBytes: 12_000, past: .seconds(60), ring: 5)
        guard case .tooShort = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(frames == 8)
    }

    /// In the dark, cameras deliver fewer frames than they promised. The same slots then reach farther back, and
    /// `framesBefore` counts frames.
    @Test func slowFramesReachBackFarther() throws {
        let (verdict, frames) = try verdict(
            frameBytes: 12_000, past: .milliseconds(800), framesBefore: 7, apart: 40)
        #expect(verdict == .reached && frames == 28)
    }
}
