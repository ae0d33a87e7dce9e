// SPDX-License-Identifier: MIT
// A replay delivers the recorded frames in order and at their pace, and can be stopped at any time.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

/// A frame file in memory, with any times a test needs.
final class ScriptedFile: FrameFile {
    let description: SourceDescription
    let health = FileHealth()
    let frames: [SampleFrame]

    init(_ frames: [SampleFrame]) {
        self.frames = frames
        description = SampleRecording.source
    }

    var frameCount: Int { frames.count }
    var largestFrame: Int { frames.map(\.bytes.count).max() ?? 0 }
    func metadata(_ index: Int) -> FrameMetadata { frames[index].metadata }
    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        bytes.copyBytes(from: frames[index].bytes)
        return frames[index].metadata
    }
}

@Suite("Replays") struct ReplayCameraTests {
    let small = RingCapacity(duration: .milliseconds(100), byteCap: 1 << 20)

    /// Plays a file at the fast pace and returns the frames a follower saw.
    func follow(_ file: any FrameFile) throws -> [SampleFrame] {
        let gate = FollowerGate()
        let loop = try CaptureLoop(ReplayCamera(file, pace: .fast, gate: gate), capacity: small)
        var subscription = FrameSubscription(to: loop.ring, gate: gate)
        loop.start()
        var seen: [SampleFrame] = []
        while case .frame(let lease) = subscription.next() {
            let bytes = lease.withBytes { span in span.withUnsafeBytes { Array($0) } }
            // No newer frame arrives while this one is leased. This makes fast replays repeatable.
            #expect(loop.ring.nextCounter == lease.metadata.id.counter + 1)
            seen.append(SampleFrame(metadata: lease.metadata, bytes: bytes))
        }
        #expect(loop.state == .ended && subscription.missed == 0)
        return seen
    }

    @Test("At the fast pace a follower sees every recorded frame, the same on every run") func fast() throws {
        var sample = SampleRecording(frames: 40)
        sample.frames[7].metadata.markDamaged(.driverFlag)
        sample.frames[9].metadata.noteLoss(3)
        let seen = try follow(ScriptedFile(sample.frames))
        for index in sample.frames.indices {
            sample.frames[index].metadata.id = FrameID(epoch: 2, counter: UInt64(index))
        }
        #expect(seen == sample.frames)
        #expect(try follow(ScriptedFile(sample.frames)) == seen)
    }

    @Test("Every follower sees every frame, and a recording of a replay is the recording") func recordedAgain() throws {
        let folder = TemporaryFolder()
        let sample = SampleRecording(frames: 30)
        try sample.write(to: folder.file("a.lcap"))
        let gate = FollowerGate()
        let first = try openFrameFile(folder.file("a.lcap"))
        let loop = try CaptureLoop(ReplayCamera(first, pace: .fast, gate: gate), capacity: small)
        let recorder = try Recorder(loop.description, ring: loop.ring, to: folder.file("b.lcap"), gate: gate)
        loop.start()
        let result = recorder.wait()
        #expect(result.failure == nil && result.summary.frames == 30 && result.summary.dropped == 0)
        let again = try DumpReader(folder.file("b.lcap"))
        #expect(again.header.format == sample.header.format && again.header.clock == .own)
        #expect(try again.everything().map(\.bytes) == sample.frames.map(\.bytes))
        #expect(try again.everything().map(\.metadata.time) == sample.frames.map(\.metadata.time))
        #expect(try again.everything().map(\.metadata.sequence) == sample.frames.map(\.metadata.sequence))
    }

    @Test("Times that go backwards are replaced, and the frame is marked") func hostileTimes() throws {
        var sample = SampleRecording(frames: 5)
        let times: [Int64] = [1000, 2000, .min, 1500, .max]
        for (index, time) in times.enumerated() {
            sample.frames[index].metadata.time = Timestamp(nanoseconds: time)
        }
        let seen = try follow(ScriptedFile(sample.frames))
        #expect(seen.map(\.metadata.time.nanoseconds) == [1000, 2000, 2000, 2000, .max])
        #expect(seen.map { $0.metadata.flags.contains(.distrustedTime) } == [false, false, true, true, false])
    }

