// SPDX-License-Identifier: MIT
// One track without a hole, whose sound is where it was heard.

import Glibc
import LivecapFrames
import LivecapSound
import Testing

@Suite struct SoundTimelineTests {
    /// The middle of a click of 1 ms.
    private static let middle = 0.0005

    /// The largest distance of each click from the truth, in milliseconds, after `settled` seconds.
    private func worst(_ listener: TrackListener, after settled: Double = 0) throws -> Double {
        let clicks = listener.clicks
        try #require(!clicks.isEmpty)
        return clicks.filter { $0 > settled }.map { abs($0 - Self.middle - ($0 - Self.middle).rounded()) * 1000 }.max()!
    }

    /// Plays a device live: the track is made a third of a second later, as movies do.
    private func listen(
        _ microphone: SimulatedMicrophone, seconds: Double, start: Double = 100
    ) throws -> TrackListener {
        var microphone = microphone
        let history = SoundHistory(channels: 1, seconds: 4)
        let listener = TrackListener(history, start: start)
        let isWhole = microphone.capture(history, from: start - 0.5, to: start + seconds) {
            if $0 > start { listener.advance(to: $0 - 0.3, now: $0) }
        }
        try #require(isWhole)
        return listener
    }

    @Test(arguments: [300.0, -300]) func tenMinutesOfAWrongClockStayInPlace(ppm: Double) throws {
        var microphone = SimulatedMicrophone(rate: 48_000 * (1 + ppm * 1e-6))
        microphone.jitter = 1e6
        let listener = try listen(microphone, seconds: 600)
        #expect(listener.clicks.count >= 599)
        // Half a millisecond is the mean lateness of the stamps.
        #expect(try worst(listener) < 1.2)
        #expect(try worst(listener, after: 110) < 0.7)
        #expect(listener.timeline.corrections == 0)
    }

    @Test(arguments: [47_000.0, 44_100, 16_000, 8000, 96_000]) func whatACardClaimsDoesNotMatter(rate: Double) throws {
        var microphone = SimulatedMicrophone(rate: rate)
        microphone.period = Int(rate / 100)
        microphone.jitter = 3e5
        let listener = try listen(microphone, seconds: 30)
        #expect(listener.clicks.count >= 29)
        #expect(try worst(listener) < 0.8)
    }

    @Test func aBusyMachineChangesNothing() throws {
        var microphone = SimulatedMicrophone(rate: 48_005)
        microphone.jitter = 1e6
        microphone.busyEvery = 9
        #expect(try worst(try listen(microphone, seconds: 60)) < 1.2)
    }

    @Test func tenMicrophonesMakeOneTrack() throws {
        let history = SoundHistory(channels: 1, seconds: 4)
        let start = 1000.0
        let listener = TrackListener(history, start: start)
        var time = start
        for number in 0..<10 {
            var microphone = SimulatedMicrophone(rate: [48_010.0, 44_100, 15_990, 47_000, 48_000][number % 5])
            microphone.jitter = 5e5
            microphone.period = 160
            // Away for 0.7 s, at another moment of the second each time.
            _ = microphone.capture(history, from: time + 0.7, to: time + 4.13) {
                listener.advance(to: $0 - 0.3, now: $0)
            }
            history.end()
            time += 4.13
        }
        listener.advance(to: time, now: time + 5)
        // Every sample of the track is there, whatever microphones did.
        #expect(abs(Double(listener.samples.count) / 48_000 - (time - start)) < 0.011)
        #expect(try worst(listener) < 0.8)
        // Each of them was heard at least three times.
        #expect(listener.clicks.count >= 30)
        let silent = Double(listener.timeline.silent) / 48_000
        #expect(abs(silent - 7) < 0.3, "\(silent)")
    }

    @Test func anOverrunIsSilenceOfItsLength() throws {
        let history = SoundHistory(channels: 1, seconds: 4)
        let listener = TrackListener(history, start: 100)
        var microphone = SimulatedMicrophone(rate: 48_014)
        microphone.sound = { Float(0.5 * sin(2 * .pi * 300 * $0)) }
        _ = microphone.capture(history, from: 99, to: 101)
        // 1.4 s were lost; the count begins anew.
        _ = microphone.capture(history, from: 102.4, to: 104)
        listener.advance(to: 103.5, now: 110)
        let quiet = listener.samples.indices.filter { abs(listener.samples[$0]) < 1e-4 }
        let longest = longestRun(quiet)
        #expect(abs(Double(longest.lowerBound) / 48_000 - 1) < 0.002, "\(longest)")
        #expect(abs(Double(longest.upperBound) / 48_000 - 2.4) < 0.002, "\(longest)")
        // Nothing clicks at its edges: no step is larger than the tone's own.
        let steps = zip(listener.samples, listener.samples.dropFirst()).map { abs($1 - $0) }
        #expect(steps.max()! < 0.5 * 2 * .pi * 300 / 48_000 * 1.3)
    }

    @Test func samplesThatADeviceLosesSilentlyAreNoticed() throws {
        let history = SoundHistory(channels: 1, seconds: 8)
        var microphone = SimulatedMicrophone(rate: 48_000)
        let isWhole = microphone.capture(history, from: 100, to: 110, skipping: 104..<104.2)
        #expect(!isWhole)
    }

    @Test func soundAfterASilentLossIsNotHeardAtTheWrongTime() throws {
        let history = SoundHistory(channels: 1, seconds: 8)
        let listener = TrackListener(history, start: 100)
        var microphone = SimulatedMicrophone(rate: 48_000)
        microphone.jitter = 1e6
        // The click at 105 s comes before it is clear that samples are missing.
        let isWhole = microphone.capture(history, from: 99, to: 110, skipping: 103.3..<104.9) {
            if $0 > 100 { listener.advance(to: $0 - 0.3, now: $0) }
        }
        try #require(!isWhole)
        _ = microphone.capture(history, from: 105.3, to: 108) { listener.advance(to: $0 - 0.3, now: $0) }
        #expect(listener.clicks.map { $0.rounded() } == [100, 101, 102, 103, 106, 107])
        #expect(try worst(listener) < 1.2)
    }

