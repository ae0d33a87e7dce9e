// SPDX-License-Identifier: MIT
// The ratio of two clocks, measured by stamps that are late.

import LivecapFrames
import LivecapSeededRandom
import LivecapSound
import Testing

@Suite struct ClockRatioTests {
    /// Stamps of `seconds` every 10 ms, late by up to `jitter` milliseconds, some by 40 ms more.
    private func measured(
        rate: Double, seconds: Double, jitter: Double = 1, busyEvery: Int = 0
    ) throws -> (ppm: Double, error: Double) {
        var random = SeededRandom(seed: 3)
        var ratio = ClockRatio()
        var count: Int64 = 0
        let begin = 5000e9
        func truth(_ count: Double) -> Double { begin + count / rate * 1e9 }
        for number in 1...Int(seconds * 100) {
            count += 480
            var late = Double.random(in: 0..<jitter, using: &random) * 1e6
            if busyEvery > 0, number % busyEvery == 0 { late += 40e6 }
            let time = Timestamp(nanoseconds: Int64(truth(Double(count)) + late))
            let isOnLine = ratio.add(SoundStamp(count: count, time: time))
            #expect(isOnLine)
        }
        let found = ratio.line
        let line = try #require(found)
        // A quarter of a second before the newest stamp, where the track is made.
        let place = Double(count) - 12_000
        let error = (Double(line.time(of: place).nanoseconds) - truth(place)) * 1e-6 - jitter / 2
        return ((line.rate / rate - 1) * 1e6, error)
    }

    @Test(arguments: [-300.0, 300, 20_833, -1]) func itConverges(ppm: Double) throws {
        let rate = 48_000 * (1 + ppm * 1e-6)
        let short = try measured(rate: rate, seconds: 1)
        #expect(abs(short.ppm) < 500 && abs(short.error) < 0.3, "\(short)")
        let long = try measured(rate: rate, seconds: 10)
        #expect(abs(long.ppm) < 20 && abs(long.error) < 0.1, "\(long)")
        let longer = try measured(rate: rate, seconds: 60)
        #expect(abs(longer.ppm) < 2 && abs(longer.error) < 0.05, "\(longer)")
    }

    @Test func veryLateStampsDoNotCount() throws {
        let found = try measured(rate: 48_010, seconds: 20, busyEvery: 7)
        #expect(abs(found.ppm) < 20 && abs(found.error) < 0.1, "\(found)")
    }

    @Test func fewStampsShowNothing() {
        var ratio = ClockRatio()
        for number in 1...5 {
            let time = Timestamp(nanoseconds: Int64(number) * 10_000_000)
            _ = ratio.add(SoundStamp(count: Int64(480 * number), time: time))
        }
        let line = ratio.line
        #expect(line == nil)
    }

    @Test func aCountThatLeavesItsLineIsNoticed() {
        var ratio = ClockRatio()
        var answers: [Bool] = []
        for number in 1...300 {
            // A tenth of a second is missing after the second.
            let time = Int64(number) * 10_000_000 + (number > 200 ? 100_000_000 : 0)
            answers.append(ratio.add(SoundStamp(count: Int64(480 * number), time: Timestamp(nanoseconds: time))))
        }
        let first = answers.firstIndex(of: false)
        #expect(first != nil && first! >= 200 && first! < 230)
    }
}
