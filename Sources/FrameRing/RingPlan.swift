// SPDX-License-Identifier: MIT
// From wished-for seconds to slots and bytes: the arithmetic every source shares, and the ring of own memory made of it.

import Frames

/// How large a ring is to be. Made by `RingCapacity.plan`.
public struct RingPlan: Hashable, Sendable {
    /// Slots in all, the reserve included.
    public var slots: Int
    /// How many of them are the producer's.
    public var reserve: Int
    /// Bytes of memory in all, in whole pages.
    public var bytes: Int
    /// Bytes from one slot to the next, in whole pages; 0 in a compact ring, whose frames lie one behind the other.
    public var bytesPerSlot: Int
    /// Whether frames of varying size share one region.
    public var isCompact: Bool
    /// The time history surely reaches back at the stream's rate, even if every frame has the largest size.
    public var duration: TimeSpan
    /// The time it reaches back with frames of the size such pictures usually have.
    public var usualDuration: TimeSpan
    /// What keeps it from reaching back further.
    public var limit = HistoryLimit.asked
}

extension RingCapacity {
    /// The fewest frames of history a ring is worth having for.
    public static let fewestFrames = 2
    /// The most slots a plan has: finding a frame looks at each of them.
    public static let mostSlots = 2048
    /// The rate assumed where none is known.
    public static let assumedRate = FrameRate(30)

    /// The smallest ring's bytes: with a byte cap below this, `plan` is nil.
    public static func fewestBytes(format: FrameFormat, reserve: Int = 1, compact: Bool? = nil) -> Int {
        let stride = SlotMemory.wholePages(format.byteCount)
        return product(stride, sum(fewestFrames, compact ?? format.pixelFormat.isCompressed ? 1 : max(0, reserve)))
    }

    /// How many slots and bytes hold this much history of a stream; nil when the byte cap has no room for even
    /// `fewestFrames`.
    ///
    /// - Fixed slots: as many as the time needs at `rate`, each of the largest frame's size.
    /// - Compact (by default for compressed formats): slots for the time with a quarter more, since a slot costs next to
    ///   nothing; bytes for frames of the usual size, a quarter of a byte a pixel, and for at least eight of the largest.
    ///
    /// A history of n frames is sure to reach back n - 1 intervals. Any values are safe; the absurd are clamped.
    /// `slotCap` is the source's own limit: the 32 buffers of a driver.
    public func plan(
        format: FrameFormat, rate: FrameRate? = nil, reserve: Int = 1, compact: Bool? = nil, slotCap: Int = .max
    ) -> RingPlan? {
        let reserve = max(0, reserve)
        let interval = max(1, (rate ?? Self.assumedRate).interval.nanoseconds)
        let span = max(0, duration.nanoseconds)
        // An interval is rounded to the nanosecond: a remainder of so little is no part of another one.
        let (whole, rest) = span.quotientAndRemainder(dividingBy: interval)
        let intervals = min(Int(whole), Self.mostSlots) + (rest > whole ? 1 : 0)
        let wished = max(Self.fewestFrames, intervals + 1)
        let mostFrames = max(0, min(Self.mostSlots, slotCap)) - min(reserve, Self.mostSlots)
        let stride = SlotMemory.wholePages(format.byteCount)
        guard mostFrames >= Self.fewestFrames,
            Self.fewestBytes(format: format, reserve: reserve, compact: compact) <= byteCap
        else { return nil }

        let isCompact = compact ?? format.pixelFormat.isCompressed
        var plan = RingPlan(
            slots: 0, reserve: reserve, bytes: 0, bytesPerSlot: 0, isCompact: isCompact, duration: .zero,
            usualDuration: .zero)
        if wished > mostFrames { plan.limit = slotCap < Self.mostSlots ? .buffers : .slots }
        let surely: Int
        let usually: Int
        if isCompact {
            let frames = min(wished + wished / 4, mostFrames)
            let usual = SlotMemory.packed(Self.usualBytes(format))
            let room = max(product(usual, frames), product(stride, min(8, frames)))
            plan.slots = frames + reserve
            plan.bytes = min(SlotMemory.wholePages(room), byteCap / SlotMemory.pageSize * SlotMemory.pageSize)
            if plan.bytes < room { plan.limit = .memory }
            // One frame's room is lost where the region wraps and one where the next frame is being written.
            surely = min(frames, max(1, plan.bytes / stride - 1))
            usually = min(frames, max(surely, plan.bytes / usual - 1))
        } else {
            let frames = min(wished, mostFrames, byteCap / stride - reserve)
            if frames < min(wished, mostFrames) { plan.limit = .memory }
            plan.slots = frames + reserve
            plan.bytesPerSlot = stride
            plan.bytes = stride * plan.slots
            (surely, usually) = (frames, frames)
        }
        plan.duration = TimeSpan(nanoseconds: interval) * Int64(surely - 1)
        plan.usualDuration = TimeSpan(nanoseconds: interval) * Int64(usually - 1)
        return plan
    }

    /// What a compressed picture usually needs: a quarter of a byte a pixel (webcams send half of that), never above
    /// the format's own limit.
    private static func usualBytes(_ format: FrameFormat) -> Int {
        let pixels = product(max(0, format.size.width), max(0, format.size.height))
        return min(max(1, format.byteCount), max(16384, pixels / 4))
    }
}

extension FrameRing {
    /// A ring in memory of our own: fixed slots faulted in at once and locked where permitted, or a compact region whose
    /// pages come as they are first used. Nil when the system has not that much memory.
    public static func slabs(_ plan: RingPlan, format: FrameFormat, firstCounter: UInt64 = 0) -> (
        ring: FrameRing, granted: GrantedCapacity
    )? {
        let memory =
            plan.isCompact
            ? SlotMemory.slabs(count: 1, bytesEach: plan.bytes, lazily: true)
            : SlotMemory.slabs(count: plan.slots, bytesEach: plan.bytesPerSlot)
        guard let memory else { return nil }
        let ring = FrameRing(
            format: format, memory: memory, compactSlots: plan.isCompact ? plan.slots : nil, reserve: plan.reserve,
            firstCounter: firstCounter)
        return (ring, GrantedCapacity(plan, isLocked: memory.isLocked))
    }
}

/// A product that stops at the largest number instead of overflowing.
private func product(_ a: Int, _ b: Int) -> Int {
    let (result, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? .max : result
}

/// A sum that stops at the largest number instead of overflowing.
private func sum(_ a: Int, _ b: Int) -> Int {
    let (result, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : result
}
