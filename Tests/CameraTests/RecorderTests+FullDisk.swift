// SPDX-License-Identifier: MIT
// A full disk loses only the frames that no longer fit: never recorded ones, and never an older file in vain.

import FrameRing
import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

/// A 4 MiB file system; nil if mounting is not permitted, as for ordinary users.
final class SmallDisk {
    let folder = TemporaryFolder()
    var path: String { folder.file("disk") }

    init?() {
        mkdir(path, 0o755)
        guard mount("tmpfs", path, "tmpfs", 0, "size=4m") == 0 else {
            rmdir(path)
            return nil
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}

extension RecorderTests {
    @Test("A full disk ends the recording with an error, and the frames so far are readable") func fullDisk() throws {
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let sink = try ObstinateSink(path, capacity: 5_500_000)
        let recorder = try Recorder(Self.source, ring: ring, to: sink, RecordingSettings(), gate: nil)
        publish(5, into: &producer, heeding: recorder)
        var tries = 0
        while !recorder.waitForEnd(until: .now + .milliseconds(20)), tries < 500 {
            publish(1, into: &producer)
            tries += 1
        }
        let result = recorder.wait()
        #expect(result.failure == .failed("disk", call: "write", errno: ENOSPC))
        #expect(result.summary.frames == 5)
        let dump = try DumpReader(path)
        #expect(dump.frameCount == 5 && dump.health.tornBytes == 0)
        #expect(try dump.everything().allSatisfy { $0.metadata.isUsable })
    }

    @Test("A disk that fills up during the first write leaves a readable recording, or none")
    func fullAtOnce() throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 16))
        let source = SourceDescription(
            name: "Test", identity: "test", format: format, rate: FrameRate(30), clock: .own)
        let header = DumpHeader(of: source).encoded().count
        let record = DumpFrameHeader.byteCount + format.byteCount
        for (capacity, whole) in [(header + 13 * record + 3, 13), (header + record, 1), (header + record - 1, 0)] {
            writeFile(path, [1, 2, 3])
            let memory = try #require(SlotMemory.slabs(count: 40, bytesEach: format.byteCount))
            let ring = Ring(format: format, memory: memory, reserve: 1)
            let sink = try ObstinateSink(path, capacity: capacity, held: true, overwrite: true)
            let job = try RecordingJob(
                DumpHeader(of: source), ring: ring, sink: sink, settings: RecordingSettings(), gate: nil)
            var producer = RingProducer(filling: ring)
            for number in 0..<30 {
                guard let slot = producer.claim() else { preconditionFailure("every slot is pinned") }
                producer.publish(
                    slot,
                    FrameMetadata(time: Timestamp(nanoseconds: Int64(number)), byteCount: format.byteCount))
            }
            end(producer)
            sink.letGo()
            job.run()
            let result = job.control.result.withLock { $0 }
            #expect(result.failure == .failed("disk", call: "write", errno: ENOSPC))
            #expect(result.summary.frames == whole)
            #expect(folder.names == ["a.lcap"])
            if whole > 0 {
                #expect(try DumpReader(path).frameCount == whole)
            } else {
                #expect(readFile(path) == [1, 2, 3])
            }
        }
    }

    @Test("With frames larger than the first write, the file gets its name once one is complete") func largeFrames()
        throws
    {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 4096, height: 2048))
        let source = SourceDescription(
            name: "Test", identity: "test", format: format, rate: FrameRate(30), clock: .own)
        writeFile(path, [1, 2, 3])
        let memory = try #require(SlotMemory.slabs(count: 3, bytesEach: format.byteCount, lazily: true))
        let ring = Ring(format: format, memory: memory, reserve: 1)
        let sink = try ObstinateSink(path, capacity: RecordingQueue.pieceBytes + 1, overwrite: true)
        let job = try RecordingJob(
            DumpHeader(of: source), ring: ring, sink: sink, settings: RecordingSettings(), gate: nil)
        var producer = RingProducer(filling: ring)
        guard let slot = producer.claim() else { preconditionFailure("every slot is pinned") }
        producer.publish(slot, FrameMetadata(time: .zero, byteCount: format.byteCount))
        end(producer)
        job.run()
        #expect(job.control.result.withLock { $0.summary.frames } == 0)
        #expect(readFile(path) == [1, 2, 3] && folder.names == ["a.lcap"])
    }

    /// Ends the stream by consuming its producer.
    func end(_ producer: consuming RingProducer) {}

    @Test("A full disk with a name already taken reports no frames and leaves nothing")
    func fullAndRaced() throws {
        let ring = try makeRing()
        let sink = try ObstinateSink(path, capacity: 2_500_000)
        let job = try RecordingJob(
            DumpHeader(of: Self.source), ring: ring, sink: sink, settings: RecordingSettings(), gate: nil)
        var producer = RingProducer(filling: ring)
        publish(4, into: &producer)
        end(producer)
        writeFile(path, [1, 2, 3])
        job.run()
        #expect(job.control.result.withLock { $0.summary.frames } == 0)
        #expect(readFile(path) == [1, 2, 3] && folder.names == ["a.lcap"])
    }

    @Test("A really full disk is reported as such", .enabled(if: SmallDisk() != nil, "needs the right to mount"))
    func fullFileSystem() throws {
        let small = try #require(SmallDisk())
        let disk = small.path
        let ring = try makeRing()
        var producer = RingProducer(filling: ring)
        let recorder = try Recorder(Self.source, ring: ring, to: "\(disk)/a.lcap")
        var tries = 0
        while !recorder.waitForEnd(until: .now + .milliseconds(5)), tries < 500 {
            publish(1, into: &producer)
            tries += 1
        }
        let result = recorder.wait()
        #expect(result.failure == .failed("\(disk)/a.lcap", call: "write", errno: ENOSPC))
        let dump = try DumpReader("\(disk)/a.lcap")
        #expect(dump.frameCount == 3 && result.summary.frames == 3)
        #expect(try dump.summary(verifying: true).damaged == 0)
    }
}
