// SPDX-License-Identifier: MIT
// The producer's private record of its slots: which are free, which frame is oldest, and where a compact frame fits.

import LivecapFrames

/// Chooses slots for new frames. Only the producer's thread uses it. It allocates once, in `init`. Every operation
/// takes a number of steps bounded by the number of slots, and usually just one.
struct SlotPlacement: ~Copyable, Sendable {
    private enum Owner: UInt8 { case free, producer, readers }

    private struct Entry {
        var owner = Owner.free
        /// The next free slot, or the next newer frame among the readers'.
        var next = none
        /// The next older frame among the readers'.
        var previous = none
        /// In a compact region, the neighbours by address of a slot that is not free.
        var above = none
        var below = none
        /// The extent of a compact frame in the region.
        var start = 0
        var end = 0
    }

    private static let none = Int32(-1)

    private let table: SlotTable
    private let historyLimit: Int
    private let isCompact: Bool

    // Safe to send: the region is an address that only this value hands out, and the entries belong to this value.
    /// The shared region of a compact ring; empty otherwise.
    nonisolated(unsafe) private let region: UnsafeMutableRawBufferPointer
    nonisolated(unsafe) private let entries: UnsafeMutablePointer<Entry>
    private(set) var freeCount: Int
    private(set) var readersCount = 0
    private var firstFree = Int32(0)
    private var oldest = none
    private var newest = none
    /// In a compact region: the lowest extent, and the most recently placed one. The next frame is placed above the
    /// latter.
    private var lowest = none
    private var lastPlaced = none
    private var head = 0

    init(_ ring: Ring) {
        table = ring.table
        historyLimit = ring.historyLimit
        isCompact = ring.isCompact
        region = ring.isCompact ? ring.memory.regions[0] : UnsafeMutableRawBufferPointer(start: nil, count: 0)
        freeCount = ring.slotCount
        entries = .allocate(capacity: ring.slotCount)
        for slot in 0..<ring.slotCount {
            var entry = Entry()
            entry.next = slot + 1 < ring.slotCount ? Int32(slot + 1) : Self.none
            (entries + slot).initialize(to: entry)
        }
    }

    deinit { entries.deallocate() }

    /// Claims a slot with room for `byteCount`, evicting frames where necessary: the oldest unpinned frame if a slot is
    /// needed, and in a compact ring the unpinned frames in the way. If it returns nil, some frames may have been
    /// evicted in vain.
    mutating func claim(byteCount: Int) -> SlotIndex? {
        // This keeps history, including pinned frames, within its limit when the slot is published.
        if readersCount >= historyLimit || freeCount == 0 {
            guard evictOldest() else { return nil }
        }
        if isCompact {
            guard let place = makeRoom(for: SlotMemory.packed(byteCount)) else { return nil }
            let slot = takeFree()
            occupy(slot, place)
            return Int(slot)
        }
        return Int(takeFree())
    }

    /// Claims a free slot without evicting anything. Except in compact rings, the slot has its own bytes.
    mutating func claimFree() -> SlotIndex? { freeCount > 0 ? Int(takeFree()) : nil }

    /// Records that the slot's frame is about to pass to the readers.
    mutating func willPublish(_ slot: SlotIndex, byteCount: Int) {
        precondition(entries[slot].owner == .producer, "only a claimed slot is published")
        precondition(readersCount < historyLimit, "a slot is claimed anew before history outgrows its limit")
        precondition(byteCount >= 0 && byteCount <= table.contents[slot].bytes.count, "a frame lies within its slot")
        if isCompact && lastPlaced == Int32(slot) { shrink(slot, to: SlotMemory.packed(byteCount)) }
        entries[slot].owner = .readers
        entries[slot].next = Self.none
        entries[slot].previous = newest
        if newest == Self.none { oldest = Int32(slot) } else { entries[Int(newest)].next = Int32(slot) }
        newest = Int32(slot)
        readersCount += 1
    }

