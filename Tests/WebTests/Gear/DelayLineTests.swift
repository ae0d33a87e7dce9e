// SPDX-License-Identifier: MIT
// Bytes on a long way: when they come out, in which order, and how many may be under way.

import LivecapFrames
import LivecapWebGear
import Testing

@Suite struct DelayLineTests {
    private func at(_ milliseconds: Int) -> Timestamp { .zero + .milliseconds(milliseconds) }

    @Test func nothingComesOutBeforeItsTime() {
        var line = DelayLine(.init(delay: .milliseconds(200)))
        line.put(.bytes([1]), at: at(5))
        #expect(line.nextDue == at(205))
        #expect(line.take(at: at(204)) == nil)
        #expect(line.take(at: at(205)) == .bytes([1]))
        #expect(line.take(at: at(999)) == nil && line.nextDue == nil)
    }

    @Test func theOrderIsKeptWhenTheDelayBecomesShorter() {
        var line = DelayLine(.init(delay: .milliseconds(500)))
        line.put(.bytes([1]), at: at(0))
        line.pace.delay = .milliseconds(10)
        line.put(.bytes([2]), at: at(1))
        line.put(.end, at: at(2))
        #expect(line.take(at: at(499)) == nil)
        #expect((0..<3).map { _ in line.take(at: at(500)) } == [.bytes([1]), .bytes([2]), .end])
    }

    @Test func bytesFlowAtTheirRate() {
        var line = DelayLine(.init(delay: .milliseconds(100), bytesPerSecond: 40_960))
        line.put(.bytes([UInt8](repeating: 7, count: 10_240)), at: at(0))
        var times: [Timestamp] = []
        var count = 0
        while let due = line.nextDue {
            times.append(due)
            if case .bytes(let bytes) = line.take(at: due) { count += bytes.count }
        }
        // 4096 bytes take 100 ms, and the last 2048 take 50.
        #expect(times == [at(200), at(300), at(350)])
        #expect(count == 10_240)
    }

    @Test func aRateIsSharedByWhatFollows() {
        var line = DelayLine(.init(bytesPerSecond: 1000))
        line.put(.bytes([UInt8](repeating: 1, count: 100)), at: at(0))
        line.put(.bytes([UInt8](repeating: 2, count: 100)), at: at(10))
        _ = line.take(at: at(100))
        #expect(line.nextDue == at(200))
    }

    @Test func aFullLineTakesNothingUntilBytesHaveLeft() {
        var line = DelayLine(.init(delay: .milliseconds(50), capacity: 3))
        line.put(.bytes([1, 2]), at: at(0))
        #expect(line.isTaking)
        line.put(.bytes([3]), at: at(1))
        #expect(!line.isTaking && line.held == 3)
        _ = line.take(at: at(50))
        #expect(line.isTaking && line.held == 1)
    }

    @Test func aStalledLineHoldsWhatIsDue() {
        var line = DelayLine(.init())
        line.put(.bytes([1]), at: at(0))
        line.pace.isStalled = true
        #expect(line.nextDue == nil && !line.isTaking && line.take(at: at(1000)) == nil)
        line.pace.isStalled = false
        #expect(line.take(at: at(1000)) == .bytes([1]))
    }

    @Test func manyItemsComeOutInOrder() {
        var line = DelayLine(.init(delay: .milliseconds(1)))
        for number in 0..<2000 { line.put(.bytes([UInt8(truncatingIfNeeded: number)]), at: at(number)) }
        var (taken, next) = (0, UInt8(0))
        while case .bytes(let bytes) = line.take(at: at(5000)) {
            #expect(bytes == [next])
            (taken, next) = (taken + 1, next &+ 1)
        }
        #expect(taken == 2000 && line.held == 0)
    }
}