    @Test func soundThatStallsIsSilenceAndHoldsUpNothing() throws {
        let history = SoundHistory(channels: 1, seconds: 4)
        let listener = TrackListener(history, start: 100)
        var microphone = SimulatedMicrophone(rate: 48_000)
        _ = microphone.capture(history, from: 99, to: 101)
        // It is still open, but nothing comes: waited for for two seconds, then silent.
        listener.advance(to: 101.5, now: 101.8)
        let waiting = Double(listener.samples.count) / 48_000
        #expect(waiting <= 1 && waiting > 0.9)
        listener.advance(to: 103, now: 105.1)
        #expect(abs(Double(listener.samples.count) / 48_000 - 3) < 0.011)
        #expect(listener.samples.allSatisfy { $0.isFinite })
    }

    @Test func withoutAMicrophoneTheTrackIsSilentAndGoesOn() {
        let history = SoundHistory(channels: 2, seconds: 1)
        let listener = TrackListener(history, start: 100)
        listener.advance(to: 101, now: 101.3)
        #expect(listener.samples.count == 96_000 && listener.samples.allSatisfy { $0 == 0 })
        #expect(listener.timeline.silent == 48_000)
    }

    @Test func itReachesBackAsFarAsTheHistory() throws {
        let history = SoundHistory(channels: 1, seconds: 5)
        var microphone = SimulatedMicrophone(rate: 48_003)
        _ = microphone.capture(history, from: 100, to: 120)
        let listener = TrackListener(history, start: 116.2)
        listener.advance(to: 119.5, now: 120)
        #expect(listener.clicks.map { $0.rounded() } == [117, 118, 119])
        #expect(try worst(listener) < 0.1)
    }

    @Test func channelsAreMadeTheTracks() {
        let history = SoundHistory(channels: 2, seconds: 2)
        var microphone = SimulatedMicrophone(rate: 48_000)
        microphone.sound = { _ in 0.25 }
        _ = microphone.capture(history, from: 99, to: 101)
        let both = TrackListener(history, start: 100)
        both.advance(to: 100.5, now: 101)
        #expect(both.samples.count == 48_000 && both.samples.allSatisfy { abs($0 - 0.25) < 1e-4 })
        let single = SoundHistory(channels: 1, seconds: 2)
        microphone.channels = 2
        _ = microphone.capture(single, from: 99, to: 101)
        let one = TrackListener(single, start: 100)
        one.advance(to: 100.5, now: 101)
        #expect(one.samples.count == 24_000 && one.samples.allSatisfy { abs($0 - 0.25) < 1e-4 })
    }

    // MARK: The interpolation

    /// The level of a tone after interpolation, and of all else, both in decibels of the tone's own.
    private func tone(_ frequency: Double, rate: Double) throws -> (level: Double, rest: Double) {
        let history = SoundHistory(channels: 1, seconds: 8, rate: Int(rate))
        var microphone = SimulatedMicrophone(rate: rate)
        microphone.period = Int(rate / 100)
        microphone.sound = { Float(0.5 * sin(2 * .pi * frequency * $0)) }
        _ = microphone.capture(history, from: 99, to: 103)
        let listener = TrackListener(history, start: 100)
        listener.advance(to: 102, now: 103)
        let samples = listener.samples[24_000..<72_000].map(Double.init)
        var (sine, cosine) = (0.0, 0.0)
        for (index, value) in samples.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / 48_000
            sine += 2 * value * sin(angle) / Double(samples.count)
            cosine += 2 * value * cos(angle) / Double(samples.count)
        }
        var rest = 0.0
        for (index, value) in samples.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / 48_000
            let left = value - sine * sin(angle) - cosine * cos(angle)
            rest += left * left / Double(samples.count)
        }
        let power = (sine * sine + cosine * cosine) / 2
        return (10 * log10(power / 0.125), 10 * log10(rest / 0.125))
    }

    @Test(arguments: [
        (100.0, 48_000.0), (1000, 47_000), (10_000, 48_014), (18_000, 48_000), (6000, 16_000), (15_000, 44_100),
    ])
    func tonesKeepTheirLevelAndAreAllThereIs(frequency: Double, rate: Double) throws {
        let found = try tone(frequency, rate: rate)
        #expect(abs(found.level) < 0.1 && found.rest < -70, "\(found)")
    }

    @Test func whatTheTrackCannotHoldDoesNotFoldBack() throws {
        // 34 kHz would be heard at 14 kHz.
        let history = SoundHistory(channels: 1, seconds: 4, rate: 96_000)
        var microphone = SimulatedMicrophone(rate: 96_000)
        microphone.period = 960
        microphone.sound = { Float(0.5 * sin(2 * .pi * 34_000 * $0)) }
        _ = microphone.capture(history, from: 99, to: 103)
        let listener = TrackListener(history, start: 100.5)
        listener.advance(to: 102, now: 103)
        #expect(listener.samples.map(abs).max()! < 0.5 * 1e-4)
    }

    private func longestRun(_ indices: [Int]) -> Range<Int> {
        var (longest, begin, last) = (0..<0, 0, -2)
        for index in indices {
            if index != last + 1 { begin = index }
            last = index
            if index + 1 - begin > longest.count { longest = begin..<(index + 1) }
        }
        return longest
    }
}