    @Test("A new epoch in the recording is a new epoch in the ring") func epochs() throws {
        var sample = SampleRecording(frames: 4)
        for index in 2..<4 { sample.frames[index].metadata.id = FrameID(epoch: 7, counter: UInt64(50 + index)) }
        let seen = try follow(ScriptedFile(sample.frames))
        #expect(seen.map(\.metadata.id.epoch) == [2, 2, 7, 7])
        #expect(seen.map { $0.metadata.flags.contains(.firstOfEpoch) } == [true, false, true, false])
    }

    @Test("Any epoch may follow any other, as hostile recordings have them") func hostileEpochs() throws {
        let epochs: [UInt32] = [.max, 0, .max, 5]
        var sample = SampleRecording(frames: epochs.count)
        for (index, epoch) in epochs.enumerated() {
            sample.frames[index].metadata.id = FrameID(epoch: epoch, counter: UInt64(index))
        }
        let seen = try follow(ScriptedFile(sample.frames))
        #expect(seen.map(\.metadata.id.epoch) == epochs)
        #expect(seen.allSatisfy { $0.metadata.flags.contains(.firstOfEpoch) })
    }

    @Test("A replay that would wait for hours stops at once") func interrupted() throws {
        var sample = SampleRecording(frames: 2)
        sample.frames[1].metadata.time = Timestamp(nanoseconds: .max)
        let loop = try CaptureLoop(ReplayCamera(ScriptedFile(sample.frames)), capacity: small)
        loop.start()
        #expect(loop.ring.wait(forCounter: 0) == .arrived)
        loop.stop()
        #expect(loop.state == .ended && loop.ring.nextCounter == 1)
    }

    @Test("A fast replay that waits for a follower stops at once") func heldUp() throws {
        let gate = FollowerGate()
        let file = ScriptedFile(SampleRecording(frames: 40).frames)
        let loop = try CaptureLoop(ReplayCamera(file, pace: .fast, gate: gate), capacity: small)
        let idle = FrameSubscription(to: loop.ring, gate: gate)
        loop.start()
        #expect(loop.ring.wait(forCounter: 0) == .arrived)
        loop.stop()
        #expect(loop.ring.nextCounter == 1 && idle.missed == 0)
    }

    @Test("Frames arrive at their recorded times, and long pauses are shortened") func schedule() {
        func at(_ milliseconds: Int64) -> Timestamp { .zero + .milliseconds(milliseconds) }
        var schedule = ReplaySchedule()
        #expect(schedule.due(at(5000), now: at(100)) == at(100))
        #expect(schedule.due(at(5033), now: at(101)) == at(133))
        // Late frames are due at once and do not shift the later ones.
        #expect(schedule.due(at(5066), now: at(900)) == at(166))
        #expect(schedule.due(at(5_000_000), now: at(1000)) == at(11_000))
        #expect(schedule.due(at(5_000_033), now: at(11_000)) == at(11_033))
    }

    @Test("A ring for a replay is as large as its frames, not as its header claims") func modestRing() throws {
        let sample = SampleRecording(frames: 2)
        var header = sample.header
        header.format = FrameFormat(
            pixelFormat: .mjpeg, size: FrameSize(width: 65535, height: 65535), bytesPerLine: 0, byteCount: 256 << 20,
            colorimetry: .jpeg)
        let folder = TemporaryFolder()
        let writer = try DumpWriter(folder.file("a"), header)
        try sample.frames[0].bytes.withBytes { (bytes) throws(FrameFileError) in
            try writer.append(sample.frames[0].metadata, bytes)
        }
        try writer.finish()
        let replay = ReplayCamera(try openFrameFile(folder.file("a")))
        #expect(replay.description.format.byteCount == sample.frames[0].bytes.count)
    }
}
