// SPDX-License-Identifier: MIT
// The driver's buffers and the ring slot that each one holds.

import FrameRing
import Glibc
import LivecapCV4L2
import LivecapFrames

/// How frames get from the driver into the ring.
public enum Transport: String, Hashable, Codable, Sendable, CaseIterable {
    /// The driver writes into our own pages: no copy, and history is as long as memory allows.
    case userPointer = "userptr"
    /// The ring's slots are the driver's mapped buffers: no copy, but at most 32 slots.
    case mapped = "mmap"
    /// Frames are copied out of a few driver buffers.
    case copied = "copy"
}

/// A dequeued buffer.
struct FilledBuffer {
    /// The driver's index of the buffer.
    let index: Int
    /// The ring slot that the buffer's memory belongs to; nil if the frame has to be copied.
    let slot: SlotIndex?
    let raw: v4l2_buffer
}

/// The buffers exchanged with a driver, and the ioctls that pass them back and forth. Used by one thread at a time.
/// Allocates only on creation, never while streaming.
struct DriverQueue: ~Copyable {
    /// V4L2's own limit: VIDEO_MAX_FRAME.
    static let maxBuffers = 32

    let transport: Transport
    /// The total number of buffers.
    let count: Int
    /// The driver's memory, for `mapped` and `copied`.
    let memory: SlotMemory?
    /// Whether the ring has more slots than the driver has buffers, so that any buffer may hold any slot.
    private let isRotating: Bool
    private var slots: InlineArray<32, Int> = .init(repeating: -1)
    /// Bit i is set while buffer i is not queued.
    private var idle: UInt32

    init(transport: Transport, count: Int, memory: SlotMemory?, slotCount: Int) {
        self.transport = transport
        self.count = count
        self.memory = memory
        isRotating = transport == .userPointer && slotCount > count
        idle = count == 32 ? .max : (1 << UInt32(count)) - 1
    }

    /// The number of buffers queued at the driver.
    var queued: Int { count - idle.nonzeroBitCount }

    /// A queue without buffers, for use before the ring is created and after the stream.
    static var none: DriverQueue { DriverQueue(transport: .copied, count: 0, memory: nil, slotCount: 0) }

    /// Queues a ring slot for the driver to write into: `VIDIOC_QBUF`. Returns 0 or -errno. On failure the caller keeps
    /// the slot.
    mutating func queue(slot: SlotIndex, bytes: UnsafeMutableRawBufferPointer, on device: borrowing V4L2Device) -> Int32
    {
        let index = isRotating ? idle.trailingZeroBitCount : slot
        guard index < count else { return -EAGAIN }
        var raw = emptyBuffer(index)
        if transport == .userPointer {
            raw.m.userptr = UInt(bitPattern: bytes.baseAddress)
            raw.length = UInt32(bytes.count)
        }
        let result = cv4l2_qbuf(device.descriptor, &raw)
        if result == 0 {
            slots[index] = slot
            idle &= ~(1 << UInt32(index))
        }
        return result
    }

    /// Queues one of the driver's own buffers again: `VIDIOC_QBUF`.
    mutating func queue(buffer index: Int, on device: borrowing V4L2Device) -> Int32 {
        var raw = emptyBuffer(index)
        let result = cv4l2_qbuf(device.descriptor, &raw)
        if result == 0 { idle &= ~(1 << UInt32(index)) }
        return result
    }

    /// Dequeues a filled buffer: `VIDIOC_DQBUF`. If there is none, returns nil and sets `error` to -errno.
    mutating func dequeue(from device: borrowing V4L2Device, error: inout Int32) -> FilledBuffer? {
        var raw = emptyBuffer(0)
        error = cv4l2_dqbuf(device.descriptor, &raw)
        guard error == 0 else { return nil }
        let index = Int(raw.index)
        // The driver cannot return a buffer it does not have. If it claims to, report an error instead of trusting it.
        guard index < count, idle & (1 << UInt32(index)) == 0 else {
            error = -EIO
            return nil
        }
        idle |= 1 << UInt32(index)
        return FilledBuffer(index: index, slot: transport == .copied ? nil : slots[index], raw: raw)
    }

    /// Marks every queued buffer as returned, which is the effect of stream-off.
    mutating func forgetQueued(returning body: (SlotIndex) -> Void) {
        for index in 0..<count where idle & (1 << UInt32(index)) == 0 {
            if transport != .copied { body(slots[index]) }
            idle |= 1 << UInt32(index)
        }
    }

    /// The bytes that the driver wrote into one of its own buffers.
    func bytes(of buffer: FilledBuffer) -> UnsafeRawBufferPointer {
        let region = memory!.regions[buffer.index]
        return UnsafeRawBufferPointer(rebasing: region[..<min(Int(buffer.raw.bytesused), region.count)])
    }

    private func emptyBuffer(_ index: Int) -> v4l2_buffer {
        var raw = v4l2_buffer()
        raw.index = UInt32(index)
        raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        raw.memory = (transport == .userPointer ? V4L2_MEMORY_USERPTR : V4L2_MEMORY_MMAP).rawValue
        return raw
    }
}

extension V4L2Device {
    /// Requests `count` buffers, or releases them all if it is 0: `VIDIOC_REQBUFS`. Returns the number granted and the
    /// queue's capabilities.
    func requestBuffers(
        _ count: Int, _ memory: v4l2_memory
    ) throws(CameraError) -> (count: Int, capabilities: UInt32) {
        var raw = v4l2_requestbuffers()
        raw.count = UInt32(count)
        raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        raw.memory = memory.rawValue
        try check(cv4l2_reqbufs(descriptor, &raw), "VIDIOC_REQBUFS")
        return (min(Int(raw.count), DriverQueue.maxBuffers), raw.capabilities)
    }

    /// Maps `count` of the driver's buffers: `VIDIOC_QUERYBUF`, `mmap(2)`. They are unmapped when the memory object is
    /// released, which may be after the device was closed.
    func mapBuffers(_ count: Int) throws(CameraError) -> SlotMemory {
        var regions: [UnsafeMutableRawBufferPointer] = []
        var failure: (Int32, String)?
        for index in 0..<count {
            var raw = v4l2_buffer()
            raw.index = UInt32(index)
            raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            raw.memory = V4L2_MEMORY_MMAP.rawValue
            var error = cv4l2_querybuf(descriptor, &raw)
            guard error == 0 else {
                failure = (error, "VIDIOC_QUERYBUF")
                break
            }
            let address = cv4l2_map(descriptor, Int(raw.length), raw.m.offset, &error)
            guard let address else {
                failure = (error, "mmap")
                break
            }
            regions.append(UnsafeMutableRawBufferPointer(start: address, count: Int(raw.length)))
        }
        let extents = regions.map { (UInt(bitPattern: $0.baseAddress), $0.count) }
        let memory = SlotMemory(borrowing: regions) {
            for (address, length) in extents { munmap(UnsafeMutableRawPointer(bitPattern: address), length) }
        }
        if let (error, call) = failure { try check(error, call) }
        return memory
    }
}
