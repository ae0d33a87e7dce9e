// SPDX-License-Identifier: MIT
// A session's frames are watched for motion, and photos are taken of what was noticed.

import Camera
import FrameRing
import Glibc
import LivecapFrames
import LivecapThreads
import Testing

@testable import LiveCapture

/// Shows a still picture, and a square that crosses it in ten frames, as fast as its followers read.
private final class CrossingSquare: FrameSource {
    static let size = FrameSize(width: 160, height: 120)
    static let first = 100
    let description = SourceDescription(
        name: "square", identity: "square", format: FrameFormat(pixelFormat: .grey, size: size), rate: FrameRate(30),
        clock: .own)
    private let gate: FollowerGate
    private var number = 0

    init(_ gate: FollowerGate) { self.gate = gate }

    static func time(_ number: Int) -> Timestamp { Timestamp(nanoseconds: Int64(number) * 33_333_333) }

    private static let still: [UInt8] = (0..<size.area).map { place in
        (place % size.width / 24 + place / size.width / 20) % 2 == 0 ? 90 : 130
    }

    private func picture() -> [UInt8] {
        var bytes = Self.still
        let way = number - Self.first
        guard way >= 0, way < 10 else { return bytes }
        let width = Self.size.width, middle = way * width / 9
        for y in 48..<72 {
            for x in max(0, middle - 12)..<min(width, middle + 12) { bytes[y * width + x] = 230 }
        }
        return bytes
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {}

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard number < 250 else { return .ended }
        gate.wait(untilFinishedBelow: producer.ring.nextCounter)
        let bytes = picture()
        guard let slot = producer.claim(byteCount: bytes.count) else { return .dropped }
        producer.bytes(of: slot).copyBytes(from: bytes)
        defer { number += 1 }
        return .published(
            producer.publish(slot, FrameMetadata(time: Self.time(number), byteCount: bytes.count)))
    }

    func stop() { gate.open() }

    var interrupt: @Sendable () -> Void {
        let gate = gate
        return { gate.open() }
    }
}

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct SessionTriggerTests {
    private func session() throws -> CaptureSession {
        var options = SessionOptions()
        options.threads = 1
        options.memory = 64 << 20
        options.level = .portable
        let gate = FollowerGate()
        return try CaptureSession(CrossingSquare(gate), gate: gate, options)
    }

    @Test func aPhotoShowsWhatMoves() async throws {
        let session = try session()
        let events = Guarded<[TriggerEvent]>([])
        let shots = Guarded<[PhotoCapture]>([])
        // The source waits for this thread, so the moment is still there.
        let leave = try session.followMotion(MotionTrigger(quiet: .seconds(1))) { event in
            events.withLock { $0.append(event) }
            guard case .began(let cause) = event else { return }
            let shot = session.photoOutput.capture(PhotoSettings(quality: .single), at: cause.tap)
            shots.withLock { $0.append(shot) }
        }
        session.begin()
        await until { session.hasEnded }
        await until { events.withLock { $0.count } >= 2 }
        leave()
        guard case .began(let cause) = events.withLock({ $0[0] }) else {
            Issue.record("no beginning")
            return
        }
        #expect(cause.time == CrossingSquare.time(CrossingSquare.first))
        #expect(cause.noticed <= CrossingSquare.time(CrossingSquare.first + 2))
        let taken = shots.withLock { $0 }
        #expect(taken.count == 1)
        for shot in taken {
            let photo = try await shot.photo()
            #expect(photo.reference.time == cause.moment)
        }
        #expect(events.withLock { $0.count } == 2)
        session.endTriggers()
        await session.stop()
    }

    @Test func theStreamHasItsBeginningAndItsEnd() async throws {
        let session = try session()
        let stream = try session.triggerEvents(MotionTrigger(quiet: .seconds(1)))
        session.begin()
        var events: [TriggerEvent] = []
        for await event in stream {
            events.append(event)
            if events.count == 2 { break }
        }
        guard case .ended(.motion, let last) = events[1] else {
            Issue.record("\(events)")
            return
        }
        #expect(last <= CrossingSquare.time(CrossingSquare.first + 11))
        await session.stop()
    }

    @Test func timesComeWithTheNewestFrame() async throws {
        let session = try session()
        session.begin()
        for await event in try session.triggerEvents(every: .milliseconds(2)) {
            guard case .began(let cause) = event else { continue }
            #expect(cause.kind == .time && cause.time.nanoseconds % 33_333_333 == 0)
            break
        }
        await session.stop()
    }
}
