// SPDX-License-Identifier: MIT
// Converts requested seconds to slots and bytes for every source, and allocates the ring in our own memory.

import LivecapFrames

/// The planned size of a ring, made by `RingCapacity.plan`.
public struct RingPlan: Hashable, Sendable {
    /// The number of slots, including the reserve.
    public var slots: Int
    /// The number of slots reserved for the producer.
    public var reserve: Int
    /// The total memory in bytes, in whole pages.
    public var bytes: Int
    /// Bytes from one slot to the next, in whole pages; 0 in a compact ring, whose frames are packed one after another.
    public var bytesPerSlot: Int
    /// Whether frames of varying size share one region.
    public var isCompact: Bool
    /// The guaranteed time span of history at the stream's rate, even if every frame has the maximum size.
    public var duration: Duration
    /// The time span of history with frames of the usual size.
    public var usualDuration: Duration
    /// What limits the history.
    public var limit = HistoryLimit.asked
    /// Whether other processes may read the ring.
    public var isShared = false
    /// Whether they may if the system allows it.
    package var prefersSharing = false
}

extension RingCapacity {
    /// The minimum number of history frames for a useful ring.
    public static let minFrames = 2
    /// The maximum number of slots: a lookup scans all of them.
    public static let maxSlots = 2048
    /// The rate assumed when none is known.
    public static let assumedRate = FrameRate(30)

    /// The size of the smallest ring in bytes. With a byte cap below this, `plan` returns nil.
    public static func minBytes(format: FrameFormat, reserve: Int = 1, compact: Bool? = nil) -> Int {
        let stride = SlotMemory.wholePages(format.byteCount)
        return product(stride, sum(minFrames, compact ?? format.pixelFormat.isCompressed ? 1 : max(0, reserve)))
    }

    /// Computes the slots and bytes for this much history of a stream; nil if the byte cap has no room for
    /// `minFrames`.
    ///
    /// - Fixed slots: as many as the duration needs at `rate`, each large enough for the largest frame.
    /// - Compact (default for compressed formats): a quarter more slots than the duration needs, since a slot costs
    ///   next to nothing. The region has room for that many frames of the usual size (a quarter of a byte per pixel)
    ///   and for at least eight of the largest, or for as many of the largest as there are slots if those are fewer.
    ///
    /// A history of n frames is guaranteed to reach back n - 1 intervals. Any values are safe; absurd ones are clamped.
    /// `slotCap` is the source's own limit, such as a driver's 32 buffers. `usualBytes` is the usual size of compressed
    /// frames where it is known to be larger.
    public func plan(
        format: FrameFormat, rate: FrameRate? = nil, reserve: Int = 1, compact: Bool? = nil, slotCap: Int = .max,
        usualBytes: Int = 0
    ) -> RingPlan? {
        let reserve = max(0, reserve)
        let interval = max(1, (rate ?? Self.assumedRate).interval.nanoseconds)
        let span = max(0, duration.nanoseconds)
        // The interval is rounded to the nanosecond. A remainder of up to 1 ns per whole interval is rounding error and
        // does not need another frame.
        let (whole, rest) = span.quotientAndRemainder(dividingBy: interval)
        let intervals = min(Int(whole), Self.maxSlots) + (rest > whole ? 1 : 0)
        let wished = max(Self.minFrames, intervals + 1)
        let maxFrames = max(0, min(Self.maxSlots, slotCap)) - min(reserve, Self.maxSlots)
        let stride = SlotMemory.wholePages(format.byteCount)
        guard maxFrames >= Self.minFrames,
            Self.minBytes(format: format, reserve: reserve, compact: compact) <= byteCap
        else { return nil }

        let isCompact = compact ?? format.pixelFormat.isCompressed
        var plan = RingPlan(
            slots: 0, reserve: reserve, bytes: 0, bytesPerSlot: 0, isCompact: isCompact, duration: .zero,
            usualDuration: .zero, isShared: isShared)
        plan.prefersSharing = prefersSharing
        if wished > maxFrames { plan.limit = slotCap < Self.maxSlots ? .buffers : .slots }
        let surely: Int
        let usually: Int
        if isCompact {
            let frames = min(wished + wished / 4, maxFrames)
            let usual = SlotMemory.packed(max(Self.usualBytes(format), min(usualBytes, format.byteCount)))
            let room = max(product(usual, frames), product(stride, min(8, frames)))
            plan.slots = frames + reserve
            plan.bytes = min(SlotMemory.wholePages(room), byteCap / SlotMemory.pageSize * SlotMemory.pageSize)
            if plan.bytes < room { plan.limit = .memory }
            // The room of one frame is lost where the region wraps, and another where the next frame is being written.
            surely = min(frames, max(1, plan.bytes / stride - 1))
            usually = min(frames, max(surely, plan.bytes / usual - 1))
        } else {
            let frames = min(wished, maxFrames, byteCap / stride - reserve)
            if frames < min(wished, maxFrames) { plan.limit = .memory }
            plan.slots = frames + reserve
            plan.bytesPerSlot = stride
            plan.bytes = stride * plan.slots
            (surely, usually) = (frames, frames)
        }
        plan.duration = Duration.nanoseconds(interval) * Int64(surely - 1)
        plan.usualDuration = Duration.nanoseconds(interval) * Int64(usually - 1)
        return plan
    }

    /// The size a compressed frame usually needs: a quarter of a byte per pixel (webcams send half of that), of H.264
    /// and HEVC a sixteenth (31 Mbit/s at 1920x1080), at least 16 KiB, and never more than the format's own limit.
    package static func usualBytes(_ format: FrameFormat) -> Int {
        let pixels = product(max(0, format.size.width), max(0, format.size.height))
        return min(max(1, format.byteCount), max(16384, pixels / (format.pixelFormat.isVideo ? 16 : 4)))
    }
}

extension Ring {
    /// Creates a ring in our own memory: fixed slots that are faulted in at once and locked where permitted, or a
    /// compact region whose pages are faulted in on first use. Nil if the system does not have enough memory, or cannot
    /// share it although `plan` asks for that.
    public static func slabs(_ plan: RingPlan, format: FrameFormat, firstCounter: UInt64 = 0) -> (
        ring: Ring, granted: GrantedCapacity
    )? {
        func allocate(sharedSlots: Int?) -> SlotMemory? {
            plan.isCompact
                ? SlotMemory.slabs(count: 1, bytesEach: plan.bytes, lazily: true, sharedSlots: sharedSlots)
                : SlotMemory.slabs(count: plan.slots, bytesEach: plan.bytesPerSlot, sharedSlots: sharedSlots)
        }
        var memory = plan.isShared || plan.prefersSharing ? allocate(sharedSlots: plan.slots) : nil
        if memory == nil, !plan.isShared { memory = allocate(sharedSlots: nil) }
        guard let memory else { return nil }
        let ring = Ring(
            format: format, memory: memory, compactSlots: plan.isCompact ? plan.slots : nil, reserve: plan.reserve,
            firstCounter: firstCounter)
        return (ring, GrantedCapacity(plan, isLocked: memory.isLocked))
    }
}

/// A product that saturates at the largest integer.
private func product(_ a: Int, _ b: Int) -> Int {
    let (result, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? .max : result
}

/// A sum that saturates at the largest integer.
private func sum(_ a: Int, _ b: Int) -> Int {
    let (result, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : result
}
