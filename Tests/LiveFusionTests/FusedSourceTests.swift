// SPDX-License-Identifier: MIT
// A capture whose frames are fused into a ring of their own.

import Camera
import FrameRing
import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapLiveFusion
import Testing

/// Publishes given frames, as fast as its followers read, and ends.
final class GivenFrames: FrameSource {
    let description: SourceDescription
    let gate: FollowerGate
    private var frames: [(FrameMetadata, [UInt8])]

    init(_ format: FrameFormat, _ gate: FollowerGate, _ frames: [(FrameMetadata, [UInt8])]) {
        description = SourceDescription(
            name: "given", identity: "given", format: format, rate: FrameRate(30), clock: .own)
        (self.gate, self.frames) = (gate, frames)
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {}

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard !frames.isEmpty else { return .ended }
        gate.wait(untilFinishedBelow: producer.ring.nextCounter)
        let (frame, bytes) = frames.removeFirst()
        if frame.id.epoch != producer.epoch { producer.beginEpoch(frame.id.epoch) }
        guard let slot = producer.claim(byteCount: bytes.count) else { return .dropped }
        producer.bytes(of: slot).copyBytes(from: bytes)
        return .published(producer.publish(slot, frame))
    }

    func stop() { gate.open() }
    var interrupt: @Sendable () -> Void {
        let gate = gate
        return { gate.open() }
    }
}

@Suite struct FusedSourceTests {
    private static let size = FrameSize(width: 64, height: 48)

    private struct Result {
        var frames: [FrameMetadata] = []
        var pictures: [[UInt8]] = []
        var description: SourceDescription
        var figures: LiveTimes.Figures
    }

    /// What comes out for frames.
    private func fuse(_ format: FrameFormat, _ frames: [(FrameMetadata, [UInt8])]) throws -> Result {
        let gate = FollowerGate()
        let capture = try CaptureLoop(GivenFrames(format, gate, frames), isRealTime: false)
        let source = try FusedSource(capture, gate: gate)
        let (outGate, times) = (source.gate, source.times)
        let loop = try CaptureLoop(source, isRealTime: false)
        var subscription = FrameSubscription(to: loop.ring, fromOldest: true, gate: outGate)
        loop.start()
        var result = Result(description: loop.description, figures: times.figures)
        reading: while true {
            switch subscription.next() {
            case .timedOut: continue
            case .ended: break reading
            case .frame(let lease):
                result.frames.append(lease.metadata)
                result.pictures.append(lease.withBytes { $0.withUnsafeBytes { Array($0) } })
            }
        }
        loop.stop()
        result.figures = times.figures
        return result
    }

    private func metadata(_ number: Int, epoch: UInt32 = 0, damage: Damage = .none) -> FrameMetadata {
        FrameMetadata(
            time: Timestamp(nanoseconds: 1_000_000_000 + Int64(number) * 33_333_333), byteCount: 0,
            sequence: UInt32(number), timeSource: .scene, uncertainty: .milliseconds(2), damage: damage,
            id: FrameID(epoch: epoch, counter: 0))
    }

    private func grey(_ number: Int, epoch: UInt32 = 0, damage: Damage = .none) -> (FrameMetadata, [UInt8]) {
        let bytes = (0..<Self.size.area).map { UInt8(($0 % 64 + $0 / 64 * 3 + $0 * 7919 * (number + 1) % 11) & 255) }
        var frame = metadata(number, epoch: epoch, damage: damage)
        frame.byteCount = bytes.count
        return (frame, bytes)
    }

    private let format = FrameFormat(pixelFormat: .grey, size: size)

    @Test func framesKeepTheirTimesAndNumbers() throws {
        let given = (0..<6).map { grey($0) }
        let result = try fuse(format, given)
        #expect(result.frames.map(\.time) == given.map(\.0.time))
        #expect(result.frames.map(\.sequence) == given.map(\.0.sequence))
        #expect(result.frames.map(\.id.counter) == Array(0..<6))
        #expect(result.frames.allSatisfy { $0.timeSource == .scene && $0.uncertainty == .milliseconds(2) })
        #expect(result.figures.frames == 6)
        #expect(result.description.format == format)
    }

    @Test func damagedFramesArePassedOverAndCounted() throws {
        let result = try fuse(format, (0..<6).map { grey($0, damage: $0 == 2 || $0 == 3 ? .short : .none) })
        #expect(result.frames.map(\.sequence) == [0, 1, 4, 5])
        #expect(result.frames.map(\.lostBefore) == [0, 0, 2, 0])
        #expect(result.figures.passed == 2)
    }

    @Test func aRestartBeginsAnew() throws {
        let result = try fuse(format, (0..<6).map { grey($0, epoch: $0 < 3 ? 4 : 5) })
        #expect(result.frames.map(\.id.epoch) == [4, 4, 4, 5, 5, 5])
        #expect(result.figures.begun == 2)
    }

    @Test func jpegFramesThatDoNotDecodeArePassedOver() throws {
        let size = Self.size
        let jpegs = try (0..<4).map { number in
            var encoder = try JPEGEncoder()
            let layout = try #require(PlanarLayout(size: size, sampling: .s420))
            var planes = [UInt8](repeating: 128, count: layout.byteCount)
            planes.replaceSubrange(0..<size.area, with: grey(number).1)
            return try encoder.encode(planes.span.bytes, layout: layout, quality: 90) {
                $0.withUnsafeBytes { Array($0) }
            }
        }
        let format = FrameFormat(pixelFormat: .mjpeg, size: size)
        let frames = (0..<4).map { number in
            var frame = metadata(number)
            let bytes = number == 2 ? Array(jpegs[2].prefix(200)) : jpegs[number]
            frame.byteCount = bytes.count
            return (frame, bytes)
        }
        let result = try fuse(format, frames)
        #expect(result.frames.map(\.sequence) == [0, 1, 3])
        #expect(result.description.format.pixelFormat == .i420)
        #expect(result.description.format.colorimetry.range == .full)
    }

    @Test func whatCannotBeFusedIsRefused() throws {
        let bayer = FrameFormat(pixelFormat: PixelFormat("BA81"), size: Self.size)
        let gate = FollowerGate()
        let capture = try CaptureLoop(GivenFrames(bayer, gate, []), isRealTime: false)
        #expect(throws: CameraError.self) { try FusedSource(capture, gate: gate) }
        capture.stop()
    }
}
