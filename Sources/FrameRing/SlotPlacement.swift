// SPDX-License-Identifier: MIT
// The producer's private book of its slots: which are free, which is oldest, and where a compact frame fits.

import Frames

/// Chooses slots for new frames. Only the producer's thread touches it; it allocates once, when made.
struct SlotPlacement: ~Copyable, Sendable {
    private enum Owner: UInt8 { case free, producer, readers }

    private struct Entry {
        var owner = Owner.free
        /// The frame's counter while it is the readers'.
        var counter: UInt64 = 0
        /// Where a compact frame lies in the shared region.
        var extent = 0..<0
    }

    // Safe to send: owned by this value alone.
    nonisolated(unsafe) private let entries: UnsafeMutableBufferPointer<Entry>
    private(set) var freeCount: Int
    private var head = 0

    init(_ ring: FrameRing) {
        entries = .allocate(capacity: ring.slotCount)
        entries.initialize(repeating: Entry())
        freeCount = ring.slotCount
    }

    deinit { entries.deallocate() }

    mutating func claim(byteCount: Int, from ring: FrameRing) -> SlotIndex? {
        guard let slot = freeSlot(in: ring) else { return nil }
        if ring.isCompact {
            guard let extent = makeRoom(for: byteCount, in: ring) else { return nil }
            let region = ring.memory.regions[0]
            ring.bytes[slot] = UnsafeMutableRawBufferPointer(rebasing: region[extent])
            entries[slot].extent = extent
            head = extent.upperBound
        }
        entries[slot].owner = .producer
        freeCount -= 1
        return slot
    }

    mutating func willPublish(_ slot: SlotIndex, counter: UInt64) {
        precondition(entries[slot].owner == .producer, "only a claimed slot is published")
        entries[slot].owner = .readers
        entries[slot].counter = counter
    }

    mutating func free(_ slot: SlotIndex) {
        precondition(entries[slot].owner == .producer, "only a claimed slot is given back")
        release(slot)
    }

    private mutating func release(_ slot: SlotIndex) {
        entries[slot].owner = .free
        freeCount += 1
    }

    /// A free slot, made by taking the oldest unpinned frame from the readers where there is none.
    private mutating func freeSlot(in ring: FrameRing) -> SlotIndex? {
        if freeCount > 0 { return entries.firstIndex { $0.owner == .free } }
        // An attempt fails only when that slot has been pinned since it was looked at, so each slot is tried once at most.
        for _ in 0..<entries.count {
            var oldest: SlotIndex? = nil
            for slot in 0..<entries.count where entries[slot].owner == .readers && !ring.isPinned(slot) {
                if oldest == nil || entries[slot].counter < entries[oldest!].counter { oldest = slot }
            }
            guard let oldest else { return nil }
            if ring.evict(oldest) {
                release(oldest)
                return oldest
            }
        }
        return nil
    }

    /// A stretch of the shared region behind the last frame, evicting what lies there and stepping over what is pinned.
    private mutating func makeRoom(for byteCount: Int, in ring: FrameRing) -> Range<Int>? {
        let size = ring.memory.regions[0].count
        let needed = max(64, (byteCount + 63) & ~63)
        guard needed <= size else { return nil }
        var start = head
        var wraps = 0
        while true {
            if start + needed > size {
                wraps += 1
                if wraps > 1 { return nil }
                start = 0
            }
            let wanted = start..<(start + needed)
            guard let obstacle = entries.firstIndex(where: { $0.owner != .free && $0.extent.overlaps(wanted) }) else {
                return wanted
            }
            if entries[obstacle].owner == .readers && ring.evict(obstacle) {
                release(obstacle)
            } else {
                start = entries[obstacle].extent.upperBound
            }
        }
    }
}
