// SPDX-License-Identifier: MIT
// A slot's whole state in one 64-bit word: generation, whether it is published, how many leases pin it.

/// The value of a slot's atomic word. Every change of owner changes the generation, so a compare-and-swap that
/// succeeds proves that nothing read in between belonged to another frame.
struct SlotWord: Equatable {
    let rawValue: UInt64

    static let pinMask: UInt64 = 0xFFFF
    static let publishedBit: UInt64 = 1 << 16
    static let generationUnit: UInt64 = 1 << 17

    /// The producer's: being written, or waiting to be.
    var isPublished: Bool { rawValue & Self.publishedBit != 0 }
    /// How many leases hold the frame.
    var pins: UInt64 { rawValue & Self.pinMask }
    /// Counts changes of owner; 47 bits last four thousand years at a thousand frames a second.
    var generation: UInt64 { rawValue >> 17 }

    /// One lease more; nil when not published or when no more can be counted.
    var pinned: SlotWord? {
        isPublished && pins < Self.pinMask ? SlotWord(rawValue: rawValue + 1) : nil
    }
    /// Taken back by the producer: next generation, hidden from readers.
    var evicted: SlotWord { SlotWord(rawValue: ((generation &+ 1) << 17)) }
    /// Handed to the readers, unpinned.
    var published: SlotWord { SlotWord(rawValue: (generation << 17) | Self.publishedBit) }
}
