// SPDX-License-Identifier: MIT
// Outputs of a session: what they deliver, and what becomes of the rest.

import FrameRing
import LivecapFrames
import LivecapPictures
import Testing

@testable import LiveCapture
@testable import LivecapStreams

@Suite(.timeLimit(.usual)) struct FrameOutputTests {
    private let grey = PictureSettings(format: .grey)

    /// Waits until all frames so far were looked at.
    private func untilServed(_ output: FrameOutput, _ frames: Int) async {
        await until {
            let counts = output.statistics
            return counts.delivered + counts.dropped.values.reduce(0, +) >= frames
        }
    }

    @Test func everyFrameComesInOrderAndThenTheEnd() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every))
        try session.add(output)
        session.begin()
        script.frames(0..<5)
        script.play(.end)
        var counters: [UInt64] = []
        while let picture = await output.next() { counters.append(picture.frame.id.counter) }
        #expect(counters == [0, 1, 2, 3, 4])
        #expect(output.statistics.delivered == 5 && output.statistics.lost == 0)
        session.end()
    }

    @Test("Steadied pictures come later, but all of them, beside those that are not")
    func steadiedPictures() async throws {
        let (session, script) = try scripted()
        let modes = StabilizationMode.allCases
        let outputs = modes.map { mode in
            FrameOutput(FrameOutputSettings(pictures: grey, stabilization: mode, delivery: .every, depth: 64))
        }
        for output in outputs { try session.add(output) }
        session.begin()
        script.frames(0..<40)
        script.play(.end)
        for output in outputs {
            var counters: [UInt64] = []
            while let picture = await output.next() { counters.append(picture.frame.id.counter) }
            #expect(counters == Array(0..<40))
            #expect(output.statistics.delivered == 40 && output.statistics.lost == 0)
        }
        session.end()
    }

    @Test("What waits to be steadied is part of the memory that an output takes")
    func steadiedMemory() throws {
        let (session, _) = try scripted()
        try session.add(FrameOutput(FrameOutputSettings(pictures: grey)))
        let plain = session.outputCost.memory
        try session.add(FrameOutput(FrameOutputSettings(pictures: grey, stabilization: .cinematic)))
        // 32 frames, which is the limit at this rate, and the one that is drawn, in planes of 4:2:0.
        let waiting = 33 * session.source.format.size.area * 3 / 2
        // Each with margins.
        #expect(session.outputCost.memory > 2 * plain + waiting)
    }

    @Test func theNewestPictureReplacesTheOneThatWaits() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey))
        try session.add(output)
        session.begin()
        for number in 0..<4 {
            script.frames(number..<number + 1)
            // The last one waits.
            await untilServed(output, number)
        }
        await until { output.statistics.lost == 3 }
        #expect(await output.next()?.frame.id.counter == 3)
        #expect(output.statistics.delivered == 1)
        session.end()
        #expect(await output.next() == nil)
    }

    @Test func aProgramThatWantsEveryPictureMayBeLate() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every, depth: 2))
        try session.add(output)
        session.begin()
        for number in 0..<5 {
            script.frames(number..<number + 1)
            await untilServed(output, number - 2)
        }
        await until { output.statistics.dropped[.late] == 3 }
        #expect(await output.next()?.frame.id.counter == 0)
        #expect(await output.next()?.frame.id.counter == 1)
        session.end()
        #expect(await output.next() == nil)
    }

    @Test func aProgramThatHoldsAllPicturesGetsNoMore() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey))
        try session.add(output)
        session.begin()
        var held: [Picture] = []
        for number in 0..<output.settings.buffers {
            script.frames(number..<number + 1)
            held.append(try #require(await output.next()))
        }
        script.frames(10..<11)
        await until { output.statistics.dropped[.outOfBuffers] == 1 }
        held.removeAll()
        script.frames(11..<12)
        #expect(await output.next()?.frame.time == .zero + .milliseconds(110))
        session.end()
    }

    @Test func aRateIsAMaximum() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey, rate: FrameRate(25), delivery: .every))
        try session.add(output)
        session.begin()
        // A hundred frames a second.
        script.frames(0..<20)
        script.play(.end)
        var times: [Duration] = []
        while let picture = await output.next() { times.append(picture.frame.time - .zero) }
        #expect(times == (0..<5).map { .milliseconds(40 * $0) })
        #expect(output.statistics.dropped == [.rate: 15] && output.statistics.lost == 0)
        session.end()
    }

    @Test func damagedFramesBecomeNoPictures() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every))
        try session.add(output)
        session.begin()
        script.play(.frame(0), .frame(10, .driverFlag), .frame(20), .end)
        var counters: [UInt64] = []
        while let picture = await output.next() { counters.append(picture.frame.id.counter) }
        #expect(counters == [0, 2] && output.statistics.dropped == [.undecodable: 1])
        session.end()
    }

    @Test func equalPicturesAreMadeOnce() async throws {
        let (session, script) = try scripted()
        let outputs = (0..<2).map { _ in FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every)) }
        for output in outputs { try session.add(output) }
        session.begin()
        script.frames(0..<1)
        let first = await outputs[0].next(), second = await outputs[1].next()
        #expect(first != nil && first === second)
        session.end()
    }

    @Test func outputsComeAndGoWhileTheSessionRuns() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<2)
        let output = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every))
        try session.add(output)
        #expect(output.isConnected && session.outputs.count == 1)
        // From the frames on that come after it; it may be added a moment before they are looked for.
        script.frames(2..<4)
        #expect(await output.next()?.frame.id.counter == 2)
        session.remove(output)
        #expect(await output.next()?.frame.id.counter ?? 3 == 3)
        #expect(await output.next() == nil)
        #expect(!output.isConnected && session.outputs.isEmpty)
        let other = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every))
        try session.add(other)
        try session.add(output)
        script.frames(4..<5)
        for output in [other, output] {
            var picture = await output.next()
            // A thread that is behind has not served it yet.
            if picture?.frame.id.counter == 3 { picture = await output.next() }
            #expect(picture?.frame.time == .zero + .milliseconds(40))
        }
        session.end()
    }

    @Test func noPictureIsMadeWhileNobodyLooks() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every))
        output.setWanted(false)
        try session.add(output)
        session.begin()
        script.frames(0..<3)
        output.setWanted(true)
        script.frames(3..<5)
        #expect(await output.next()?.frame.id.counter == 3)
        #expect(await output.next()?.frame.id.counter == 4)
        output.setWanted(false)
        script.frames(5..<7)
        output.setWanted(true)
        script.frames(7..<8)
        // A thread that is behind has seen no change.
        var picture = await output.next()
        while let id = picture?.frame.id.counter, id < 7 { picture = await output.next() }
        #expect(picture?.frame.id.counter == 7)
        session.end()
    }

    /// Whatever the thread is about when they change their minds.
    @Test func noPictureIsMissedByThoseWhoLookAgain() async throws {
        let (session, script) = try scripted()
        let output = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every))
        try session.add(output)
        session.begin()
        for round in 0..<300 {
            output.setWanted(false)
            output.setWanted(true)
            script.frames(round..<round + 1)
            #expect(await output.next()?.frame.id.counter == UInt64(round))
        }
        #expect(output.statistics.lost == 0)
        session.end()
    }

    @Test("A fast source waits for one that wants every picture, even if it comes later than another")
    func everyPictureBesideTheNewest() async throws {
        let scene = CaptureSource.synthetic(
            try SyntheticSettings("tripod:prerender=2"), size: FrameSize(width: 96, height: 64), .fast)
        var options = SessionOptions()
        options.threads = 2
        options.memory = 256 << 20
        options.formats = [.jpeg]
        options.isRealTime = false
        let session = try await CaptureSession(source: scene, options: options)
        let newest = FrameOutput(FrameOutputSettings(pictures: grey))
        try session.add(newest)
        try await session.start()
        #expect(await newest.next() != nil)
        let every = FrameOutput(FrameOutputSettings(pictures: grey, delivery: .every, depth: 2))
        try session.add(every)
        var counters: [UInt64] = []
        while counters.count < 100, let picture = await every.next() { counters.append(picture.frame.id.counter) }
        let first = try #require(counters.first)
        #expect(counters == (0..<100).map { first + $0 } && every.statistics.lost == 0)
        await session.stop()
    }

    @Test func anOutputOfAStreamThatHasEndedEndsToo() async throws {
        let (session, script) = try scripted()
        let first = FrameOutput(FrameOutputSettings(pictures: grey))
        try session.add(first)
        session.begin()
        script.play(.end)
        #expect(await first.next() == nil)
        let second = FrameOutput(FrameOutputSettings(pictures: grey))
        try session.add(second)
        #expect(await second.next() == nil)
        session.end()
    }

    @Test func aCancelledReaderStops() async throws {
        let (session, _) = try scripted()
        let output = FrameOutput()
        try session.add(output)
        session.begin()
        let reader = Task { await output.next() == nil }
        reader.cancel()
        #expect(await reader.value)
        session.end()
    }

    @Test func aReleasedSessionLetsItsOutputsGo() async throws {
        let output = FrameOutput()
        do {
            let (session, script) = try scripted()
            try session.add(output)
            session.begin()
            script.frames(0..<1)
            #expect(await output.next() != nil)
        }
        #expect(await output.next() == nil)
        #expect(!output.isConnected)
    }
}
