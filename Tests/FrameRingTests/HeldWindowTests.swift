// SPDX-License-Identifier: MIT
// All that is held in a ring, by whomever, leaves half of it to the history.

import LivecapFrames
import Testing

@testable import FrameRing

@Suite struct HeldWindowTests {
    private let ring = makeRing(slots: 41)

    /// Publishes frames. Returns whether there was a slot for each.
    private func fill(_ numbers: Range<Int>, _ producer: inout RingProducer) -> Bool {
        for number in numbers where producer.fill(number) == nil { return false }
        return true
    }

    private func hold(
        _ number: Int, before: Int, of ring: Ring, insteadOf other: HeldWindow? = nil
    ) -> HeldWindow? {
        guard let window = ring.window(around: time(number), before: before) else { return nil }
        return HeldWindow(window, of: ring, insteadOf: other)
    }

    @Test func manyTogetherHaveHalfOfTheRing() {
        var producer = RingProducer(filling: ring)
        var isFilled = fill(0..<40, &producer)
        var held = (0..<8).compactMap { hold($0 * 5 + 4, before: 4, of: ring) }
        #expect(held.count == 4 && ring.roomToHold(insteadOf: nil).frames == 0)
        isFilled = fill(40..<200, &producer) && isFilled
        #expect(isFilled && ring.historyMetadata().count == 20)
        held.removeLast()
        #expect(ring.roomToHold(insteadOf: nil).frames == 5)
        #expect(hold(199, before: 5, of: ring) == nil)
        #expect(hold(199, before: 4, of: ring) != nil)
        held = []
        #expect(ring.roomToHold(insteadOf: nil).frames == 20)
    }

    @Test func whatIsLetGoOfCountsAsFree() throws {
        var producer = RingProducer(filling: ring)
        let isFilled = fill(0..<40, &producer)
        let first = try #require(hold(20, before: 15, of: ring))
        #expect(isFilled && hold(22, before: 15, of: ring) == nil)
        #expect(ring.roomToHold(insteadOf: first).frames == 20)
        #expect(hold(22, before: 15, of: ring, insteadOf: first) != nil)
        #expect(ring.roomToHold(insteadOf: nil).frames == 4)
        withExtendedLifetime(first) {}
    }

    @Test func framesThatArePackedCountByTheirBytes() throws {
        let ring = makeCompactRing(slots: 64, bytes: 64 << 10)
        var producer = RingProducer(filling: ring)
        for number in 0..<12 { producer.fill(number, byteCount: 4 << 10) }
        let held = try #require(hold(11, before: 7, of: ring))
        #expect(ring.roomToHold(insteadOf: nil).bytes == 0)
        #expect(hold(2, before: 0, of: ring) == nil)
        withExtendedLifetime(held) {}
    }
}
