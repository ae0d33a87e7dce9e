// SPDX-License-Identifier: MIT
// Sources of one's own: their frames, their end, their failures.

import FrameRing
import Glibc
import LivecapFrames
import Synchronization
import Testing

@testable import Camera

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct PacedSourceTests {
    private struct OutOfPaper: Error, CustomStringConvertible {
        let description = "no more paper"
    }

    /// There is no frame.
    private struct Missing: Error {}

    private let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 4))

    private func loop(_ fill: @escaping @Sendable (Int, inout MutableRawSpan) throws -> Int?) throws -> CaptureLoop {
        try CaptureLoop(
            PacedSource(name: "ramp", format: format, rate: FrameRate(1000), fill: fill), isRealTime: false)
    }

    /// How often a source was asked for a frame. Under load it skips numbers.
    private final class Calls: Sendable {
        private let count = Atomic(0)
        func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    private func end(_ loop: CaptureLoop) -> CaptureLoop.State {
        loop.start()
        var frames = FrameSubscription(to: loop.ring, fromOldest: true)
        while true { if case .ended = frames.next() { return loop.state } }
    }

    @Test func itsFramesAreThoseItWrites() throws {
        let loop = try loop { number, bytes in
            guard number < 50 else { return nil }
            for offset in 0..<bytes.byteCount {
                bytes.storeBytes(of: UInt8(number + offset), toByteOffset: offset, as: UInt8.self)
            }
            return bytes.byteCount
        }
        #expect(end(loop) == .ended)
        guard let newest = loop.ring.leaseNewest() else { throw Missing() }
        let number = Int(newest.metadata.sequence)
        let first = newest.withPlane(0) { rows in Int(rows[0][0]) }
        let later = newest.withPlane(0) { rows in Int(rows[2][3]) }
        let second = newest.withPlane(1) { _ in true }
        #expect(first == number && later == number + 2 * 16 + 3 && number < 50)
        #expect(second == nil)
        #expect(loop.ring.statistics.published + loop.ring.statistics.lost <= 50)
    }

    @Test func whateverItThrowsEndsTheStream() throws {
        let loop = try loop { _, _ in throw OutOfPaper() }
        #expect(end(loop) == .failed(.sourceFailed(name: "ramp", reason: "no more paper")))
    }

    @Test func errorsOfCamerasPassThrough() throws {
        let loop = try loop { _, _ in throw CameraError.noSignal(path: "ramp") }
        #expect(end(loop) == .failed(.noSignal(path: "ramp")))
    }

    @Test func aShortFrameHasNoRowsBeyondItsEnd() throws {
        let calls = Calls()
        let loop = try loop { _, bytes in calls.next() == 0 ? bytes.byteCount / 2 : nil }
        #expect(end(loop) == .ended)
        guard let frame = loop.ring.leaseNewest() else { throw Missing() }
        let plane = frame.withPlane(0) { _ in true }
        #expect(plane == nil)
    }

    @Test func aShortFrameIsDamaged() throws {
        let calls = Calls()
        let loop = try loop { _, bytes in
            let number = calls.next()
            return number < 2 ? number * (bytes.byteCount - 1) : nil
        }
        loop.start()
        var frames = FrameSubscription(to: loop.ring, fromOldest: true)
        while true {
            if case .frame(let frame) = frames.next() { #expect(frame.metadata.damage == .short) } else { break }
        }
        #expect(loop.ring.statistics.published == 2)
    }

    @Test(arguments: [-1, 65])
    func aCountThatNoFrameCanHaveEndsTheStream(count: Int) throws {
        let loop = try loop { _, _ in count }
        #expect(
            end(loop)
                == .failed(
                    .sourceFailed(name: "ramp", reason: "it gave a frame of \(count) bytes, and 0 to 64 are possible")))
    }

    @Test func aSourceIsStoppedWhileItWaits() throws {
        let loop = try CaptureLoop(
            PacedSource(name: "slow", format: format, rate: FrameRate(1, per: 3600)) { _, bytes in bytes.byteCount },
            isRealTime: false)
        loop.start()
        #expect(loop.ring.wait(forCounter: 0) == .arrived)
        loop.stop()
        #expect(loop.state == .ended)
    }
}
