// SPDX-License-Identifier: MIT
// What is loud is noticed, and what is usual is not.

import Glibc
import LivecapFrames
import LivecapSeededRandom
import LivecapThreads
import Testing

@testable import LivecapSound

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct SoundDetectorTests {
    private static let rate = 48_000
    private static let size = 480

    /// What a detector notices of a sound, in pieces of 10 ms from time 0 on: in seconds.
    private func listen(
        _ trigger: SoundTrigger, seconds: Double, channels: Int = 1, _ sound: (Double, Int) -> Float
    ) -> [TriggerEvent] {
        var detector = SoundDetector(trigger, channels: channels)
        var events: [TriggerEvent] = []
        var block = [Float](repeating: 0, count: Self.size * channels)
        for piece in 0..<Int(seconds * 100) {
            for index in 0..<Self.size {
                let time = Double(piece * Self.size + index) / Double(Self.rate)
                for channel in 0..<channels { block[index * channels + channel] = sound(time, channel) }
            }
            let time = Timestamp(nanoseconds: Int64(piece) * 10_000_000)
            let event = block.withUnsafeBufferPointer { detector.take($0, at: time, rate: Self.rate) }
            if let event { events.append(event) }
        }
        return events
    }

    private func causes(_ events: [TriggerEvent]) -> [TriggerCause] {
        events.compactMap { if case .began(let cause) = $0 { cause } else { nil } }
    }

    /// A room at about -50 dB, the same in every run.
    private func room(_ seed: UInt64 = 1) -> (Double, Int) -> Float {
        var random = SeededRandom(seed: seed)
        return { _, _ in Float.random(in: -0.0055..<0.0055, using: &random) }
    }

    @Test func aRoomIsNotLoud() {
        #expect(listen(SoundTrigger(), seconds: 20, room()).isEmpty)
        #expect(listen(SoundTrigger(.aboveUsual(6)), seconds: 20, room(2)).isEmpty)
    }

    @Test func aClapIsNoticedAtItsTime() throws {
        let quiet = room()
        let events = listen(SoundTrigger(quiet: .seconds(1)), seconds: 8) { time, channel in
            let since = time - 4
            guard since >= 0, since < 0.02 else { return quiet(time, channel) }
            return Float(0.5 * sin(2 * .pi * 1500 * since) * exp(-since / 0.005))
        }
        try #require(events.count == 2)
        let cause = causes(events)[0]
        #expect(cause.kind == .sound && cause.time == Timestamp(nanoseconds: 4_000_000_000))
        #expect(cause.noticed == Timestamp(nanoseconds: 4_010_000_000))
        let sound = try #require(cause.sound)
        #expect(sound.level > -25 && sound.usual < -45 && sound.usual > -58)
        guard case .ended(.sound, let last) = events[1] else {
            Issue.record("\(events)")
            return
        }
        #expect(last >= cause.noticed && last <= cause.time + .milliseconds(40))
    }

    @Test func aClickInTheFirstSecondIsNotUsual() {
        let quiet = room()
        let events = listen(SoundTrigger(quiet: .milliseconds(100)), seconds: 5) { time, channel in
            let rest = time - time.rounded(.down)
            return rest < 0.002 ? Float(0.8 * sin(2 * .pi * 2000 * rest)) : quiet(time, channel)
        }
        // Of the seconds 1 to 4.
        #expect(causes(events).map { $0.time.nanoseconds / 1_000_000_000 } == [1, 2, 3, 4])
    }

    @Test func whatStaysBecomesUsual() {
        let quiet = room()
        // A fan of -20 dB is switched on.
        let events = listen(SoundTrigger(quiet: .seconds(1)), seconds: 40) { time, channel in
            quiet(time, channel) * (time < 4 ? 1 : 30)
        }
        #expect(causes(events).count == 1)
        var detector = SoundDetector(SoundTrigger(), channels: 1)
        let loud = [Float](unsafeUninitializedCapacity: Self.size) { buffer, count in
            var random = SeededRandom(seed: 9)
            for index in 0..<Self.size { buffer[index] = Float.random(in: -0.2..<0.2, using: &random) }
            count = Self.size
        }
        for piece in 0..<3000 {
            let time = Timestamp(nanoseconds: Int64(piece) * 10_000_000)
            _ = loud.withUnsafeBufferPointer { detector.take($0, at: time, rate: Self.rate) }
        }
        #expect(detector.usual.map { abs($0 + 18.8) < 1.5 } == true)
    }

    @Test func aLevelIsWhatItSays() {
        func count(_ level: Double) -> Int {
            let trigger = SoundTrigger(.level(level))
            // -23 dB: a sine of 0.1.
            let events = listen(trigger, seconds: 3) { time, _ in
                time < 2 ? 0.0001 * Float(sin(2 * .pi * 440 * time)) : 0.1 * Float(sin(2 * .pi * 440 * time))
            }
            return causes(events).count
        }
        #expect(count(-22) == 0)
        #expect(count(-24) == 1)
    }

    @Test func theLouderChannelCounts() {
        let events = listen(SoundTrigger(.level(-24)), seconds: 3, channels: 2) { time, channel in
            (channel == 1 && time > 2 ? 0.1 : 0.0001) * Float(sin(2 * .pi * 440 * time))
        }
        #expect(causes(events).count == 1)
    }

    @Test func theOffsetOfAMicrophoneAndWindAreNotLoud() {
        let quiet = room()
        let events = listen(SoundTrigger(.level(-30)), seconds: 6) { time, channel in
            quiet(time, channel) + 0.3 + 0.1 * Float(sin(2 * .pi * 5 * time))
        }
        #expect(events.isEmpty)
    }

    @Test func silenceWithoutAMicrophoneSaysNothing() {
        let quiet = room()
        // Away for ten seconds: what was usual stays so.
        let events = listen(SoundTrigger(), seconds: 20) { time, channel in
            time > 4 && time < 14 ? 0 : quiet(time, channel)
        }
        #expect(events.isEmpty)
    }

    @Test func aCapturesSoundIsListenedTo() async throws {
        // It clicks at each whole second.
        let capture = try SoundCapture(.automatic, in: SyntheticMicrophones(), past: .seconds(30))
        var causes: [TriggerCause] = []
        for await case .began(let cause) in try capture.triggerEvents(SoundTrigger(quiet: .milliseconds(100))) {
            causes.append(cause)
            if causes.count == 2 { break }
        }
        for cause in causes {
            let rest = cause.time.nanoseconds % 1_000_000_000
            #expect(min(rest, 1_000_000_000 - rest) < 25_000_000, "\(rest)")
        }
        capture.stop()
    }

    @Test func eventsEndWithTheCapture() async throws {
        let capture = try SoundCapture(.automatic, in: SyntheticMicrophones(), past: .seconds(30))
        let events = try capture.triggerEvents(SoundTrigger(.level(0)))
        try SystemThread(name: "stop") { capture.stop() }.detach()
        for await event in events { Issue.record("\(event)") }
    }
}
