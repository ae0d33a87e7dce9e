// SPDX-License-Identifier: MIT
// Sound as samples: pieces without a hole, at the times at which they were heard.

import Glibc
import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapSound

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct SoundOutputTests {
    private func capture() throws -> SoundCapture {
        try SoundCapture(.automatic, in: SyntheticMicrophones(ppm: 200), past: .seconds(30))
    }

    @Test func eachPieceBeginsWhereTheOneBeforeEnds() async throws {
        let capture = try capture()
        // A busy machine may keep the reader from reading for minutes.
        let output = try SoundOutput(capture, depth: 1_000_000)
        var (pieces, end) = (0, nil as Timestamp?)
        for await block in output.blocks {
            #expect(block.samples.count == 480 * block.channels)
            if let end { #expect(abs((block.time - end).nanoseconds) <= 1, "\(block.time - end)") }
            end = block.time + .milliseconds(10)
            pieces += 1
            if pieces == 50 { break }
        }
        #expect(pieces == 50 && output.dropped == 0)
        capture.stop()
    }

    @Test func aSoundHasTheTimeAtWhichItWasHeard() async throws {
        let capture = try capture()
        let output = try SoundOutput(capture)
        // The microphone clicks at each whole second, by its own clock: none is far from one of CLOCK_MONOTONIC.
        for await block in output.blocks {
            guard let loud = block.samples.firstIndex(where: { abs($0) > 0.3 }) else { continue }
            let heard = block.time + .nanoseconds(Int64(loud / block.channels) * 1_000_000_000 / 48_000)
            let rest = heard.nanoseconds % 1_000_000_000
            #expect(min(rest, 1_000_000_000 - rest) < 10_000_000, "\(rest)")
            break
        }
        capture.stop()
    }

    @Test func aSlowReaderMissesTheOldestAndIsTold() async throws {
        let capture = try capture()
        let output = try SoundOutput(capture, from: .now - .seconds(2), depth: 10)
        while output.dropped == 0 { sched_yield() }
        var times: [Timestamp] = []
        for await block in output.blocks {
            times.append(block.time)
            if times.count == 10 { break }
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        capture.stop()
    }

    @Test func itEndsWithTheCapture() async throws {
        let capture = try capture()
        let output = try SoundOutput(capture)
        var hasBegun = false
        for await _ in output.blocks where !hasBegun {
            hasBegun = true
            // On another thread, because this one is to hear of it.
            try SystemThread(name: "stop") { capture.stop() }.detach()
        }
        #expect(hasBegun)
    }
}
