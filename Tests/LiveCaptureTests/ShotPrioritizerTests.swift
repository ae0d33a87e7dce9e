// SPDX-License-Identifier: MIT
// Which taps get a lower quality than they asked for.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct ShotPrioritizerTests {
    /// The qualities given to shots whose taps are `intervals` milliseconds apart, the first tap at
    /// once.
    private func given(
        after intervals: [Int64], asked: PhotoQuality = .quality, backlog: Int = 0,
        durations: [PhotoQuality: Duration] = [:], workers: Int = 1
    ) -> [PhotoQuality] {
        var prioritizer = ShotPrioritizer(isEnabled: true)
        var tap = Timestamp(nanoseconds: 77)
        return ([0] + intervals).map { interval in
            tap = tap + .milliseconds(interval)
            let priority = prioritizer.prioritize(
                ShotRequest(tap: tap, asked: asked, backlog: backlog, durations: durations, workers: workers))
            #expect(priority.isSteppedDown == (priority.given != asked))
            return priority.given
        }
    }

    private func many(_ interval: Int64, count: Int = 12) -> [Int64] { Array(repeating: interval, count: count) }

    /// The rank of a quality; higher is better.
    private func rank(_ quality: PhotoQuality) -> Int { [.balanced, .quality].firstIndex(of: quality)! }

    @Test("Off by default, and nothing seen while off counts")
    func off() {
        var prioritizer = ShotPrioritizer()
        func tap(_ milliseconds: Int64) -> PhotoQuality {
            let tap = Timestamp(nanoseconds: 0) + .milliseconds(milliseconds)
            return prioritizer.prioritize(ShotRequest(tap: tap, asked: .quality)).given
        }
        for index in 0..<10 { #expect(tap(Int64(index)) == .quality) }
        prioritizer.isEnabled = true
        #expect(tap(10) == .quality)
        #expect(tap(20) != .quality)
        prioritizer.isEnabled = false
        #expect(tap(30) == .quality)
        prioritizer.isEnabled = true
        #expect(tap(40) == .quality)
    }

    @Test("Steady taps that leave enough time are never stepped down", arguments: [1000, 1001, 1500, 60_000])
    func steadySlow(interval: Int64) {
        #expect(Set(given(after: many(interval, count: 40))) == [.quality])
    }

    @Test(
        "A burst is stepped down from its second or third tap on, also after a long calm", arguments: [100, 300, 600])
    func burst(interval: Int64) {
        for calm in [[], [60_000], [2500, 2500]] as [[Int64]] {
            let tail = given(after: calm + many(interval, count: 6)).dropFirst(calm.count)
            #expect(tail.prefix(2).contains(.quality))
            #expect(tail.dropFirst(2).allSatisfy { $0 == .balanced })
        }
    }

    @Test("However quick taps are, nothing falls below balanced", arguments: [33, 16, 1, 0])
    func floor(interval: Int64) {
        #expect(given(after: many(interval)).last == .balanced)
        let slow: [PhotoQuality: Duration] = [.quality: .seconds(4), .balanced: .seconds(2)]
        #expect(given(after: many(interval), backlog: 50, durations: slow).last == .balanced)
        #expect(Set(given(after: many(interval), asked: .balanced, backlog: 50, durations: slow)) == [.balanced])
    }

    @Test("One pause, or several taps at two thirds of the rate, restore the quality")
    func backUp() {
        #expect(given(after: many(200) + [2000]).last == .quality)
        #expect(given(after: many(200) + many(1600, count: 4)).last == .quality)
    }

    @Test("Taps around the limit do not flap")
    func noFlapping() {
        let intervals = (0..<60).map { Int64($0 % 2 == 0 ? 850 : 1130) }
        let qualities = given(after: many(300) + intervals).dropFirst(3)
        #expect(Set(qualities) == [.balanced])
        // After a calm period there is at most one step down.
        var steps = 0
        let calm = given(after: intervals)
        for (one, next) in zip(calm, calm.dropFirst()) where one != next { steps += 1 }
        #expect(steps <= 1)
    }

    @Test("Known processing times decide, divided by the number of workers")
    func learned() {
        let slow: [PhotoQuality: Duration] = [.quality: .seconds(4), .balanced: .milliseconds(300)]
        #expect(given(after: many(3000), durations: slow).last == .balanced)
        #expect(given(after: many(3000), durations: slow, workers: 2).last == .quality)
        let quick: [PhotoQuality: Duration] = [.quality: .milliseconds(100), .balanced: .milliseconds(5)]
        #expect(Set(given(after: many(120), durations: quick)) == [.quality])
        #expect(given(after: many(10), durations: quick).last == .balanced)
    }

    @Test("While times are unknown, queued shots lower the quality until they are done")
    func backlog() {
        #expect(given(after: many(1500), backlog: 1).allSatisfy { $0 == .quality })
        #expect(given(after: many(1500), backlog: 2).last != .quality)
        #expect(given(after: many(1500), backlog: 2, workers: 2).last == .quality)
        #expect(given(after: many(300) + many(5000), backlog: 1).last == .balanced)
        let known: [PhotoQuality: Duration] = [.quality: .seconds(1), .balanced: .milliseconds(30)]
        #expect(Set(given(after: many(1500), backlog: 2, durations: known)) == [.quality])
    }

    @Test("The other qualities are never changed", arguments: PhotoQuality.allCases.filter { $0 != .quality })
    func others(asked: PhotoQuality) {
        #expect(Set(given(after: many(1), asked: asked, backlog: 50)) == [asked])
    }

    @Test("Shots that take almost no time never lower the quality; slow ones do, of any kind")
    func company() {
        for (other, expected) in [
            (PhotoQuality.single, PhotoQuality.quality), (.speed, .quality), (.merge, .balanced), (.mean, .balanced),
        ] {
            var prioritizer = ShotPrioritizer(isEnabled: true)
            var last: PhotoQuality?
            for index in 0..<40 {
                let tap = Timestamp(nanoseconds: 0) + .milliseconds(100 * Int64(index))
                let asked = index % 15 == 0 ? PhotoQuality.quality : other
                let given = prioritizer.prioritize(ShotRequest(tap: tap, asked: asked)).given
                if asked == .quality { last = given }
            }
            #expect(last == expected, "among \(other)")
        }
    }

    @Test("Taps out of order count as quick succession")
    func disorder() {
        #expect(given(after: [5000, -3000, -1000]).last != .quality)
    }

    @Test("The same taps get the same quality, and slower ones never less")
    func monotonic() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<300 {
            let intervals = (0..<20).map { _ in Int64(Double(1 << random.below(13)) * (0.5 + random.unit())) }
            let slower = intervals.map { $0 + Int64(random.below(3)) * $0 / 4 }
            let (one, other) = (given(after: intervals), given(after: slower))
            #expect(one == given(after: intervals))
            #expect(zip(one, other).allSatisfy { rank($0) <= rank($1) }, "\(intervals) \(slower)")
        }
    }
}
