// SPDX-License-Identifier: MIT
// A camera that was unplugged and is back goes on in the ring of before.

import FrameRing
import LivecapCV4L2
import LivecapFrames

extension V4L2Camera: JoiningSource {
    /// Compressed frames bring their colours with them, and their number of bytes varies below a limit.
    func fits(_ ring: Ring) -> Bool {
        let (format, other) = (description.format, ring.format)
        guard format.pixelFormat.isCompressed else { return format == other }
        return format.pixelFormat == other.pixelFormat && format.size == other.size
            && format.byteCount <= other.byteCount
    }

    func join(_ producer: inout RingProducer) throws(CameraError) {
        let plan = TransportPlan(
            format: description.format, rate: description.rate, capacity: .standard, depth: depth,
            isCopied: forcedTransport != .userPointer, forced: forcedTransport)
        queue = try plan.queue(into: producer.ring, on: device)
        transport = queue.transport
        try start(&producer)
    }

    func takeSlots() -> [SlotIndex] {
        var slots: [SlotIndex] = []
        takeBackSlots { slots.append($0) }
        return slots
    }
}

extension TransportPlan {
    /// A driver's queue for a ring that exists already. The driver writes into the ring if it was made for that, of our
    /// own pages. Otherwise frames are copied: slots that were buffers of a device that is gone are memory all the
    /// same.
    func queue(into ring: Ring, on device: borrowing V4L2Device) throws(CameraError) -> DriverQueue {
        if !isCopied, let granted = try request(ring.slotCount, V4L2_MEMORY_USERPTR, on: device) {
            return DriverQueue(
                transport: .userPointer, count: granted.count, memory: nil, slotCount: ring.slotCount)
        }
        return try copyQueue(on: device, slotCount: ring.slotCount)
    }
}
