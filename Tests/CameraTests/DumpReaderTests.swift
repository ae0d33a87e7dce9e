// SPDX-License-Identifier: MIT
// A dump reads back as it was written, and any change to its bytes is detected.

import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

@Suite("Raw frame dumps") struct DumpReaderTests {
    let folder = TemporaryFolder()
    let sample = SampleRecording(frames: 5)
    var path: String { folder.file("sample.lcap") }

    @Test("Frames, metadata and header are read back as written") func roundTrip() throws {
        try sample.write(to: path)
        let dump = try DumpReader(path)
        #expect(dump.header == sample.header)
        #expect(try dump.everything() == sample.frames)
        #expect(dump.health.index == .intact && dump.health.isIntact)
        #expect(dump.dropped == 0)
        #expect(dump.description.clock == .own)
        #expect(dump.description.firstTime == sample.frames[0].metadata.time)
    }

    @Test("Every kind of metadata is read back") func metadataRoundTrip() throws {
        var odd = sample
        odd.frames[1].metadata = FrameMetadata(
            time: Timestamp(nanoseconds: .max), byteCount: odd.frames[1].bytes.count, sequence: .max,
            timeSource: .dequeue, uncertainty: Duration.nanoseconds(Int64.max),
            flags: [.gapBefore, .distrustedTime, .standardHuffmanTables], damage: .driverFlag, lostBefore: .max,
            id: FrameID(epoch: .max, counter: .max))
        try odd.write(to: path)
        #expect(try DumpReader(path).everything() == odd.frames)
    }

    @Test("A recording that was never finished is read to its last frame") func unfinished() throws {
        try sample.write(to: path, finishing: false)
        let dump = try DumpReader(path)
        #expect(try dump.everything() == sample.frames)
        #expect(dump.health.index == .rebuilt && dump.health.tornBytes == 0 && dump.dropped == nil)
    }

    @Test("A cut in the last two frames costs only what is cut off") func cutAnywhere() throws {
        try sample.write(to: path)
        let whole = readFile(path)
        for length in sample.offset(3)...whole.count {
            writeFile(path, whole[..<length])
            let dump = try DumpReader(path)
            let expected = (0..<5).filter { sample.offset($0) + 80 + sample.frames[$0].bytes.count <= length }
            try #require(try dump.everything() == expected.map { sample.frames[$0] }, "cut at \(length)")
            try #require(dump.health.lostFrames == 0, "cut at \(length)")
            let torn = expected.count < 5 ? length - sample.offset(expected.count) : nil
            try #require(torn == nil || dump.health.tornBytes == torn, "cut at \(length)")
            try #require((dump.health.index == .intact) == (length == whole.count), "cut at \(length)")
        }
    }

