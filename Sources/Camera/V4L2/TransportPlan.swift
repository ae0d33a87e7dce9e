// SPDX-License-Identifier: MIT
// How frames get from a driver into the ring: the best transport is tried first, and the granted capacity is reported.

import FrameRing
import Glibc
import LivecapCV4L2
import LivecapFrames

/// Chooses and sets up the transport of a stream.
struct TransportPlan {
    let format: FrameFormat
    let rate: FrameRate?
    let capacity: RingCapacity
    /// The number of buffers that stay with the driver.
    let depth: Int
    /// Whether frames are compressed or converted, so that the driver cannot write into the ring.
    let isCopied: Bool
    /// For tests: use this transport or fail.
    let forced: Transport?

    /// A ring and its driver queue.
    struct Made: ~Copyable {
        let ring: Ring
        let granted: GrantedCapacity
        var queue: DriverQueue
    }

    /// Queueing a buffer may cost 1/20 of a frame interval. If it costs more, pages are better pinned only once.
    private static let queueingShare: Int64 = 20

    /// Tries the permitted transports, best first.
    func make(on device: borrowing V4L2Device) throws(CameraError) -> Made {
        if isCopied || forced == .copied { return try makeCopied(on: device) }
        if forced != .mapped {
            if let made = try makeUserPointer(on: device) { return made }
        }
        // Buffers of a driver cannot be given to other processes.
        if forced != .userPointer, !capacity.isShared {
            if let made = try makeMapped(on: device) { return made }
        }
        if let forced {
            throw .notSupported(path: device.path, detail: "its driver does not support \(forced.rawValue) streaming")
        }
        return try makeCopied(on: device)
    }

    /// Plans at most `slotCap` slots that a driver writes into.
    private func planned(slotCap: Int = .max) throws(CameraError) -> RingPlan {
        guard
            let plan = capacity.plan(format: format, rate: rate, reserve: depth, compact: false, slotCap: slotCap)
        else { throw .tooLittleMemory(capacity, format: format, reserve: depth) }
        return plan
    }

    /// Uses our own pages, written by the driver. History is not limited to V4L2's 32 buffers, unless pinning pages
    /// anew for every frame is expensive; then there are 32 slots at most, pinned once. Nil if the driver does not
    /// accept our pages.
    private func makeUserPointer(on device: borrowing V4L2Device) throws(CameraError) -> Made? {
        var plan = try planned()
        guard let buffers = try request(plan.slots, V4L2_MEMORY_USERPTR, on: device)?.count else { return nil }
        guard let cost = try queueingCost(buffers, on: device) else { return nil }
        if plan.slots > buffers {
            let interval = rate?.interval ?? .milliseconds(33)
            if cost * Self.queueingShare > interval { plan = try planned(slotCap: buffers) }
        }
        guard let granted = try request(plan.slots, V4L2_MEMORY_USERPTR, on: device) else { return nil }
        guard let ring = Ring.slabs(plan, format: format)?.ring else { throw .noMemory(bytes: plan.bytes) }
        let queue = DriverQueue(transport: .userPointer, count: granted.count, memory: nil, slotCount: plan.slots)
        return Made(ring: ring, granted: GrantedCapacity(plan, isLocked: ring.memory.isLocked), queue: queue)
    }

    /// Measures what it costs to queue a new slab and take back the previous one, which is mostly pinning and unpinning
    /// pages. The minimum of four tries, because a busy machine may interrupt any of them. Nil if the driver refuses
    /// our pages, which it may do even though it grants the buffers. The buffers are released afterwards.
    private func queueingCost(_ buffers: Int, on device: borrowing V4L2Device) throws(CameraError) -> Duration? {
        let tries = min(4, buffers)
        guard
            let memory = SlotMemory.slabs(
                count: tries, bytesEach: format.byteCount,
                sharedSlots: capacity.isShared || capacity.prefersSharing ? tries : nil)
        else {
            throw .noMemory(bytes: tries * format.byteCount)
        }
        var queue = DriverQueue(transport: .userPointer, count: buffers, memory: nil, slotCount: tries)
        var least: Duration?
        for slot in 0..<tries {
            let start = Timestamp.now
            guard queue.queue(slot: slot, bytes: memory.regions[slot], on: device) == 0 else { break }
            // Unpinning costs about as much as pinning.
            let cost = (Timestamp.now - start) * 2
            least = min(least ?? cost, cost)
        }
        _ = try device.requestBuffers(0, V4L2_MEMORY_USERPTR)
        return least
    }

    /// Uses the driver's own buffers as slots, if the driver lets them outlive the stream. Otherwise a lease held
    /// across an unplug would keep the device from being opened again.
    private func makeMapped(on device: borrowing V4L2Device) throws(CameraError) -> Made? {
        let plan = try planned(slotCap: DriverQueue.maxBuffers)
        guard let granted = try request(plan.slots, V4L2_MEMORY_MMAP, on: device) else { return nil }
        let survives = granted.capabilities & UInt32(V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS) != 0
        guard survives, granted.count >= depth + RingCapacity.minFrames else {
            _ = try device.requestBuffers(0, V4L2_MEMORY_MMAP)
            return nil
        }
        let memory = try device.mapBuffers(granted.count)
        let ring = Ring(format: format, memory: memory, reserve: depth)
        let queue = DriverQueue(transport: .mapped, count: granted.count, memory: memory, slotCount: granted.count)
        // The driver may have granted more than was requested.
        let span = (rate ?? RingCapacity.assumedRate).interval * Int64(ring.historyLimit - 1)
        let grant = GrantedCapacity(
            slots: granted.count, reserve: depth, bytes: memory.regions.reduce(0) { $0 + $1.count }, duration: span,
            limit: granted.count < plan.slots ? .buffers : plan.limit, isLocked: true)
        return Made(ring: ring, granted: grant, queue: queue)
    }

    /// Uses a few driver buffers, and slots in our own memory that frames are copied into.
    private func makeCopied(on device: borrowing V4L2Device) throws(CameraError) -> Made {
        let (ring, grant) = try makeSlabRing(capacity, format: format, rate: rate)
        return Made(ring: ring, granted: grant, queue: try copyQueue(on: device, slotCount: ring.slotCount))
    }

    /// Requests and maps a few driver buffers to copy from.
    func copyQueue(on device: borrowing V4L2Device, slotCount: Int) throws(CameraError) -> DriverQueue {
        guard let granted = try request(depth, V4L2_MEMORY_MMAP, on: device) else {
            throw .notSupported(path: device.path, detail: "its driver does not support mmap streaming")
        }
        let memory = try device.mapBuffers(granted.count)
        return DriverQueue(transport: .copied, count: granted.count, memory: memory, slotCount: slotCount)
    }

    /// Requests buffers with one kind of memory; nil if the driver does not support that kind.
    func request(
        _ count: Int, _ memory: v4l2_memory, on device: borrowing V4L2Device
    ) throws(CameraError) -> (count: Int, capabilities: UInt32)? {
        do throws(CameraError) {
            let granted = try device.requestBuffers(min(count, DriverQueue.maxBuffers), memory)
            return granted.count > 0 ? granted : nil
        } catch .driver(_, _, EINVAL) {
            return nil
        }
    }
}
