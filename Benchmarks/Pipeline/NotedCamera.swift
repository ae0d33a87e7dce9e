// SPDX-License-Identifier: MIT
// A synthetic camera that records what it publishes, and finally finds slots that were never released.

import Camera
import FrameRing
import LivecapFrames
import Synchronization

/// A `SyntheticCamera` that notes in a schedule which frames it publishes, and when.
final class NotedCamera: FrameSource {
    private let camera: SyntheticCamera
    private let schedule: Schedule
    private let audit: SlotAudit

    init(
        _ settings: SyntheticSettings, pixelFormat: PixelFormat = .yuyv, size: FrameSize, rate: FrameRate,
        _ schedule: Schedule, _ audit: SlotAudit
    ) throws(CameraError) {
        camera = try SyntheticCamera(settings, pixelFormat: pixelFormat, size: size, rate: rate)
        (self.schedule, self.audit) = (schedule, audit)
    }

    var description: SourceDescription { camera.description }
    var interrupt: @Sendable () -> Void { camera.interrupt }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try camera.makeRing(capacity)
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {
        audit.expect(&producer)
        let before = Timestamp.now
        try camera.start(&producer)
        schedule.started(after: before, before: .now)
    }

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        if audit.isAsked { audit.count(&producer) }
        let outcome = try camera.step(&producer)
        if case .published(let id) = outcome {
            let visible = Timestamp.now, totals = producer.ring.statistics
            schedule.note(
                Int(id.counter), number: Int(id.counter + totals.lost + totals.dropped), visible: visible)
        }
        return outcome
    }

    func stop() { camera.stop() }
}

/// Counts the slots that a producer can still claim; all others are leased.
final class SlotAudit: Sendable {
    private let expected = Atomic<Int>(0)
    private let most = Atomic<Int>(0)
    private let asked = Atomic<Bool>(false)

    /// Counts the slots of a ring that has no readers yet.
    func expect(_ producer: inout RingProducer) { expected.store(claimAll(&producer), ordering: .relaxed) }

    /// Whether slots should be counted instead of filled.
    var isAsked: Bool { asked.load(ordering: .acquiring) }

    /// Claims all free slots and discards them. This erases the ring's history.
    func count(_ producer: inout RingProducer) {
        let now = claimAll(&producer)
        // Only this thread writes `most`. Working readers hold a slot for a moment, so the maximum of several counts
        // is taken. Pairs with the acquiring load in `left`.
        most.store(max(now, most.load(ordering: .relaxed)), ordering: .releasing)
    }

    /// The number of slots that are still leased, counted during a few more steps of the source. The run cannot be
    /// used after that.
    func leaked() -> Int {
        // Pairs with the acquiring load in `isAsked`.
        asked.store(true, ordering: .releasing)
        let deadline = Timestamp.now + .seconds(3)
        while left > 0, .now < deadline { sleep(until: .now + .milliseconds(5)) }
        return left
    }

    /// How many slots were leased in every count so far.
    private var left: Int { expected.load(ordering: .relaxed) - most.load(ordering: .acquiring) }

    private func claimAll(_ producer: inout RingProducer) -> Int {
        var slots: [SlotIndex] = []
        while let slot = producer.claim() { slots.append(slot) }
        for slot in slots { producer.discard(slot) }
        return slots.count
    }
}