    @Test("Any changed byte of a finished dump is detected, at the specified cost") func flipAnyByte() throws {
        try sample.write(to: path)
        let whole = readFile(path)
        let indexOffset = sample.offset(4) + 80 + sample.frames[4].bytes.count
        for place in whole.indices {
            var changed = whole
            changed[place] ^= UInt8(1 << (place % 8))
            writeFile(path, changed)
            if place < sample.offset(0) {
                try #require(
                    failure { () throws(FrameFileError) in try DumpReader(path) }?.blamesFile == true, "byte \(place)")
                continue
            }
            let dump = try DumpReader(path)
            let frames = try dump.everything()
            let summary = try dump.summary(verifying: true)
            if place >= indexOffset {
                try #require(frames == sample.frames && dump.health.index == .rebuilt, "byte \(place)")
                try #require(dump.health.tornBytes == 0 && dump.health.lostFrames == 0, "byte \(place)")
                continue
            }
            let hit = try #require((0..<5).last { sample.offset($0) <= place })
            if place < sample.offset(hit) + 80 {
                // The index has a copy of the frame's header.
                try #require(frames == sample.frames && summary.repaired == 1, "byte \(place)")
            } else {
                try #require(
                    frames[hit].metadata.damage == .checksum && !frames[hit].metadata.isUsable, "byte \(place)")
                try #require(summary.damaged == 1 && summary.repaired == 0, "byte \(place)")
                for other in 0..<5 where other != hit {
                    try #require(frames[other] == sample.frames[other], "byte \(place)")
                }
            }
        }
    }

    @Test("Any changed byte of an unfinished dump is detected, at the specified cost") func flipUnfinished() throws {
        try sample.write(to: path, finishing: false)
        let whole = readFile(path)
        for place in sample.offset(0)..<whole.count {
            var changed = whole
            changed[place] ^= UInt8(1 << (place % 8))
            writeFile(path, changed)
            let dump = try DumpReader(path)
            let frames = try dump.everything()
            let hit = try #require((0..<5).last { sample.offset($0) <= place })
            if place >= sample.offset(hit) + 80 {
                try #require(frames[hit].metadata.damage == .checksum, "byte \(place)")
                continue
            }
            var expected = sample.frames
            expected.remove(at: hit)
            if hit < 4 {
                expected[hit].metadata.noteLoss(1)
                try #require(dump.health.lostFrames == 1 && dump.health.damagedStretches == 1, "byte \(place)")
            } else {
                try #require(dump.health.tornBytes == whole.count - sample.offset(4), "byte \(place)")
            }
            try #require(frames == expected, "byte \(place)")
        }
    }

    @Test(
        "Records cut out or doubled whole are noticed by their numbers", arguments: [true, false],
        [
            (order: [0, 3, 4], read: [0, 3, 4], lost: 2, stretches: 0),
            (order: [1, 2, 3, 4], read: [1, 2, 3, 4], lost: 1, stretches: 0),
            (order: [0, 1, 1, 0, 2, 3, 4], read: [0, 1, 2, 3, 4], lost: 0, stretches: 1),
        ])
    func rearranged(finished: Bool, change: (order: [Int], read: [Int], lost: Int, stretches: Int)) throws {
        try sample.write(to: path, finishing: finished)
        let whole = readFile(path)
        let records = change.order.flatMap { whole[sample.offset($0)..<sample.offset($0 + 1)] }
        writeFile(path, whole[..<sample.offset(0)] + records + whole[sample.offset(5)...])
        let dump = try DumpReader(path)
        #expect(dump.health.lostFrames == change.lost && dump.health.damagedStretches == change.stretches)
        #expect(!dump.health.isIntact && dump.health.tornBytes == 0)
        let frames = try dump.everything()
        #expect(frames.map(\.bytes) == change.read.map { sample.frames[$0].bytes })
        #expect(frames.reduce(0) { $0 + Int($1.metadata.lostBefore) } == change.lost)
    }

    @Test("Swapped records are detected by their numbers, or by an index")
    func exchanged() throws {
        for finished in [true, false] {
            try sample.write(to: path, finishing: finished)
            let whole = readFile(path)
            let records = [0, 1, 3, 2, 4].flatMap { whole[sample.offset($0)..<sample.offset($0 + 1)] }
            writeFile(path, whole[..<sample.offset(0)] + records + whole[sample.offset(5)...])
            let dump = try DumpReader(path)
            let summary = try dump.summary(verifying: true)
            if finished {
                #expect(summary.frames == 5 && summary.damaged == 2 && summary.repaired == 2)
            } else {
                #expect(dump.health.lostFrames == 1 && dump.health.damagedStretches == 1)
                #expect(try dump.everything().map(\.bytes) == [0, 1, 3, 4].map { sample.frames[$0].bytes })
                #expect(dump.metadata(2).lostBefore == 1 && dump.metadata(3).lostBefore == 0)
            }
            unlink(path)
        }
    }

    @Test("Records missing before the index are detected by its count") func lastRecordCutOut() throws {
        try sample.write(to: path)
        let whole = readFile(path)
        writeFile(path, whole[..<sample.offset(4)] + whole[sample.offset(5)...])
        let dump = try DumpReader(path)
        #expect(dump.frameCount == 4 && dump.health.lostFrames == 1 && dump.dropped == 0)
    }

    @Test("A dump in progress can be read, and read again once it has grown") func growing() throws {
        let writer = try DumpWriter(path, sample.header)
        for (index, frame) in sample.frames.enumerated() {
            try frame.bytes.withBytes { (bytes) throws(FrameFileError) in try writer.append(frame.metadata, bytes) }
            #expect(try DumpReader(path).everything() == Array(sample.frames[...index]))
        }
    }

    @Test("A dump truncated while being read gives damaged frames, not a crash") func cutWhileRead() throws {
        try sample.write(to: path)
        let dump = try DumpReader(path)
        truncate(path, off_t(sample.offset(3) + 90))
        let frames = try dump.everything()
        #expect(Array(frames[..<3]) == Array(sample.frames[..<3]))
        #expect(frames[3].metadata.damage == .short && frames[4].metadata.damage == .short)
        #expect(Array(frames[3].bytes[..<10]) == Array(sample.frames[3].bytes[..<10]))
    }

    @Test("Lengths beyond the file or the format are refused before they are used") func hostileLengths() throws {
        for length in [UInt64(65), 1 << 40, .max] {
            var bytes = sample.header.encoded()
            bytes += .record(of: DumpFrameHeader.byteCount) { fields in
                fields.put(DumpFrameHeader.magic)
                for _ in 0..<6 { fields.put(UInt64(0)) }
                fields.put(length)
                fields.put(UInt64(0))
                fields.putChecksum(seed: sample.header.recording)
            }
            writeFile(path, bytes)
            #expect(try DumpReader(path).frameCount == 0)
            #expect(failure { () throws(FrameFileError) in try openFrameFile(path) }?.blamesFile == true)
        }
    }

    @Test("Headers that describe impossible frames are refused") func absurdHeaders() throws {
        let absurd: [(inout FrameFormat) -> Void] = [
            { $0.size = FrameSize(width: 0, height: 4) }, { $0.size = FrameSize(width: 8, height: 1 << 20) },
            { $0.byteCount = 63 }, { $0.byteCount = 0 }, { $0.bytesPerLine = 15 }, { $0.byteCount = 1 << 50 },
            { $0.bytesPerLine = 1 << 24 }, { $0.byteCount = (256 << 20) + 1 },
        ]
        for change in absurd {
            var hostile = sample
            change(&hostile.header.format)
            writeFile(path, hostile.header.encoded())
            #expect(failure { () throws(FrameFileError) in try DumpReader(path) }?.blamesFile == true)
        }
    }

    @Test("A frame without the padding after its last row is complete") func unpadded() throws {
        let folder = TemporaryFolder()
        let format = FrameFormat(
            pixelFormat: .yuyv, size: FrameSize(width: 16, height: 8), bytesPerLine: 48, byteCount: 48 * 8,
            colorimetry: .webcam)
        let source = SourceDescription(
            name: "test", identity: "test", format: format, rate: FrameRate(30), clock: .own)
        let writer = try DumpWriter(folder.file("a.lcap"), DumpHeader(of: source))
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 48 * 7 + 32, alignment: 8)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 7)
        try writer.append(
            FrameMetadata(time: .zero, byteCount: memory.count), UnsafeRawBufferPointer(memory))
        try writer.finish()
        let file = try openFrameFile(folder.file("a.lcap"), ImportSettings())
        #expect(file.frameCount == 1 && file.metadata(0).isUsable)
    }

    @Test("A recording of only damaged frames is read, and each frame is marked") func damagedOnly() throws {
        let folder = TemporaryFolder()
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 16, height: 8))
        let source = SourceDescription(
            name: "test", identity: "test", format: format, rate: FrameRate(30), clock: .own)
        let writer = try DumpWriter(folder.file("a.lcap"), DumpHeader(of: source))
        for number in 0..<3 {
            let half = [UInt8](repeating: UInt8(number), count: format.byteCount / 2)
            let frame = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number)), byteCount: half.count, damage: .short)
            let failure = half.withUnsafeBytes { bytes -> FrameFileError? in
                do throws(FrameFileError) {
                    try writer.append(frame, bytes)
                    return nil
                } catch { return error }
            }
            #expect(failure == nil)
        }
        try writer.finish()
        let file = try openFrameFile(folder.file("a.lcap"), ImportSettings())
        #expect(file.frameCount == 3)
        #expect((0..<3).allSatisfy { file.metadata($0).damage == .short })
    }

    @Test("Foreign, empty and special files give clear errors") func foreignFiles() throws {
        writeFile(path, [])
        #expect(failure { () throws(FrameFileError) in try openFrameFile(path) }?.blamesFile == true)
        writeFile(path, Array("GIF89a and more of it".utf8))
        #expect(failure { () throws(FrameFileError) in try openFrameFile(path) }?.blamesFile == true)
        writeFile(path, sample.header.encoded())
        #expect(failure { () throws(FrameFileError) in try openFrameFile(path) }?.blamesFile == true)
        #expect(failure { () throws(FrameFileError) in try openFrameFile(folder.path) }?.blamesFile == true)
        #expect(failure { () throws(FrameFileError) in try openFrameFile("/dev/zero") }?.blamesFile == true)
        let missing = folder.file("missing")
        #expect(failure { () throws(FrameFileError) in try openFrameFile(missing) } == .noSuchFile(missing))
    }

    @Test("A record after any bytes is found, wherever a chunk ends", arguments: [4096 - 79, 4096, 12_000])
    func resynchronises(_ border: Int) throws {
        try sample.write(to: path, finishing: false)
        let whole = readFile(path)
        let magic: [UInt8] = [0x89] + "LCframe".utf8
        for count in border - 82...border + 2 {
            let junk = (0..<count).map { magic[$0 % magic.count] }
            writeFile(path, whole[..<sample.offset(1)] + junk + whole[sample.offset(2)...])
            let dump = try DumpReader(path)
            let expected = [0, 2, 3, 4].map { sample.frames[$0].bytes }
            try #require(try dump.everything().map(\.bytes) == expected, "\(count) bytes of junk")
            try #require(dump.health.damagedStretches == 1)
        }
    }

    @Test("Holes of a sparse file are not read") func sparse() throws {
        try sample.write(to: path, finishing: false)
        try #require(truncate(path, 1 << 40) == 0)
        let before = bytesRead()
        let dump = try DumpReader(path)
        #expect(try dump.everything() == sample.frames)
        #expect(dump.health.tornBytes == 1 << 40 - sample.offset(5))
        // Other tests read at the same time, but not 128 GiB.
        #expect(bytesRead() - before < 1 << 37)
    }

    /// The number of bytes this process has read from files and pipes, see `proc_pid_io(5)`; 0 if the kernel does not
    /// count it.
    private func bytesRead() -> Int {
        readFile("/proc/self/io").split(separator: UInt8(ascii: "\n")).lazy
            .map { String(decoding: $0, as: UTF8.self) }
            .first { $0.hasPrefix("rchar: ") }
            .flatMap { Int($0.dropFirst("rchar: ".count)) } ?? 0
    }

    @Test("A payload that looks like a record is never taken for one") func nestedRecord() throws {
        var outer = sample
        outer.header.format = FrameFormat(
            pixelFormat: .mjpeg, size: FrameSize(width: 8, height: 4), bytesPerLine: 0, byteCount: 4096,
            colorimetry: .jpeg)
        try sample.write(to: path)
        let inner = readFile(path)
        outer.header.recording = 99
        outer.frames = Array(outer.frames[..<3])
        for index in outer.frames.indices {
            outer.frames[index].bytes = inner
            outer.frames[index].metadata.byteCount = inner.count
        }
        unlink(path)
        try outer.write(to: path, finishing: false)
        var bytes = readFile(path)
        bytes[outer.offset(1) + 20] ^= 1  // The record's header is lost, so its payload is searched for records.
        writeFile(path, bytes)
        let dump = try DumpReader(path)
        #expect(dump.frameCount == 2 && dump.health.lostFrames == 1)
        #expect(try dump.everything()[1].bytes == inner)
    }
}
