// SPDX-License-Identifier: MIT
// How much of the past is promised: what frames of this camera take, not the largest there could be.

import FrameRing
import Frames
import Testing

@testable import LiveCapture

@Suite struct HistoryReachTests {
    private static let largest = 153_600
    private static let jpeg = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 320, height: 240))

    /// Publishes frames 10 ms apart until a verdict is reached; it, and how many frames that took.
    private func verdict(
        frameBytes: Int, past: TimeSpan, framesBefore: Int = 0, apart: Int64 = 10, ring seconds: Double = 0.4
    ) throws -> (HistoryReach.Verdict, frames: Int) {
        let plan = try #require(
            RingCapacity(duration: .seconds(seconds), byteCap: 1 << 30).plan(format: Self.jpeg, rate: FrameRate(100)))
        let (ring, _) = try #require(FrameRing.slabs(plan, format: Self.jpeg))
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
        // Some eight of the largest fit: 70 ms.
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

    /// In the dark, cameras give fewer frames than they said: the same slots reach back further, and frames are what is wished.
    @Test func slowFramesReachBackFarther() throws {
        let (verdict, frames) = try verdict(
            frameBytes: 12_000, past: .milliseconds(800), framesBefore: 7, apart: 40)
        #expect(verdict == .reached && frames == 28)
    }
}
