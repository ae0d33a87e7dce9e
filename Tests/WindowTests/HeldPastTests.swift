// SPDX-License-Identifier: MIT
// The frames around the moment that a window shows stay, and capture goes on.

import FrameRing
import LivecapFrames
import Testing

@testable import LivecapWindow

@Suite struct HeldPastTests {
    private let ring: Ring

    init() {
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 16, height: 16))
        ring = Ring(format: format, memory: SlotMemory.slabs(count: 61, bytesEach: format.byteCount)!, reserve: 1)
    }

    private func time(_ number: Int) -> Timestamp { Timestamp(nanoseconds: Int64(number) * 10_000_000) }

    /// Publishes frames, 10 ms apart. Returns whether there was a slot for each.
    private func fill(_ numbers: Range<Int>, _ producer: inout RingProducer) -> Bool {
        for number in numbers {
            guard let slot = producer.claim() else { return false }
            _ = producer.publish(slot, FrameMetadata(time: time(number), byteCount: 512))
        }
        return true
    }

    private func isThere(_ number: Int) -> Bool { ring.lease(id: FrameID(epoch: 0, counter: UInt64(number))) != nil }

    @Test func theyStayUntilAnotherMomentIsShown() {
        var producer = RingProducer(filling: ring)
        let held = HeldPast()
        var isFilled = fill(0..<60, &producer)
        let isHeld = held.follow(time(30), of: ring)
        isFilled = fill(60..<300, &producer) && isFilled
        #expect(isHeld && isFilled)
        #expect((15...32).allSatisfy { isThere($0) } && !isThere(14) && !isThere(33))
        #expect(held.follow(time(30), of: ring))
        let isLater = held.follow(time(290), of: ring)
        isFilled = fill(300..<400, &producer)
        #expect(isLater && isFilled && !isThere(30) && isThere(290))
        let isLive = !held.follow(nil, of: ring)
        isFilled = fill(400..<500, &producer)
        #expect(isLive && isFilled && !isThere(290))
    }

    @Test func withWhatPagesHoldItIsHalfOfTheRing() {
        var producer = RingProducer(filling: ring)
        var isFilled = fill(0..<60, &producer)
        let shown = ring.window(around: time(22), before: 15, after: 2)
        guard let shown, let ofPage = HeldWindow(shown, of: ring) else {
            Issue.record("the page holds nothing")
            return
        }
        let held = HeldPast()
        let isHeld = held.follow(time(50), of: ring)
        isFilled = fill(60..<300, &producer) && isFilled
        // Of 30, 18 are the page's.
        #expect(isHeld && isFilled && isThere(50) && !isThere(38))
        #expect(ring.historyMetadata().count >= 30)
        withExtendedLifetime(ofPage) {}
    }

    @Test func aMomentThatTheRingDoesNotHaveIsNotHeld() {
        var producer = RingProducer(filling: ring)
        let isFilled = fill(1000..<1060, &producer)
        #expect(isFilled && !HeldPast().follow(time(100), of: ring))
    }
}
