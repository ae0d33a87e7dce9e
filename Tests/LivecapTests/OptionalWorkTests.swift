// SPDX-License-Identifier: MIT
// What the end of a program leaves out at a second signal, and what is said of it before and after.

import Synchronization
import Testing

@testable import livecap

@Suite struct OptionalWorkTests {
    /// A copy that a test is to make.
    private final class Copy: Sendable {
        let isThere = Atomic<Bool>(false)
        let isGoingOn = Atomic<Bool>(false)
        let givenUp = Atomic<Int>(0)

        /// What is said of it has its name; nothing is said without one.
        func work(_ name: String?) -> OptionalWork {
            OptionalWork(
                isGoingOn: { self.isGoingOn.load(ordering: .relaxed) },
                isThere: { self.isThere.load(ordering: .relaxed) },
                giveUp: { self.givenUp.add(1, ordering: .relaxed) },
                words: name.map { OptionalWork.Words(going: "\($0) goes on", givenUp: "\($0) is given up") })
        }

        func begin() {
            isThere.store(true, ordering: .relaxed)
            isGoingOn.store(true, ordering: .relaxed)
        }
        func end() {
            isGoingOn.store(false, ordering: .relaxed)
            isThere.store(false, ordering: .relaxed)
        }
        var times: Int { givenUp.load(ordering: .relaxed) }
    }

    private let works = OptionalWorks()
    private let copy = Copy()
    private let other = Copy()

    @Test func withoutWorkTheSecondSignalEndsAtOnce() {
        #expect(works.giveUp() == nil)
        works.offer(copy.work("a"))
        #expect(works.giveUp() == nil && !works.isGoingOn && !works.isThere)
        // What comes later can still be given up.
        copy.begin()
        #expect(works.giveUp() == ["a is given up"])
    }

    @Test func theSecondSignalGivesUpAndTheThirdEndsAtOnce() {
        works.offer(copy.work("a"))
        works.offer(other.work("b"))
        copy.begin()
        #expect(works.isGoingOn && works.isThere)
        #expect(works.giveUp() == ["a is given up"])
        #expect(copy.times == 1 && other.times == 0)
        // Also if something else has begun by then, or it is still being tidied up.
        other.begin()
        #expect(works.giveUp() == nil)
        #expect(copy.times == 1 && other.times == 0)
    }

    @Test func whatIsStillToComeIsGivenUp() {
        works.offer(copy.work("a"))
        copy.isThere.store(true, ordering: .relaxed)
        #expect(works.isThere && !works.isGoingOn && works.wordsToSay() == [])
        #expect(works.giveUp() == ["a is given up"])
        #expect(copy.times == 1)
    }

    @Test func onlyWhatGoesOnForLongIsWorthAWord() {
        works.offer(copy.work("a"))
        #expect(works.wordsToSay() == [])
        copy.begin()
        #expect(works.wordsToSay() == [])
        #expect(works.wordsToSay() == ["a goes on"])
        #expect(works.wordsToSay() == [] && works.wordsToSay() == [])
        works.offer(other.work("b"))
        other.begin()
        #expect(works.wordsToSay() == [])
        other.end()
        #expect(works.wordsToSay() == [])
    }

    @Test func workMayHaveItsOwnWords() {
        works.offer(copy.work(nil))
        copy.begin()
        #expect(works.wordsToSay() == [] && works.wordsToSay() == [])
        #expect(works.giveUp() == [])
        #expect(copy.times == 1)
    }
}
