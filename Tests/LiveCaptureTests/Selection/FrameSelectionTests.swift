// SPDX-License-Identifier: MIT
// Which frames are selected for a moment.

import FrameRing
import LivecapFrames
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct FrameSelectionTests {
    private let hand = HandFilledRing()
    private var ring: Ring { hand.ring }

    @Test func theNearestFrameIsTheMoments() {
        hand.frames(0..<8)
        #expect(ring.found(at: 34) == "[3]")
        #expect(ring.found(at: 36) == "[4]")
    }

    @Test func aTapExactlyOnAFrameGetsIt() {
        hand.frames(0..<8)
        #expect(ring.found(at: 40) == "[4]")
        #expect(ring.found(at: 0) == "[0]")
        #expect(ring.found(at: 70) == "[7]")
    }

    @Test func ofTwoEquallyNearTheEarlierOneIsTaken() {
        hand.frames(0..<8)
        #expect(ring.found(at: 35) == "[3]")
    }

    @Test func aDamagedFrameIsPassedOverAndNamed() {
        hand.frames(0..<3)
        hand.frame(at: 30, damage: .short)
        hand.frames(4..<8)
        #expect(ring.found(at: 31) == "[4] damaged [3]")
        #expect(ring.found(at: 50, frames: 4) == "1 2 4 [5] damaged [3]")
    }

    @Test func howManyFramesAreMissingIsSaidAndWhy() {
        func shortage(at milliseconds: Double, frames: Int, hasPast: Bool = true) -> FrameShortage? {
            let wish = FrameWish(
                moment: moment(milliseconds), frames: frames, after: hasPast ? 0 : frames - 1, hasPast: hasPast,
                interval: HandFilledRing.interval, isPaced: true)
            guard case .found(let choice) = ring.find(wish, mayWait: false) else { return nil }
            return choice.shortage
        }
        hand.frames(0..<8)
        #expect(shortage(at: 70, frames: 8) == nil)
        #expect(shortage(at: 60, frames: 16) == FrameShortage(asked: 16, missing: 9, reason: .begin))
        #expect(shortage(at: 60, frames: 3, hasPast: false) == FrameShortage(asked: 3, missing: 1, reason: .later))
        hand.beginEpoch()
        hand.frames(8..<12)
        #expect(shortage(at: 90, frames: 4) == FrameShortage(asked: 4, missing: 2, reason: .restart))
        hand.frames(12..<60)
        #expect(shortage(at: 220, frames: 4) == FrameShortage(asked: 4, missing: 1, reason: .history))
    }

    @Test func aFrameThatComesMeanwhileDoesNotChangeWhatIsMissing() throws {
        hand.frame(at: 0)
        let wish = FrameWish(
            moment: moment(0), frames: 2, after: 0, hasPast: true, interval: HandFilledRing.interval, isPaced: true)
        guard let window = ring.window(around: moment(0), before: 1) else { preconditionFailure("it is there") }
        nonisolated(unsafe) let hand = hand  // the other thread alone fills it
        let bytes = [UInt8](repeating: 90, count: ring.format.byteCount)
        let filling = try SystemThread(name: "fill") {
            for number in 1...100_000 { hand.frame(at: Double(10 * number), bytes: bytes) }
        }
        while ring.nextCounter < 100_001 {
            let shortage = ring.shortage(of: wish, window, 0..<1, nearest: 0)
            // Once is enough to be told.
            guard shortage?.reason == .begin else {
                Issue.record("\(shortage?.words ?? "nothing")")
                break
            }
        }
        filling.join()
    }

    @Test func aGapLeavesTheFrameBesideItWithinAnInterval() {
        hand.frames(0..<3)
        hand.frame(at: 80, lostBefore: 5)
        #expect(ring.found(at: 29) == "[2]")
        #expect(ring.found(at: 71) == "[3]")
        #expect(ring.found(at: 45) == "\(PhotoError.noFrame(at: moment(45), distance: .milliseconds(25)))")
    }

    @Test func framesFarApartWithNoneLostAreStillTheMoments() {
        for time in [0, 10, 60, 110] { hand.frame(at: Double(time)) }
        #expect(ring.found(at: 84) == "[2]")
    }

    @Test func severalDamagedFramesAreAGap() {
        hand.frames(0..<3)
        for number in 3..<9 { hand.frame(at: Double(10 * number), damage: .short) }
        hand.frames(9..<11)
        #expect(ring.found(at: 52) == "\(PhotoError.noFrame(at: moment(52), distance: .milliseconds(32)))")
    }

    @Test func jitterAroundADamagedFrameIsNotAGap() {
        hand.frame(at: 0)
        hand.frame(at: 10, damage: .short)
        hand.frame(at: 20.9)
        #expect(ring.found(at: 10.4) == "[0] damaged [1]")
    }

    @Test func epochsAreNeverMixed() {
        hand.frames(0..<3)
        hand.beginEpoch()
        hand.frames(3..<6)
        #expect(ring.found(at: 40, frames: 8, after: 1) == "3 [4] 5")
        #expect(ring.found(at: 20, frames: 8, after: 3) == "0 1 [2]")
    }

    @Test func theMomentBetweenTwoEpochsIsNotUnbroken() {
        hand.frames(0..<3)
        hand.beginEpoch()
        hand.frame(at: 90)
        #expect(ring.found(at: 50) == "\(PhotoError.noFrame(at: moment(50), distance: .milliseconds(30)))")
    }

    @Test func beforeTheFirstFrameThereIsNone() {
        for number in 10..<14 { hand.frame(at: Double(10 * number)) }
        #expect(ring.found(at: 50) == "\(PhotoError.noFrame(at: moment(50), distance: .milliseconds(50)))")
        #expect(ring.found(at: 95) == "[0]")
    }

    @Test func withoutAnyFrameThereIsNothingToTellADistanceFrom() {
        #expect(ring.found(at: 50) == "\(PhotoError.noFrame(at: moment(50), distance: nil))")
        #expect(ring.found(at: 50, mayWait: true) == "not yet")
    }

    @Test func whatHasLeftTheRingIsTooOld() {
        hand.frames(0..<60)
        #expect(ring.oldest?.id.counter == 20)
        #expect(ring.found(at: 150) == "\(PhotoError.tooOld(by: .milliseconds(50)))")
        #expect(ring.found(at: 198) == "[20]")
        // Frame 19 may have been just as near.
        #expect(ring.found(at: 195) == "\(PhotoError.tooOld(by: .milliseconds(5)))")
    }

    @Test func leasedNeighbourDoesNotReplaceAnEvictedFrame() {
        let hand = HandFilledRing(history: 4)
        hand.frames(0..<2)
        guard let held = hand.ring.leaseNewest() else { preconditionFailure("there are two") }
        hand.frames(2..<6)
        // Frame 1 is leased; 2 has left the history; 3, 4 and 5 are there.
        #expect(hand.ring.found(at: 10) == "[1]")
        #expect(hand.ring.found(at: 12) == "[1]")
        #expect(hand.ring.found(at: 14) == "\(PhotoError.tooOld(by: .milliseconds(16)))")
        #expect(hand.ring.found(at: 20) == "\(PhotoError.tooOld(by: .milliseconds(10)))")
        #expect(hand.ring.found(at: 26) == "\(PhotoError.tooOld(by: .milliseconds(4)))")
        #expect(hand.ring.found(at: 28) == "[3]")
        #expect(hand.ring.found(at: 34) == "[3]")
        #expect(held.metadata.id.counter == 1)
    }

    @Test func framesThatOnlyLeasesKeepAreNoNeighboursOfOthers() {
        let hand = HandFilledRing(history: 8)
        hand.frames(0..<6)
        guard let window = hand.ring.window(around: moment(20), before: 2) else { preconditionFailure("there are six") }
        hand.frames(6..<20)
        // 0, 1 and 2 are leased; 3 to 14 have left the history; 15 to 19 are there.
        #expect(window.count == 3)
        #expect(hand.ring.found(at: 20, frames: 8, after: 3) == "0 1 [2]")
        #expect(hand.ring.found(at: 20, frames: 3, after: 2, mayWait: true) == "0 1 [2]")
        #expect(hand.ring.found(at: 160, frames: 8, after: 1) == "15 [16] 17")
    }

    @Test func aDamagedFrameThatIsThereIsNotOneThatHasLeft() {
        let hand = HandFilledRing(history: 4)
        hand.frames(0..<5)
        hand.frame(at: 50, damage: .short)
        hand.frames(6..<9)
        #expect(hand.ring.found(at: 52) == "[6] damaged [5]")
    }

    @Test func damagedFramesThatAreStillThereAreNotTooOld() {
        let hand = HandFilledRing(history: 4)
        hand.frames(0..<2)
        for number in 2..<5 { hand.frame(at: Double(10 * number), damage: .short) }
        hand.frame(at: 50)
        #expect(hand.ring.found(at: 20) == "\(PhotoError.noFrame(at: moment(20), distance: .milliseconds(30)))")
        #expect(hand.ring.found(at: 10) == "\(PhotoError.tooOld(by: .milliseconds(10)))")
    }

    @Test func moreThanThereIsGivesWhatThereIs() {
        let hand = HandFilledRing(history: 4)
        hand.frames(0..<10)
        #expect(hand.ring.found(at: 90, frames: 16) == "6 7 8 [9]")
        #expect(hand.ring.found(at: 70, frames: 16, after: 15) == "6 [7] 8 9")
    }

    @Test func laterFramesAreCounted() {
        hand.frames(0..<20)
        #expect(ring.found(at: 100, frames: 5, after: 2) == "8 9 [10] 11 12")
        #expect(
            ring.found(at: 100, frames: 16, after: 15) == "4 5 6 7 8 9 [10] 11 12 13 14 15 16 17 18 19")
    }

    @Test func earlierFramesStandInForLaterOnesThatDoNotCome() {
        hand.frames(0..<12)
        #expect(ring.found(at: 100, frames: 5, after: 3, mayWait: true) == "not yet")
        #expect(ring.found(at: 100, frames: 5, after: 3) == "7 8 9 [10] 11")
    }

    @Test func laterFramesOfAnEpochThatIsOverAreNotWaitedFor() {
        hand.frames(0..<3)
        hand.beginEpoch()
        hand.frame(at: 30)
        #expect(ring.found(at: 20, frames: 3, after: 2, mayWait: true) == "0 1 [2]")
    }

    @Test func withoutThePastTheFirstFrameBehindTheMomentIsTaken() {
        hand.frames(0..<8)
        #expect(ring.found(at: 31, hasPast: false) == "[4]")
        #expect(ring.found(at: 40, hasPast: false) == "[4]")
        #expect(ring.found(at: 71, hasPast: false, mayWait: true) == "not yet")
    }

    /// Here the reference is the frame after the nearest, and the later frames extend by one, too.
    @Test(arguments: [31.0, 39.0]) func withoutThePastAllFramesAreLaterOnes(tap: Double) {
        hand.frames(0..<8)
        #expect(ring.found(at: tap, frames: 4, after: 3, hasPast: false, mayWait: true) == "[4] 5 6 7")
    }

    @Test func sparesAreTheNeighboursAndWithoutThePastLaterOnes() throws {
        hand.frames(0..<8)
        func spares(hasPast: Bool) throws -> [UInt64] {
            let wish = FrameWish(
                moment: moment(41), frames: 1, after: 0, hasPast: hasPast, interval: HandFilledRing.interval,
                isPaced: true)
            guard case .found(let choice) = ring.find(wish, mayWait: false) else { return [] }
            return choice.spares.map(\.metadata.id.counter)
        }
        #expect(try spares(hasPast: true) == [5, 3])
        #expect(try spares(hasPast: false) == [6])
    }

    @Test func whatIsFoundIsHeldAndLetGoWithTheChoice() {
        hand.frames(0..<40)
        do {
            let wish = FrameWish(
                moment: moment(200), frames: 8, after: 2, hasPast: true, interval: HandFilledRing.interval,
                isPaced: true)
            let finding = ring.find(wish, mayWait: false)
            guard case .found(let choice) = finding else {
                Issue.record("\(finding)")
                return
            }
            hand.frames(40..<70)
            #expect(choice.frames.allSatisfy { ring.lease(id: $0.metadata.id) != nil })
        }
        #expect(hand.isFree(from: 700))
    }
}
