// SPDX-License-Identifier: MIT
// The producer's private book of its slots: which are free, which frame is oldest, and where a compact frame fits.

import Frames

/// Chooses slots for new frames. Only the producer's thread touches it; it allocates once, when made. Every operation
/// takes a number of steps bounded by the number of slots, and usually just one.
struct SlotPlacement: ~Copyable, Sendable {
    private enum Owner: UInt8 { case free, producer, readers }

    private struct Entry {
        var owner = Owner.free
        /// The next free slot, or the readers' next newer frame.
        var next = none
        /// The readers' next older frame.
        var previous = none
        /// The neighbours in a compact region, by address, of a slot that is not free.
        var above = none
        var below = none
        /// Where a compact frame lies in the region.
        var start = 0
        var end = 0
    }

    private static let none = Int32(-1)

    private let table: SlotTable
    private let historyLimit: Int
    private let isCompact: Bool

    // Safe to send: the region is an address, given out by this value alone, and the entries are its own.
    /// The shared region of a compact ring; empty otherwise.
    nonisolated(unsafe) private let region: UnsafeMutableRawBufferPointer
    nonisolated(unsafe) private let entries: UnsafeMutablePointer<Entry>
    private(set) var freeCount: Int
    private(set) var readersCount = 0
    private var firstFree = Int32(0)
    private var oldest = none
    private var newest = none
    /// The lowest extent in a compact region, and the one placed last: the next is placed above it.
    private var lowest = none
    private var lastPlaced = none
    private var head = 0

    init(_ ring: FrameRing) {
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

    /// A slot with room for `byteCount`. What is evicted for it is the oldest that nobody holds; when it is nil, as much
    /// may have been evicted in vain as was in the way.
    mutating func claim(byteCount: Int) -> SlotIndex? {
        // Publishing the slot then keeps history, pins included, within its limit.
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

    /// A free slot, evicting nothing; with bytes of its own in all but compact rings.
    mutating func claimFree() -> SlotIndex? { freeCount > 0 ? Int(takeFree()) : nil }

    /// The slot's frame is about to become the readers'.
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

    /// Gives a claimed slot back.
    mutating func free(_ slot: SlotIndex) {
        precondition(entries[slot].owner == .producer, "only a claimed slot is given back")
        release(Int32(slot))
    }
}

// Free slots and ages: a stack, and a list from the oldest frame to the newest.
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

    /// Takes the oldest unpinned frame from the readers. Each slot is tried once at most.
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

// Room in a compact region: a list of what lies in it, by address.
extension SlotPlacement {
    private struct Place {
        var start: Int
        var end: Int
        /// The extent right below, or none.
        var below: Int32
    }

    /// A stretch above the frame placed last, once around the region at most: what lies there is evicted, what is
    /// pinned is stepped over. Every extent is met at most twice.
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
        // The head stays where it is: above it lies what is oldest.
        if lastPlaced == slot { lastPlaced = below }
    }

    /// Gives the end of the frame placed last back: it turned out smaller than claimed.
    private mutating func shrink(_ slot: SlotIndex, to size: Int) {
        let start = entries[slot].start
        entries[slot].end = start + size
        head = start + size
        table.contents[slot].bytes = UnsafeMutableRawBufferPointer(rebasing: region[start..<head])
    }
}