    /// Returns a claimed slot.
    mutating func free(_ slot: SlotIndex) {
        precondition(entries[slot].owner == .producer, "only a claimed slot is given back")
        release(Int32(slot))
    }
}

// Free slots form a stack; published frames form a list from the oldest to the newest.
extension SlotPlacement {
    private mutating func takeFree() -> Int32 {
        let slot = firstFree
        firstFree = entries[Int(slot)].next
        entries[Int(slot)].owner = .producer
        freeCount -= 1
        return slot
    }

    private mutating func release(_ slot: Int32) {
        if isCompact { vacate(slot) }
        entries[Int(slot)].owner = .free
        entries[Int(slot)].next = firstFree
        firstFree = slot
        freeCount += 1
    }

    /// Takes the oldest unpinned frame from the readers. Tries each slot at most once.
    private mutating func evictOldest() -> Bool {
        var slot = oldest
        while slot != Self.none {
            if evict(slot) { return true }
            slot = entries[Int(slot)].next
        }
        return false
    }

    private mutating func evict(_ slot: Int32) -> Bool {
        guard table.evict(Int(slot)) else { return false }
        let (older, newer) = (entries[Int(slot)].previous, entries[Int(slot)].next)
        if older == Self.none { oldest = newer } else { entries[Int(older)].next = newer }
        if newer == Self.none { newest = older } else { entries[Int(newer)].previous = older }
        readersCount -= 1
        release(slot)
        return true
    }
}

// Room in a compact region: a list of its extents by address.
extension SlotPlacement {
    private struct Place {
        var start: Int
        var end: Int
        /// The extent directly below, or `none`.
        var below: Int32
    }

    /// Finds a stretch above the most recently placed frame, going around the region at most once. Unpinned frames in
    /// the way are evicted; pinned ones are skipped. Every extent is visited at most twice.
    private mutating func makeRoom(for size: Int) -> Place? {
        guard size <= region.count else { return nil }
        var place = Place(start: head, end: head + size, below: lastPlaced)
        var hasWrapped = false
        while true {
            if place.end > region.count {
                if hasWrapped { return nil }
                hasWrapped = true
                place = Place(start: 0, end: size, below: Self.none)
            }
            let obstacle = place.below == Self.none ? lowest : entries[Int(place.below)].above
            if obstacle == Self.none || entries[Int(obstacle)].start >= place.end { return place }
            if entries[Int(obstacle)].owner == .readers && evict(obstacle) { continue }
            let start = entries[Int(obstacle)].end
            place = Place(start: start, end: start + size, below: obstacle)
        }
    }

    private mutating func occupy(_ slot: Int32, _ place: Place) {
        let above = place.below == Self.none ? lowest : entries[Int(place.below)].above
        entries[Int(slot)].start = place.start
        entries[Int(slot)].end = place.end
        entries[Int(slot)].below = place.below
        entries[Int(slot)].above = above
        if place.below == Self.none { lowest = slot } else { entries[Int(place.below)].above = slot }
        if above != Self.none { entries[Int(above)].below = slot }
        lastPlaced = slot
        head = place.end
        table.contents[Int(slot)].bytes = UnsafeMutableRawBufferPointer(rebasing: region[place.start..<place.end])
    }

    private mutating func vacate(_ slot: Int32) {
        let (below, above) = (entries[Int(slot)].below, entries[Int(slot)].above)
        if below == Self.none { lowest = above } else { entries[Int(below)].above = above }
        if above != Self.none { entries[Int(above)].below = below }
        // The head stays in place: the oldest frames lie above it.
        if lastPlaced == slot { lastPlaced = below }
    }

    /// Shrinks the most recently placed frame, which turned out smaller than claimed.
    private mutating func shrink(_ slot: SlotIndex, to size: Int) {
        let start = entries[slot].start
        entries[slot].end = start + size
        head = start + size
        table.contents[slot].bytes = UnsafeMutableRawBufferPointer(rebasing: region[start..<head])
    }
}
