// SPDX-License-Identifier: MIT
// Converting a duration to slots and bytes: the request, the grant, and that absurd requests are harmless.

import LivecapFrames
import Testing

@testable import FrameRing

@Suite struct RingPlanTests {
    let hd = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 1280, height: 720))
    let jpeg = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 1280, height: 960))
    let page = SlotMemory.pageSize

    @Test func aSecondAndAHalfAtThirtyTakesFortySixFramesAndTheReserve() throws {
        let plan = try #require(RingCapacity.standard.plan(format: hd, rate: FrameRate(30), reserve: 4))
        #expect(plan.slots == 46 + 4)
        #expect(plan.bytesPerSlot >= hd.byteCount && plan.bytesPerSlot < hd.byteCount + page)
        #expect(plan.bytes == plan.bytesPerSlot * 50)
        #expect(!plan.isCompact)
        #expect(abs(plan.duration.seconds - 1.5) < 1e-6)
    }

    @Test func aWishBetweenTwoFramesIsRoundedUp() throws {
        let asked = RingCapacity(duration: .milliseconds(110), byteCap: 1 << 30)
        let plan = try #require(asked.plan(format: hd, rate: FrameRate(10), reserve: 1))
        #expect(plan.duration == .milliseconds(200))
        #expect(plan.slots == 3 + 1)
    }

    @Test func theByteCapBoundsEveryPlan() throws {
        for format in [hd, jpeg] {
            for cap in stride(from: 0, through: 60 << 20, by: 777_777) {
                let asked = RingCapacity(duration: .seconds(20), byteCap: cap)
                guard let plan = asked.plan(format: format, rate: FrameRate(30), reserve: 4) else {
                    #expect(cap < RingCapacity.minBytes(format: format, reserve: 4))
                    continue
                }
                #expect(plan.bytes <= cap)
                #expect(plan.slots - plan.reserve >= RingCapacity.minFrames)
                #expect(plan.duration < .seconds(20) && plan.duration <= plan.usualDuration)
            }
        }
    }

    @Test func theSmallestGrantIsJustWhatFewestBytesSays() {
        for format in [hd, jpeg] {
            let fewest = RingCapacity.minBytes(format: format, reserve: 4)
            let enough = RingCapacity(duration: .seconds(1), byteCap: fewest)
            let tooLittle = RingCapacity(duration: .seconds(1), byteCap: fewest - 1)
            #expect(enough.plan(format: format, reserve: 4) != nil)
            #expect(tooLittle.plan(format: format, reserve: 4) == nil)
        }
    }

    @Test func largerFramesThanUsualGetMoreRoom() throws {
        let capacity = RingCapacity.standard
        let usual = try #require(capacity.plan(format: jpeg, rate: FrameRate(30)))
        let bytes = 2 * RingCapacity.usualBytes(jpeg)
        let larger = try #require(capacity.plan(format: jpeg, rate: FrameRate(30), usualBytes: bytes))
        #expect(larger.slots == usual.slots && larger.bytes > usual.bytes * 3 / 2)
        #expect(larger.usualDuration >= .milliseconds(1500))
        // No frame is larger than the largest.
        let absurd = try #require(capacity.plan(format: jpeg, rate: FrameRate(30), usualBytes: .max))
        #expect(absurd.bytes <= (absurd.slots + 1) * (jpeg.byteCount + 65536))
    }

    @Test func compressedFramesAreCompactWithRoomForTheUsualAndForAFewOfTheLargest() throws {
        let plan = try #require(RingCapacity.standard.plan(format: jpeg, rate: FrameRate(30)))
        #expect(plan.isCompact)
        #expect(plan.slots >= 46 + 1)
        #expect(plan.bytes >= 8 * jpeg.byteCount)
        #expect(plan.bytes < 46 * jpeg.byteCount / 2)
        #expect(plan.usualDuration >= .milliseconds(1500))
        #expect(plan.duration < plan.usualDuration)
    }

    @Test func aDriversOwnLimitHolds() throws {
        let plan = try #require(RingCapacity.standard.plan(format: hd, rate: FrameRate(30), reserve: 4, slotCap: 32))
        #expect(plan.slots == 32)
        #expect(plan.duration < .seconds(1))
        #expect(RingCapacity.standard.plan(format: hd, reserve: 4, slotCap: 5) == nil)
    }

    @Test func whatHoldsAPlanDownIsNamed() throws {
        func limit(_ seconds: Double, _ format: FrameFormat, cap: Int = 1 << 30, slots: Int = .max) -> HistoryLimit? {
            RingCapacity(duration: .seconds(seconds), byteCap: cap)
                .plan(format: format, rate: FrameRate(30), reserve: 4, slotCap: slots)?.limit
        }
        #expect(limit(1.5, hd) == .asked && limit(1.5, jpeg) == .asked)
        #expect(limit(1.5, hd, cap: 40 << 20) == .memory && limit(1.5, jpeg, cap: 10 << 20) == .memory)
        #expect(limit(1.5, hd, slots: 32) == .buffers)
        #expect(limit(100, FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 64))) == .slots)
    }

    @Test func absurdWishesAreClampedNotTrapped() {
        let extremes = [Int.min, -1, 0, 1, 7, 4095, 1 << 40, .max - 1, .max]
        for value in extremes {
            var format = jpeg
            format.byteCount = value
            let wide = FrameFormat(
                pixelFormat: .mjpeg, size: FrameSize(width: value, height: value), bytesPerLine: 0, byteCount: 1 << 20,
                colorimetry: .jpeg)
            for other in extremes {
                for rate in [nil, FrameRate(.max), FrameRate(1, per: .max)] {
                    for compact in [nil, true, false] {
                        let asked = RingCapacity(duration: Duration.nanoseconds(Int64(other)), byteCap: other)
                        _ = asked.plan(format: format, rate: rate, reserve: other, compact: compact, slotCap: other)
                        let rich = RingCapacity(duration: Duration.nanoseconds(Int64(other)), byteCap: .max)
                        let plan = rich.plan(format: wide, rate: rate, reserve: 4, compact: compact)
                        #expect(plan.map { $0.slots <= RingCapacity.maxSlots } ?? false)
                    }
                }
            }
        }
    }

    @Test func aRingOfSlabsIsWhatItsPlanSays() throws {
        let small = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 64))
        let plan = try #require(
            RingCapacity(duration: .milliseconds(300), byteCap: 1 << 20).plan(format: small, rate: FrameRate(30)))
        let (ring, granted) = try #require(Ring.slabs(plan, format: small))
        #expect(ring.slotCount == plan.slots && ring.reserve == plan.reserve)
        #expect(granted.slots == plan.slots && granted.duration == plan.duration)
        #expect(granted.bytes == ring.memory.regions.reduce(0) { $0 + $1.count })
        #expect(granted.isLocked == ring.memory.isLocked)
    }

    @Test func aCompactRingOfSlabsIsOneRegion() throws {
        let plan = try #require(RingCapacity.standard.plan(format: jpeg, rate: FrameRate(30)))
        let (ring, granted) = try #require(Ring.slabs(plan, format: jpeg))
        #expect(ring.isCompact && ring.slotCount == plan.slots)
        #expect(ring.memory.regions.map(\.count) == [granted.bytes])
    }

    @Test func memoryThatDoesNotExistIsNil() {
        let plan = RingPlan(
            slots: 1 << 20, reserve: 1, bytes: .max, bytesPerSlot: 1 << 60, isCompact: false, duration: .zero,
            usualDuration: .zero)
        #expect(Ring.slabs(plan, format: hd) == nil)
        #expect(SlotMemory.slabs(count: 1, bytesEach: .max) == nil)
    }
}
