// SPDX-License-Identifier: MIT
// Packets of a scripted microphone by a scripted clock: what they hold, and when it was heard.

import Glibc
import LivecapFrames
import LivecapSound
import Testing

@testable import LivecapServing

@Suite struct SoundPacketsTests {
    /// A microphone that hears a tone, and whose samples arrive by a clock of the test's.
    private struct Script {
        let history = SoundHistory(channels: 1, seconds: 4)
        let packets: SoundPackets
        static let frequency = 441.0
        static let begin = 1000.0
        /// 200 ppm too fast.
        static let rate = 48_000 * 1.0002
        var time = Self.begin
        var chunks: [(chunk: SoundChunk, made: Double)] = []
        private var count = 0
        private var stretchBegin = Self.begin

        init() throws {
            packets = try SoundPackets(history, from: Self.stamp(Self.begin))
        }

        static func stamp(_ seconds: Double) -> Timestamp {
            Timestamp(nanoseconds: Int64((seconds * 1e9).rounded()))
        }

        /// Connects it.
        mutating func begin() {
            history.begin()
            count = 0
            stretchBegin = time
        }

        /// Periods of 10 ms pass. `isThere` says whether the microphone delivers.
        mutating func pass(_ periods: Int, isThere: Bool = true) throws {
            for _ in 0..<periods {
                var next = time + 0.01
                if isThere {
                    let samples = (0..<480).map { index in
                        let heard = stretchBegin + Double(count + index) / Self.rate
                        return Float(0.5 * sin(2 * .pi * Self.frequency * heard))
                    }
                    count += 480
                    next = stretchBegin + Double(count) / Self.rate
                    let stamp = SoundStamp(count: Int64(count), time: Self.stamp(next))
                    let isWhole = samples.withUnsafeBufferPointer {
                        history.append($0, count: 480, channels: 1, stamp)
                    }
                    #expect(isWhole)
                }
                time = next
                var new: [SoundChunk] = []
                try packets.advance(to: Self.stamp(time)) { new.append($0) }
                chunks += new.map { ($0, time) }
            }
        }
    }

    @Test func packetsHoldTheToneThatWasHeardThen() throws {
        var script = try Script()
        script.begin()
        try script.pass(200)
        let records = try script.chunks.map { try SoundRecord(whole: $0.chunk.record) }
        #expect(records.count > 90)
        let listener = try OpusListener()
        var samples: [Float] = []
        for (index, record) in records.enumerated() {
            #expect(record.number == UInt32(index + 1) && record.channels == 1 && record.samples == 960)
            #expect(record.time == script.chunks[index].chunk.time)
            if index > 0 {
                let distance = record.time - records[index - 1].time
                #expect(abs(distance.nanoseconds - 20_000_000) <= 1, "\(distance)")
            }
            // About 64 kbit/s.
            #expect((20...400).contains(record.packet.count))
            let decoded = listener.samples(record.packet)
            #expect(decoded.count == 960)
            samples += decoded
        }
        // What a decoder makes of the first packet begins before the track does.
        let begin = Double(records[0].time.nanoseconds) / 1e9
        #expect(begin < Script.begin && begin > Script.begin - 0.01)
        let first = 48_000 / 2
        let tone = FoundTone(
            samples[first..<(first + 48_000)], from: begin + 0.5, frequency: Script.frequency)
        #expect(abs(tone.amplitude - 0.5) < 0.05 && abs(tone.delay) < 0.0002, "\(tone)")
    }

    /// From its last sample on, a packet is there within three periods of the microphone.
    @Test func packetsAreThereAtOnce() throws {
        var script = try Script()
        script.begin()
        try script.pass(200)
        for (chunk, made) in script.chunks.suffix(80) {
            let age = made - Double(chunk.time.nanoseconds) / 1e9
            #expect(age > 0.02 && age < 0.055, "\(age)")
        }
    }

    @Test func whileThereIsNoMicrophoneTheyAreSilentAndThenGoOn() throws {
        var script = try Script()
        script.begin()
        try script.pass(100)
        script.history.end()
        let lost = script.chunks.count
        try script.pass(100, isThere: false)
        let back = script.chunks.count
        #expect(back - lost >= 48)
        script.begin()
        try script.pass(150)
        let listener = try OpusListener()
        let records = try script.chunks.map { try SoundRecord(whole: $0.chunk.record) }
        #expect(zip(records, records.dropFirst()).allSatisfy { $1.number == $0.number + 1 })
        let sounds = records.map { listener.samples($0.packet) }
        #expect(sounds[(lost + 5)..<back].allSatisfy { $0.allSatisfy { abs($0) < 0.001 } })
        // Nothing is left out: what waited until the clock of the microphone was known comes at once.
        let last = try #require(records.last)
        #expect(script.time - Double(last.time.nanoseconds) / 1e9 < 0.055)
        let heard = Array(sounds.suffix(25).joined())
        let begin = Double(records[records.count - 25].time.nanoseconds) / 1e9
        let tone = FoundTone(heard, from: begin, frequency: Script.frequency)
        #expect(abs(tone.amplitude - 0.5) < 0.05 && abs(tone.delay) < 0.0002, "\(tone)")
    }
}
