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

    /// A microphone that was just plugged in, on a machine that is busy with it: the first stamps are late by up to 31
    /// ms.
    @Test(arguments: [48_000.0, 48_014, 47_520, 44_100]) func aBusyBeginningDoesNotTiltTheLine(rate: Double) throws {
        var ratio = ClockRatio()
        var worst = 0.0
        for number in 1...200 {
            let count = Double(480 * number)
            let late = max(0, 31 - 7 * Double(number - 1))
            _ = ratio.add(
                SoundStamp(count: Int64(count), time: Timestamp(nanoseconds: Int64(count / rate * 1e9 + late * 1e6))))
            // The track waits until then.
            guard ratio.isSettled else { continue }
            let found = ratio.line
            let line = try #require(found)
            // What is captured now, and what the track is made of now.
            for place in [count, count - 12_000, count + 4800] where place >= 0 {
                worst = max(worst, abs(Double(line.time(of: place).nanoseconds) * 1e-6 - place / rate * 1e3))
            }
        }
        #expect(worst < 6, "\(worst) ms")
        let found = ratio.line
        #expect(try abs(#require(found).rate / rate - 1) < 0.002)
    }

    /// At the 33rd stamp there was one point for all before, and the line went through that and the stamp.
    @Test(arguments: 7...80) func oneLateStampDoesNotTiltTheLine(late: Int) throws {
        var ratio = ClockRatio()
        for number in 1...100 {
            let time = Int64(number) * 10_000_000 + (number == late ? 31_000_000 : 0)
            _ = ratio.add(SoundStamp(count: Int64(480 * number), time: Timestamp(nanoseconds: time)))
            // The track waits until then.
            guard ratio.isSettled else { continue }
            let found = ratio.line
            let end = try #require(found).time(of: Double(480 * number)).nanoseconds
            #expect(abs(end - Int64(number) * 10_000_000) < 1_000_000, "\(number)")
        }
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
