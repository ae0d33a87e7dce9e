// SPDX-License-Identifier: MIT
// Small recordings and the temporary folder they are stored in, for the tests of dumps, imports and replays.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapSeededRandom

@testable import Camera
@testable import LivecapFrameFiles

/// A temporary folder, removed when this object is released.
final class TemporaryFolder {
    let path: String

    init() {
        guard let path = makeTemporaryFolder("/tmp/livecap-test-") else {
            preconditionFailure("no temporary folder: errno \(errno)")
        }
        self.path = path
    }

    deinit {
        Self.removeAll(in: path)
        rmdir(path)
    }

    private static func removeAll(in folder: String) {
        for name in names(in: folder) {
            let path = "\(folder)/\(name)"
            guard unlink(path) != 0 else { continue }
            removeAll(in: path)
            rmdir(path)
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] { Self.names(in: path) }

    private static func names(in folder: String) -> [String] {
        guard let folder = opendir(folder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

func writeFile(_ path: String, _ bytes: some Sequence<UInt8>) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    precondition(file >= 0, "\(path): errno \(errno)")
    let all = Array(bytes)
    precondition(write(file, all, all.count) == all.count, "\(path): errno \(errno)")
    close(file)
}

func readFile(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    precondition(file >= 0, "\(path): errno \(errno)")
    defer { close(file) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let got = read(file, &buffer, buffer.count), got > 0 { all += buffer[..<got] }
    return all
}

/// The same bytes on every run.
extension SeededRandom {
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

/// A frame as a test expects to read it back.
struct SampleFrame: Equatable {
    var metadata: FrameMetadata
    var bytes: [UInt8]
}

/// A small recording: 8x4 YUYV frames of noise.
struct SampleRecording {
    static let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 8, height: 4))
    static let source = SourceDescription(
        name: "Sample", identity: "usb-sample-0042", format: format, rate: FrameRate(30), clock: .monotonic)
    static let anchor = WallClockAnchor(
        monotonic: Timestamp(nanoseconds: 5_000),
        calendar: CalendarTime(sinceEpoch: .seconds(1_700_000_000), utcOffset: .seconds(3600)), zoneName: "CET")

    var header = DumpHeader(of: source, anchor: anchor, recording: 0x1234_5678_9ABC_DEF0)
    var frames: [SampleFrame]

    init(frames count: Int, seed: UInt64 = 1) {
        var noise = SeededRandom(seed: seed)
        frames = (0..<count).map { index in
            let bytes = noise.bytes(Self.format.byteCount)
            return SampleFrame(
                metadata: FrameMetadata(
                    time: Timestamp(nanoseconds: 1_000_000 + Int64(index) * 33_333_333), byteCount: bytes.count,
                    sequence: UInt32(100 + index), timeSource: .startOfExposure, uncertainty: .microseconds(7),
                    flags: index == 0 ? .firstOfEpoch : [], id: FrameID(epoch: 2, counter: UInt64(40 + index))),
                bytes: bytes)
        }
    }

    /// Writes the recording. Without `finishing` it has no index, as if it had been interrupted.
    func write(to path: String, finishing: Bool = true) throws(FrameFileError) {
        let writer = try DumpWriter(path, header)
        for frame in frames {
            try frame.bytes.withBytes { (bytes) throws(FrameFileError) in try writer.append(frame.metadata, bytes) }
        }
        if finishing { try writer.finish() }
    }

    /// The offset of the record of frame `index`.
    func offset(_ index: Int) -> Int {
        header.encoded().count + frames[..<index].reduce(0) { $0 + DumpFrameHeader.byteCount + $1.bytes.count }
    }
}

extension FrameFile {
    /// Every frame with its bytes.
    func everything() throws(FrameFileError) -> [SampleFrame] {
        var frames: [SampleFrame] = []
        for index in 0..<frameCount {
            var bytes = [UInt8](repeating: 0, count: metadata(index).byteCount)
            let frame = try bytes.withMutableBytes { (buffer) throws(FrameFileError) in try read(index, into: buffer) }
            frames.append(SampleFrame(metadata: frame, bytes: bytes))
        }
        return frames
    }
}

/// The error thrown by a call, or nil if it returns.
func failure<Result, Failure: Error>(of body: () throws(Failure) -> Result) -> Failure? {
    do throws(Failure) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

extension FrameFileError {
    /// Whether the error blames the file's content.
    var blamesFile: Bool {
        switch self {
        case .badFile, .notAFile: true
        default: false
        }
    }
}
