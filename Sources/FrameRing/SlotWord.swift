// SPDX-License-Identifier: MIT
// A slot's whole state in one 64-bit word: generation, whether it is published, how many leases pin it.

/// The value of a slot's atomic word. Every change of owner changes the generation, so a compare-and-swap that
/// succeeds proves that nothing read in between belonged to another frame.
struct SlotWord: Equatable {
    let rawValue: UInt64

    static let pinMask: UInt64 = 0xFFFF
    static let publishedBit: UInt64 = 1 << 16
    static let generationUnit: UInt64 = 1 << 17

    /// The producer's otherwise: being written, or waiting to be.
    var isPublished: Bool { rawValue & Self.publishedBit != 0 }
    /// How many leases hold the frame.
    var pins: UInt64 { rawValue & Self.pinMask }
    /// Counts changes of owner; 47 bits last four thousand years at a thousand frames a second.
    var generation: UInt64 { rawValue >> 17 }
    /// Whether one more lease can hold the frame: it is the readers', and its pins have not run out.
    var isLeasable: Bool { isPublished && pins < Self.pinMask }

    /// One lease more; nil where there can be none.
    var pinned: SlotWord? { isLeasable ? SlotWord(rawValue: rawValue + 1) : nil }
    /// Taken back by the producer: next generation, hidden from readers.
    var evicted: SlotWord { SlotWord(rawValue: ((generation &+ 1) << 17)) }
    /// Handed to the readers, unpinned.
    var published: SlotWord { SlotWord(rawValue: (generation << 17) | Self.publishedBit) }
}

/// A frame's counter, and whether it may be used, in one word that a scan reads without pinning.
struct FrameTag: Equatable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }
    init(counter: UInt64, isUsable: Bool) { rawValue = counter << 1 | (isUsable ? 1 : 0) }

    /// 63 bits of the frame's counter.
    var counter: UInt64 { rawValue >> 1 }
    /// Whether the frame is not marked as damaged.
    var isUsable: Bool { rawValue & 1 != 0 }
}
