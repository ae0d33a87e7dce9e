// SPDX-License-Identifier: MIT
// A recording never delays the camera, reports what it left out, and leaves a readable file in every case.

import FrameRing
import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Testing

@testable import Camera
@testable import LivecapFrameFiles

/// A sink under the control of a test: it writes nothing until `letGo()` is called, or fails when `capacity`
/// is reached.
final class ObstinateSink: RecordingSink {
    private let file: RecordingFile
    private let capacity: Int
    private let gate: Guarded<Bool>

    init(
        _ path: String, capacity: Int = .max, held: Bool = false, overwrite: Bool = false
    ) throws(FrameFileError) {
        file = try RecordingFile(path, overwrite: overwrite)
        self.capacity = capacity
        gate = Guarded(held)
    }

    var byteCount: Int { file.byteCount }
    func letGo() { gate.withLock { $0 = false } }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FrameFileError) {
        while gate.withLock({ $0 }) { usleep(1000) }
        let room = max(0, capacity - byteCount)
        try file.append(UnsafeRawBufferPointer(rebasing: bytes[..<min(room, bytes.count)]))
        if bytes.count > room { throw .failed("disk", call: "write", errno: ENOSPC) }
    }
    func takeName() throws(FrameFileError) { try file.takeName() }
    func truncate(to byteCount: Int) throws(FrameFileError) { try file.truncate(to: byteCount) }
    func finish() throws(FrameFileError) { try file.finish() }
    func discard() { file.discard() }
}

