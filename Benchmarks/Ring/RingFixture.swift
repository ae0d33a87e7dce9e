// SPDX-License-Identifier: MIT
// Rings for benchmarks.

import FrameRing
import LivecapFrames

/// A history of a second and a half at 30 frames per second, and four slots for the driver.
let usualSlots = 50
let usualReserve = 4

/// Full HD as webcams send it without compression.
let fullHD = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 1920, height: 1080))

func makeRing(slots: Int = usualSlots, reserve: Int = usualReserve, bytesEach: Int) -> Ring {
    guard let memory = SlotMemory.slabs(count: slots, bytesEach: bytesEach) else {
        preconditionFailure("\(slots * bytesEach) bytes are not to be had")
    }
    var format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: bytesEach, height: 1))
    format.byteCount = bytesEach
    return Ring(format: format, memory: memory, reserve: reserve)
}

/// A producer that keeps slots queued as a driver does: it claims the next slot before it publishes the filled one.
struct DriverPlay: ~Copyable {
    private var producer: RingProducer
    private var queued: [SlotIndex]
    private var oldest = 0
    private var number: Int64 = 0
    private let byteCount: Int

    init(_ ring: Ring) {
        producer = RingProducer(filling: ring)
        byteCount = ring.format.byteCount
        queued = []
        for _ in 0..<ring.reserve { queued.append(producer.claim()!) }
    }

    /// Publishes the oldest queued slot, as if the driver had filled it, and queues another one. The frame's time is
    /// `time`, or a microsecond after that of the frame before.
    @inline(__always)
    mutating func publishNext(at time: Timestamp? = nil) {
        guard let next = producer.claim() else {
            producer.drop()
            return
        }
        number += 1
        producer.publish(
            queued[oldest], FrameMetadata(time: time ?? Timestamp(nanoseconds: number * 1000), byteCount: byteCount))
        queued[oldest] = next
        oldest = oldest + 1 == queued.count ? 0 : oldest + 1
    }

    /// The buffer that becomes visible next.
    var filling: UnsafeMutableRawBufferPointer { producer.bytes(of: queued[oldest]) }
}
