// SPDX-License-Identifier: MIT
// Which frames a rate leaves.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapStreams

@Suite struct RateLimitTests {
    private func admitted(_ rate: FrameRate?, _ milliseconds: [Double], of frames: FrameRate? = FrameRate(30))
        -> [Double]
    {
        var limit = RateLimit(rate, of: frames)
        return milliseconds.filter { limit.admits(.zero + .nanoseconds(Int64($0 * 1e6))) }
    }

    @Test func withoutARateAllAreAdmitted() { #expect(admitted(nil, [0, 1, 2, 3]) == [0, 1, 2, 3]) }

    @Test func jitterDoesNotCostFrames() {
        // Thirty frames a second, up to 5 ms late, of which every second is wanted.
        var random = SeededRandom(seed: 5)
        let times = (0..<300).map { Double($0) * 100 / 3 + Double.random(in: 0...5, using: &random) }
        let taken = admitted(FrameRate(15), times)
        #expect(taken == times.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
    }

    @Test func aHigherRateThanTheCamerasAdmitsAll() {
        let times = (0..<20).map { Double($0) * 100 / 3 }
        #expect(admitted(FrameRate(60), times) == times)
    }

    @Test func afterAGapNothingIsMadeUpFor() {
        #expect(admitted(FrameRate(10), [0, 100, 1000, 1010, 1050, 1100], of: FrameRate(100)) == [0, 100, 1000, 1100])
    }

    @Test func aClockThatIsSetBackBeginsAnew() {
        #expect(admitted(FrameRate(10), [5000, 5100, 0, 50, 100], of: nil) == [5000, 5100, 0, 100])
    }
}
