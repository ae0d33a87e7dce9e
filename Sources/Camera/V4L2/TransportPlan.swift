// SPDX-License-Identifier: MIT
// How frames will get from a driver into the ring: tried best first, and honest about what was granted.

import CV4L2
import FrameRing
import Frames
import Glibc

/// Chooses and sets up the transport of a stream.
struct TransportPlan {
    let format: FrameFormat
    let rate: FrameRate?
    let capacity: RingCapacity
    /// Buffers that stay with the driver.
    let depth: Int
    /// Compressed or converted: the driver cannot write into the ring.
    let isCopied: Bool
    /// For tests: this one or an error.
    let forced: Transport?

    /// A ring and the driver's queue for it.
    struct Made: ~Copyable {
        let ring: FrameRing
        let granted: GrantedCapacity
        var queue: DriverQueue
    }

    /// Queueing a buffer may cost this part of a frame interval; more, and pages had better be pinned once for all.
    private static let queueingShare: Int64 = 20

    /// Tries what may be tried, best first.
    func make(on device: borrowing V4L2Device) throws(CameraError) -> Made {
        if isCopied || forced == .copied { return try makeCopied(on: device) }
        if forced != .mapped {
            if let made = try makeUserPointer(on: device) { return made }
        }
        if forced != .userPointer {
            if let made = try makeMapped(on: device) { return made }
        }
        if let forced {
            throw .notSupported(path: device.path, detail: "its driver does not do \(forced.rawValue) streaming")
        }
        return try makeCopied(on: device)
    }

    /// Slots that a driver writes into, `slotCap` at most.
    private func planned(slotCap: Int = .max) throws(CameraError) -> RingPlan {
        guard
            let plan = capacity.plan(format: format, rate: rate, reserve: depth, compact: false, slotCap: slotCap)
        else { throw .tooLittleMemory(capacity, format: format, reserve: depth) }
        return plan
    }

    /// Our own pages, written by the driver. History is not bounded by V4L2's 32 buffers unless pinning pages anew for
    /// every frame is dear; then 32 slots, pinned once. Nil where the driver does not take our pages.
    private func makeUserPointer(on device: borrowing V4L2Device) throws(CameraError) -> Made? {
        var plan = try planned()
        guard let buffers = try request(plan.slots, V4L2_MEMORY_USERPTR, on: device)?.count else { return nil }
        guard let cost = try queueingCost(buffers, on: device) else { return nil }
        if plan.slots > buffers {
            let interval = rate?.interval ?? .milliseconds(33)
            if cost * Self.queueingShare > interval { plan = try planned(slotCap: buffers) }
        }
        guard let granted = try request(plan.slots, V4L2_MEMORY_USERPTR, on: device) else { return nil }
        guard let memory = SlotMemory.slabs(count: plan.slots, bytesEach: format.byteCount) else {
            throw .noMemory(bytes: plan.bytes)
        }
        let ring = FrameRing(format: format, memory: memory, reserve: depth)
        let queue = DriverQueue(transport: .userPointer, count: granted.count, memory: nil, slotCount: plan.slots)
        return Made(ring: ring, granted: GrantedCapacity(plan, isLocked: memory.isLocked), queue: queue)
    }

    /// What it takes to queue a fresh slab and take back the one before: the pinning and unpinning of pages, mostly. The
    /// least of four, since anything may come between on a busy machine. Nil where the driver refuses our pages, which
    /// it may do though it grants the buffers. Lets go of them afterwards.
    private func queueingCost(_ buffers: Int, on device: borrowing V4L2Device) throws(CameraError) -> TimeSpan? {
        let tries = min(4, buffers)
        guard let memory = SlotMemory.slabs(count: tries, bytesEach: format.byteCount) else {
            throw .noMemory(bytes: tries * format.byteCount)
        }
        var queue = DriverQueue(transport: .userPointer, count: buffers, memory: nil, slotCount: tries)
        var least: TimeSpan?
        for slot in 0..<tries {
            let start = Timestamp.now
            guard queue.queue(slot: slot, bytes: memory.regions[slot], on: device) == 0 else { break }
            // Unpinning is about as dear as pinning.
            let cost = (Timestamp.now - start) * 2
            least = min(least ?? cost, cost)
        }
        _ = try device.requestBuffers(0, V4L2_MEMORY_USERPTR)
        return least
    }

    /// The driver's own buffers as slots, where it lets them live on after the stream: else a lease held across an
    /// unplug would keep the device from being opened again.
    private func makeMapped(on device: borrowing V4L2Device) throws(CameraError) -> Made? {
        let plan = try planned(slotCap: DriverQueue.mostBuffers)
        guard let granted = try request(plan.slots, V4L2_MEMORY_MMAP, on: device) else { return nil }
        let survives = granted.capabilities & UInt32(V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS) != 0
        guard survives, granted.count >= depth + RingCapacity.fewestFrames else {
            _ = try device.requestBuffers(0, V4L2_MEMORY_MMAP)
            return nil
        }
        let memory = try device.mapBuffers(granted.count)
        let ring = FrameRing(format: format, memory: memory, reserve: depth)
        let queue = DriverQueue(transport: .mapped, count: granted.count, memory: memory, slotCount: granted.count)
        // The driver may have granted more than was asked for.
        let span = (rate ?? RingCapacity.assumedRate).interval * Int64(ring.historyLimit - 1)
        let grant = GrantedCapacity(
            slots: granted.count, reserve: depth, bytes: memory.regions.reduce(0) { $0 + $1.count }, duration: span,
            limit: granted.count < plan.slots ? .buffers : plan.limit, isLocked: true)
        return Made(ring: ring, granted: grant, queue: queue)
    }

    /// A few driver buffers, and slots of our own that frames are copied into.
    private func makeCopied(on device: borrowing V4L2Device) throws(CameraError) -> Made {
        guard let granted = try request(depth, V4L2_MEMORY_MMAP, on: device) else {
            throw .notSupported(path: device.path, detail: "its driver does not do mmap streaming")
        }
        let memory = try device.mapBuffers(granted.count)
        let (ring, grant) = try makeSlabRing(capacity, format: format, rate: rate)
        let queue = DriverQueue(transport: .copied, count: granted.count, memory: memory, slotCount: ring.slotCount)
        return Made(ring: ring, granted: grant, queue: queue)
    }

    /// Asks for buffers of one kind of memory; nil where the driver does not do that kind.
    private func request(
        _ count: Int, _ memory: v4l2_memory, on device: borrowing V4L2Device
    ) throws(CameraError) -> (count: Int, capabilities: UInt32)? {
        do throws(CameraError) {
            let granted = try device.requestBuffers(min(count, DriverQueue.mostBuffers), memory)
            return granted.count > 0 ? granted : nil
        } catch .driver(_, _, EINVAL) {
            return nil
        }
    }
}