@Suite("Recording") struct RecorderTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("a.lcap") }
    static let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 1024, height: 1024))
    static let source = SourceDescription(
        name: "Test", identity: "test", format: format, rate: FrameRate(30), clock: .own)

    func makeRing(slots: Int = 6) throws -> Ring {
        let memory = try #require(SlotMemory.slabs(count: slots, bytesEach: Self.format.byteCount))
        return Ring(format: Self.format, memory: memory, reserve: 1)
    }

    /// Publishes frames filled with their own number, each with `lostBefore` frames lost before it.
    func publish(_ count: Int, into producer: inout RingProducer, lostBefore: UInt32 = 0) {
        for _ in 0..<count {
            let number = producer.ring.nextCounter
            guard let slot = producer.claim() else { preconditionFailure("every slot is pinned") }
            memset(producer.bytes(of: slot).baseAddress!, Int32(number % 251), Self.format.byteCount)
            producer.publish(
                slot,
                FrameMetadata(
                    time: Timestamp(nanoseconds: Int64(number) * 33_000_000), byteCount: Self.format.byteCount,
                    sequence: UInt32(number), lostBefore: lostBefore))
        }
    }

    /// Publishes one frame at a time, each after the recorder has handled the previous one.
    func publish(_ count: Int, into producer: inout RingProducer, heeding recorder: Recorder) {
        for _ in 0..<count {
            publish(1, into: &producer)
            let wanted = Int(producer.ring.nextCounter)
            while case let so = recorder.progress, so.frames + so.dropped < wanted { usleep(200) }
        }
    }

    @Test("A recording that is removed or replaced while in progress is reported as lost", arguments: [false, true])
    func replaced(byAnother: Bool) throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(Self.source, ring: ring, to: path)
        publish(5, into: &producer, heeding: recorder)
        while !folder.names.contains("a.lcap") { usleep(1000) }
        unlink(path)
        if byAnother { writeFile(path, [1, 2, 3]) }
        let result = recorder.finish()
        #expect(result.failure == .removed(path) && result.summary.frames == 0)
        #expect(!byAnother || readFile(path) == [1, 2, 3])
    }

    @Test("A stopped recording has every frame, an index and its name") func complete() throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(Self.source, ring: ring, to: path)
        publish(20, into: &producer, heeding: recorder)
        let result = recorder.finish()
        #expect(result.failure == nil)
        #expect(result.summary.frames == 20 && result.summary.dropped == 0 && result.summary.gaps == 0)
        #expect(result.summary.last == Timestamp(nanoseconds: 19 * 33_000_000))
        let dump = try DumpReader(path)
        #expect(dump.health.isIntact && dump.frameCount == 20)
        #expect(result.summary.bytes == dump.description.format.byteCount * 20)
        #expect(try dump.everything().enumerated().allSatisfy { $1.bytes[77] == UInt8($0) })
        #expect(folder.names == ["a.lcap"])
    }

    @Test("A recording ends after N frames") func frameLimit() throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(Self.source, ring: ring, to: path, RecordingSettings(frames: 3))
        publish(3, into: &producer, heeding: recorder)
        #expect(recorder.wait().summary.frames == 3)
    }

    @Test("A recording ends before the first frame past its duration") func durationLimit() throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(
            Self.source, ring: ring, to: path, RecordingSettings(duration: .milliseconds(99)))
        publish(3, into: &producer, heeding: recorder)
        publish(1, into: &producer)
        #expect(recorder.wait().summary.frames == 3)
    }

    @Test("A slow disk costs frames of the recording, counted and marked, but no slot of the ring")
    func slowDisk() throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let sink = try ObstinateSink(path, held: true)
        let recorder = try Recorder(
            Self.source, ring: ring, to: sink, RecordingSettings(queueBytes: 8 << 20), gate: nil)
        // 8 MiB hold seven 1 MiB frames with their headers.
        publish(30, into: &producer, heeding: recorder)
        #expect(recorder.progress.frames == 7 && recorder.progress.dropped == 23)
        #expect(ring.statistics.published == 30 && ring.statistics.dropped == 0)
        sink.letGo()
        while recorder.progress.frames < 8 { publish(1, into: &producer, heeding: recorder) }
        let result = recorder.finish()
        #expect(result.failure == nil && result.summary.frames == 8 && result.summary.gaps == 1)
        #expect(result.summary.dropped >= 23)
        let dump = try DumpReader(path)
        let last = dump.metadata(7)
        #expect(last.flags.contains(.gapBefore) && Int(last.lostBefore) == result.summary.dropped)
        #expect(last.sequence == 7 + last.lostBefore)
        #expect(dump.dropped == UInt64(result.summary.dropped))
    }

    @Test("Losses before a skipped frame count for the recording too") func lostBeforeLeftOut()
        throws
    {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let sink = try ObstinateSink(path, held: true)
        let recorder = try Recorder(
            Self.source, ring: ring, to: sink, RecordingSettings(queueBytes: 8 << 20), gate: nil)
        publish(7, into: &producer, heeding: recorder)
        publish(1, into: &producer, lostBefore: 5)
        while recorder.progress.dropped < 1 { usleep(200) }
        sink.letGo()
        while recorder.progress.frames < 8 { publish(1, into: &producer, heeding: recorder) }
        let result = recorder.finish()
        let last = try DumpReader(path).metadata(7)
        #expect(Int(last.lostBefore) == result.summary.dropped + 5)
    }

    @Test("Frames evicted before the last one was read are counted") func missedBeforeTheEnd() throws {
        let ring = try makeRing(slots: 6)
        let sink = try ObstinateSink(path)
        let job = try RecordingJob(
            DumpHeader(of: Self.source), ring: ring, sink: sink, settings: RecordingSettings(duration: .zero), gate: nil
        )
        var producer = RingProducer(filling: ring)
        publish(20, into: &producer)
        let oldest = Int(FrameSubscription(to: ring, fromOldest: true).nextCounter)
        job.run()
        #expect(job.control.result.withLock { $0.summary.dropped } == oldest && oldest > 10)
    }

    @Test("Frames too large to be read back are not recorded") func tooLarge() throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 32768, height: 8193))
        let memory = try #require(SlotMemory.slabs(count: 3, bytesEach: format.byteCount, lazily: true))
        let ring = Ring(format: format, memory: memory, reserve: 1)
        let source = SourceDescription(
            name: "Test", identity: "test", format: format, rate: FrameRate(30), clock: .own)
        guard
            case .badSettings = failure(of: { () throws(FrameFileError) in try Recorder(source, ring: ring, to: path) })
        else {
            Issue.record("recorded what cannot be read")
            return
        }
        #expect(folder.names == [])
    }

    @Test("The file gets its name with the first frame; without one nothing is left") func noFrames() throws {
        writeFile(path, [1, 2, 3])
        let ring = try makeRing()
        let recorder = try Recorder(Self.source, ring: ring, to: path, RecordingSettings(overwrite: true))
        #expect(readFile(path) == [1, 2, 3])
        // There is no file that a killed process would leave behind.
        #expect(folder.names == ["a.lcap"])
        let result = recorder.finish()
        #expect(result.summary.frames == 0 && result.failure == nil)
        #expect(readFile(path) == [1, 2, 3] && folder.names == ["a.lcap"])
    }

    @Test("An existing file is replaced only on request") func existing() throws {
        writeFile(path, [1, 2, 3])
        let ring = try makeRing()
        let refused = failure { () throws(FrameFileError) in try Recorder(Self.source, ring: ring, to: path) }
        #expect(refused == .failed(path, call: "open", errno: EEXIST))
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(Self.source, ring: ring, to: path, RecordingSettings(overwrite: true))
        publish(2, into: &producer, heeding: recorder)
        recorder.finish()
        #expect(try DumpReader(path).frameCount == 2)
    }

    @Test("A file that appears under the name meanwhile is not replaced") func racingFile() throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(Self.source, ring: ring, to: path)
        writeFile(path, [1, 2, 3])
        publish(1, into: &producer, heeding: recorder)
        let result = recorder.finish()
        #expect(result.failure == .failed(path, call: "rename", errno: EEXIST))
        #expect(result.summary.frames == 0)
        #expect(readFile(path) == [1, 2, 3] && folder.names == ["a.lcap"])
    }

    @Test("A place that cannot be written to is refused before anything is recorded") func unwritable() throws {
        let ring = try makeRing()
        let nowhere = folder.file("no/such/folder.lcap")
        let refused = failure { () throws(FrameFileError) in try Recorder(Self.source, ring: ring, to: nowhere) }
        #expect(refused == .failed(nowhere, call: "open", errno: ENOENT))
        try #require(symlink("elsewhere", path) == 0)
        let link = failure { () throws(FrameFileError) in
            try Recorder(Self.source, ring: ring, to: path, RecordingSettings(overwrite: true))
        }
        guard case .file(.badName) = link else {
            Issue.record("recording to a link gave \(String(describing: link))")
            return
        }
    }

    @Test("A recording in progress can be read, with or without a torn tail") func readableMeanwhile() throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(Self.source, ring: ring, to: path)
        publish(5, into: &producer, heeding: recorder)
        // The queue writes its bytes within 100 ms; until then no file has that name.
        var seen = 0
        while seen < 5 {
            usleep(10_000)
            seen = (try? DumpReader(path).frameCount) ?? 0
        }
        #expect(try DumpReader(path).health.index == .rebuilt)
        recorder.finish()
        #expect(try DumpReader(path).health.index == .intact)
    }
}
