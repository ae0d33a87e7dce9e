// SPDX-License-Identifier: MIT
// The arithmetic of slot words: pins, generations, and the permitted transitions.

import Testing

@testable import FrameRing

@Suite struct SlotWordTests {
    let fresh = SlotWord(rawValue: 0)

    @Test func aFreshSlotIsTheProducers() {
        #expect(!fresh.isPublished && !fresh.isLeasable && fresh.pins == 0 && fresh.pinned == nil)
    }

    @Test func publishingKeepsTheGenerationAndEvictingRaisesIt() {
        let published = fresh.published
        #expect(published.isPublished && published.generation == 0)
        let evicted = published.evicted
        #expect(!evicted.isPublished && evicted.generation == 1 && evicted.pins == 0)
        #expect(evicted.published.generation == 1)
    }

    @Test func pinsAreCountedWithoutTouchingTheRest() throws {
        var word = fresh.published.evicted.published
        for count in 1...1000 {
            word = try #require(word.pinned)
            #expect(word.pins == UInt64(count) && word.isPublished && word.generation == 1)
        }
    }

    @Test func pinsRunOutBeforeTheyOverflow() {
        let full = SlotWord(rawValue: fresh.published.rawValue | SlotWord.pinMask)
        #expect(full.isPublished && !full.isLeasable && full.pinned == nil)
        let almost = SlotWord(rawValue: full.rawValue - 1)
        #expect(almost.pinned == full)
    }

    @Test func theLastGenerationIsFollowedByTheFirst() {
        let last = SlotWord(rawValue: ~SlotWord.pinMask)
        #expect(last.evicted == SlotWord(rawValue: 0))
    }

    @Test func aTagKeepsCounterAndUsabilityApart() {
        for counter in [0, 1, 77, UInt64.max >> 1] {
            for isUsable in [false, true] {
                let tag = FrameTag(counter: counter, isUsable: isUsable)
                #expect(tag.counter == counter && tag.isUsable == isUsable)
            }
        }
    }
}
