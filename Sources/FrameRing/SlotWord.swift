// SPDX-License-Identifier: MIT
// A slot's entire state in one 64-bit word: generation, published bit, and pin count.

/// The value of a slot's atomic word. Every change of owner changes the generation, so a successful compare-and-swap
/// proves that everything read in between belongs to the same frame.
struct SlotWord: Equatable {
    let rawValue: UInt64

    static let pinMask: UInt64 = 0xFFFF
    static let publishedBit: UInt64 = 1 << 16
    static let generationUnit: UInt64 = 1 << 17

    /// Whether the readers own the slot. Otherwise the producer does: it is being written, or waiting to be.
    var isPublished: Bool { rawValue & Self.publishedBit != 0 }
    /// The number of leases on the frame.
    var pins: UInt64 { rawValue & Self.pinMask }
    /// Counts changes of owner. 47 bits last four thousand years at a thousand frames per second.
    var generation: UInt64 { rawValue >> 17 }
    /// Whether the frame can be leased once more: it is published and its pin count is below the limit.
    var isLeasable: Bool { isPublished && pins < Self.pinMask }

    /// The word with one more pin; nil if it cannot be leased.
    var pinned: SlotWord? { isLeasable ? SlotWord(rawValue: rawValue + 1) : nil }
    /// The word after the producer takes the slot back: next generation, hidden from readers.
    var evicted: SlotWord { SlotWord(rawValue: ((generation &+ 1) << 17)) }
    /// The word after the slot is handed to the readers, unpinned.
    var published: SlotWord { SlotWord(rawValue: (generation << 17) | Self.publishedBit) }
}

/// A frame's counter and usability in one word, which a scan reads without pinning.
struct FrameTag: Equatable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }
    init(counter: UInt64, isUsable: Bool) { rawValue = counter << 1 | (isUsable ? 1 : 0) }

    /// The lower 63 bits of the frame's counter.
    var counter: UInt64 { rawValue >> 1 }
    /// Whether the frame is undamaged.
    var isUsable: Bool { rawValue & 1 != 0 }
}
