// SPDX-License-Identifier: MIT
// Shared rings with verifiable frames, readers in this process and in others, shared by the tests of sharing.

import Foundation
import FrameRing
import Glibc
import LivecapCShare
import LivecapFiles
import LivecapFrames
import LivecapPatience
import Testing

/// What the tests' rings come from.
let camera = SourceDescription(
    name: "Test camera", identity: "test",
    format: FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 8)), rate: FrameRate(30),
    clock: .monotonic)

/// A shared ring for some of the camera's frames, of fixed slots or compact.
func sharedRing(_ history: Int = 6, isCompact: Bool = false) throws -> Ring {
    let capacity = RingCapacity(duration: .milliseconds(33 * (history - 1)), byteCap: 1 << 20, isShared: true)
    let plan = try #require(capacity.plan(format: camera.format, rate: camera.rate, compact: isCompact))
    return try #require(Ring.slabs(plan, format: camera.format)).ring
}

extension RingProducer {
    /// Publishes a frame: every byte of frame n is n, which makes a torn frame, or another one, visible.
    mutating func put(_ number: Int, byteCount: Int = 512, at time: Timestamp? = nil) {
        _ = publish(byteCount: byteCount) { bytes in
            for offset in 0..<byteCount {
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: offset, as: UInt8.self)
            }
            return FrameMetadata(
                time: time ?? Timestamp(nanoseconds: Int64(number) * 1000), byteCount: byteCount,
                sequence: UInt32(number) + 7, timeSource: .endOfFrame, uncertainty: .microseconds(5))
        }
    }

    mutating func put(_ numbers: Range<Int>) {
        for number in numbers { put(number) }
    }
}

/// A reader that has mapped a ring.
final class Reader {
    var share = livecap_share()

    /// Maps the file of a ring in this process.
    init(mapping ring: Ring) throws {
        share.socket = -1
        let result = livecap_share_map(&share, try #require(ring.memory.file).descriptor)
        try #require(result == 0)
    }

    /// Connects to a socket; throws the errno.
    init(connecting path: String) throws {
        let result = livecap_share_open(&share, path)
        guard result == 0 else { throw Refusal(errno: -result) }
    }

    deinit { livecap_share_close(&share) }

    struct Refusal: Error, Equatable { let errno: Int32 }

    var newest: livecap_frame? {
        var frame = livecap_frame()
        return livecap_share_newest(&share, &frame) == 0 ? frame : nil
    }

    func next(from counter: UInt64) -> livecap_frame? {
        var frame = livecap_frame()
        return livecap_share_next(&share, counter, &frame) == 0 ? frame : nil
    }
}

extension livecap_frame {
    /// Whether all bytes are those of the frame's number.
    var isWhole: Bool {
        let bytes = UnsafeBufferPointer(start: bytes, count: Int(record.byte_count))
        return bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: Int(record.time_ns / 1000)) }
    }

    var isIntact: Bool {
        var frame = self
        return livecap_share_is_intact(&frame) != 0
    }
}

/// A temporary folder, removed with this object.
final class Folder {
    let path: String

    init() throws { path = try #require(makeTemporaryFolder("/tmp/livecap-share-")) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A program that reads a ring, as a process of its own.
final class ReaderProgram {
    private let process = Process()
    private let ended = DispatchSemaphore(value: 0)
    private let output: String
    let folder: Folder

    init(_ program: String, _ arguments: [String]) throws {
        folder = try Folder()
        output = folder.path + "/output"
        try Data().write(to: URL(filePath: output))
        let file = try #require(FileHandle(forWritingAtPath: output))
        defer { try? file.close() }
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, file)
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
    }

    deinit { kill() }

    func kill() { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

    /// The lines printed so far.
    var lines: [String] {
        ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits for the end; nil if the program hangs, and is killed.
    func finish() -> Int32? {
        guard ended.wait(timeout: .now() + .seconds(Patience.seconds)) == .success else {
            kill()
            return nil
        }
        return process.terminationStatus
    }
}
