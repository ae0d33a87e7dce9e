// SPDX-License-Identifier: MIT
// A camera that goes away and comes back fills the same ring, whatever it does on the way.

import FrameRing
import Glibc
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import Camera

@Suite(.timeLimit(.minutes(10))) struct ReturningSourceTests {
    /// The life of a plugged camera: how many frames it delivers before it is unplugged, and how many slots its driver
    /// has meanwhile.
    private struct Life {
        var frames: Int
        var slots = 3
        /// Why it cannot start, if it cannot.
        var trouble: CameraError?
        var size = FrameSize(width: 16, height: 4)
    }

    private static let gone = CameraError.disconnected(path: "/dev/video7")

    /// A camera whose driver holds slots, as V4L2's do.
    private final class PluggedCamera: JoiningSource {
        let description: SourceDescription
        let transport: Transport? = .copied
        private let life: Life
        private var slots: [SlotIndex] = []
        private var delivered = 0
        private let alarm = Alarm()

        init(_ life: Life) {
            self.life = life
            description = SourceDescription(
                name: "fake", identity: "fake", format: FrameFormat(pixelFormat: .grey, size: life.size),
                rate: FrameRate(100), clock: .monotonic, reserve: life.slots)
        }

        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            try makeSlabRing(capacity, format: description.format, rate: FrameRate(100))
        }
        func start(_ producer: inout RingProducer) throws(CameraError) {
            if let trouble = life.trouble { throw trouble }
            for _ in 0..<life.slots { slots.append(producer.claimFree()!) }
        }
        func fits(_ ring: Ring) -> Bool { ring.format == description.format }
        func join(_ producer: inout RingProducer) throws(CameraError) { try start(&producer) }
        func takeSlots() -> [SlotIndex] {
            defer { slots = [] }
            return slots
        }
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
            if alarm.isOff { return .nothing }
            guard delivered < life.frames else { throw gone }
            delivered += 1
            guard let next = producer.claim() else { return .dropped }
            slots.append(next)
            return .published(producer.publish(slots.removeFirst(), FrameMetadata(time: .now, byteCount: 64)))
        }
        func stop() {}
        var interrupt: @Sendable () -> Void { { [alarm] in alarm.switchOff() } }
    }

    /// A source that lives these lives one after the other, with a look in vain before each.
    private func source(_ lives: [Life], limit: Duration? = nil) -> ReturningSource {
        var left = lives.dropFirst().flatMap { [nil, $0] }
        let same = SameSource { _ throws(CameraError) in
            guard let next = left.isEmpty ? nil : left.removeFirst() else {
                throw .noSuchDevice("fake", available: [])
            }
            return PluggedCamera(next)
        }
        return ReturningSource(PluggedCamera(lives[0]), limit: limit, same)
    }

    /// Runs a source on this thread until `isOver`, and returns what came of each step.
    private func run(
        _ source: ReturningSource, until isOver: (borrowing RingProducer, [StepOutcome]) -> Bool
    ) throws -> (outcomes: [StepOutcome], ring: Ring, free: Int) {
        let (ring, _) = try source.makeRing(.standard)
        var producer = RingProducer(filling: ring)
        try source.start(&producer)
        var outcomes: [StepOutcome] = []
        while !isOver(producer, outcomes) {
            outcomes.append(try source.step(&producer))
        }
        return (outcomes, ring, producer.freeSlots)
    }

    private func interruptions(_ outcomes: [StepOutcome]) -> Int {
        outcomes.count { if case .interrupted = $0 { true } else { false } }
    }

    @Test func framesGoOnInTheSameRing() throws {
        let end = try run(source([Life(frames: 5), Life(frames: 4)])) { producer, _ in
            producer.ring.nextCounter == 9
        }
        #expect(interruptions(end.outcomes) == 1)
        var frames = FrameSubscription(to: end.ring, fromOldest: true)
        var epochs: [UInt32] = []
        while case .frame(let frame) = frames.next(until: .now) { epochs.append(frame.metadata.id.epoch) }
        #expect(epochs == [0, 0, 0, 0, 0, 1, 1, 1, 1])
    }

    @Test func noSlotIsLostOverManyReturns() throws {
        let lives = [Life](repeating: Life(frames: 2), count: 12)
        let end = try run(source(lives)) { _, outcomes in interruptions(outcomes) == 12 }
        // Every slot is free or has a frame of the history.
        #expect(end.free + 24 == end.ring.slotCount)
    }

    @Test func aReturnThatFailsIsTriedAgain() throws {
        let lives = [
            Life(frames: 2), Life(frames: 0, trouble: .permissionDenied(path: "/dev/video7", group: nil)),
            Life(frames: 0, trouble: .streamFailed(path: "/dev/video7", call: "VIDIOC_STREAMON", errno: 5)),
            Life(frames: 3),
        ]
        let end = try run(source(lives)) { producer, _ in producer.ring.nextCounter == 5 }
        #expect(interruptions(end.outcomes) == 1)
    }

    @Test func itIsGivenUpAfterItsLimit() throws {
        #expect(throws: Self.gone) {
            try run(source([Life(frames: 1)], limit: .milliseconds(1))) { _, _ in false }
        }
    }

    @Test func anotherFormatDoesNotFit() throws {
        let other = Life(frames: 9, size: FrameSize(width: 32, height: 8))
        #expect(throws: CameraError.self) {
            try run(source([Life(frames: 1), other])) { producer, _ in producer.ring.nextCounter > 1 }
        }
    }

    @Test func aStopEndsTheWait() throws {
        let loop = try CaptureLoop(source([Life(frames: 1)]), isRealTime: false)
        loop.start()
        while loop.interruption?.isAway != true { sched_yield() }
        loop.stop()
        #expect(loop.state == .ended)
        #expect(loop.interruption?.number == 1)
    }
}
