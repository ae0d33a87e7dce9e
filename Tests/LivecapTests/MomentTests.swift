// SPDX-License-Identifier: MIT
// The default moment for a file, and the words while a future moment is awaited.

import LivecapFrames
import Testing

@testable import livecap

@Suite struct MomentTests {
    private let interval = Duration.milliseconds(10)

    /// Frames at these times in milliseconds. Those in `gaps` follow lost frames; those in
    /// `damaged` are damaged.
    private func frames(_ times: [Int64], gaps: Set<Int64> = [], damaged: Set<Int64> = []) -> [FrameMetadata] {
        times.enumerated().map { number, time in
            var frame = FrameMetadata(
                time: Timestamp(nanoseconds: 1_000_000_000 + time * 1_000_000), byteCount: 1,
                flags: gaps.contains(time) ? .gapBefore : [], damage: damaged.contains(time) ? .short : .none)
            frame.id = FrameID(epoch: 0, counter: UInt64(number))
            return frame
        }
    }

    private func offset(_ frames: [FrameMetadata], _ count: Int) -> String {
        let found = MomentWithHistory.offset(in: frames, count: count, interval: interval)
        return "\(found.offset.milliseconds) \(found.frames)"
    }

    @Test func theFirstFrameWithEnoughBeforeItIsTheMoment() {
        #expect(offset(frames([0, 10, 20, 30, 40]), 4) == "30.0 4")
        #expect(offset(frames([0, 10, 20]), 8) == "20.0 3")
        #expect(offset([], 8) == "0.0 0")
    }

    @Test func framesBehindAHoleBeginAnew() {
        #expect(offset(frames([0, 10, 500, 510, 520, 530]), 4) == "530.0 4")
        #expect(offset(frames([0, 10, 20, 30, 40, 50], gaps: [20]), 4) == "50.0 4")
    }

    @Test func aDamagedFrameIsNoMoment() {
        #expect(offset(frames([0, 10, 20, 30, 40], damaged: [30]), 4) == "40.0 5")
    }

    @Test func aWaitSaysForWhatAndHowLong() {
        #expect(
            MomentWait.words(left: .milliseconds(58_300), taken: 0, of: 1) == "waiting for the moment, 59 s from now")
        #expect(
            MomentWait.words(left: .milliseconds(2_340), taken: 2, of: 10)
                == "waiting for picture 3 of 10, 2.3 s from now")
    }
}
