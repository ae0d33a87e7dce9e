// SPDX-License-Identifier: MIT
// A gesture that is held asks for a reaction once.

import LivecapFrames
import Testing

@testable import LivecapDetection

@Suite struct GestureHoldTests {
    /// Thirty pictures a second, each with the gestures of its hands; nil for a hand that makes none. Returns when, in
    /// milliseconds, which reactions came.
    private struct Stream {
        var hold = GestureHold(FrameSize(width: 1280, height: 720))
        var picture = 0
        var reactions: [(at: Int, what: Reaction)] = []

        mutating func show(_ gestures: [HandGesture?], for milliseconds: Int) {
            show(hands: gestures.enumerated().map { GestureHoldTests.hand($0, $1) }, for: milliseconds)
        }

        mutating func show(hands: [HandFacts], for milliseconds: Int) {
            for _ in 0..<(milliseconds * 30 / 1000) {
                let time = Timestamp(nanoseconds: Int64(picture) * 1_000_000_000 / 30)
                if let reaction = hold.next(hands, at: time) { reactions.append((picture * 1000 / 30, reaction)) }
                picture += 1
            }
        }
    }

    private static func hand(_ place: Int, _ gesture: HandGesture?) -> HandFacts {
        HandFacts(
            id: place + 1,
            box: PictureBox(origin: PicturePoint(x: 0.1 + 0.4 * Float(place), y: 0.3), width: 0.15, height: 0.3),
            confidence: 0.9, isRight: place == 0, gesture: gesture)
    }

    @Test(
        arguments: [
            (HandGesture.thumbUp, Reaction.thumbsUp), (.thumbDown, .thumbsDown), (.victory, .balloons),
        ])
    func oneHandIsEnough(_ gesture: HandGesture, _ reaction: Reaction) {
        var stream = Stream()
        stream.show([gesture], for: 5000)
        #expect(stream.reactions.map(\.what) == [reaction])
        #expect(stream.reactions.map(\.at) == [700])
    }

    @Test(
        arguments: [
            (HandGesture.thumbUp, Reaction.fireworks), (.thumbDown, .rain), (.victory, .confetti), (.horns, .lasers),
        ])
    func twoHandsAskForAnother(_ gesture: HandGesture, _ reaction: Reaction) {
        var stream = Stream()
        stream.show([gesture, gesture], for: 5000)
        #expect(stream.reactions.map(\.what) == [reaction])
    }

    @Test(arguments: [HandGesture.horns, .halfHeart]) func oneHandIsNotEnoughForAll(_ gesture: HandGesture) {
        var stream = Stream()
        stream.show([gesture], for: 3000)
        stream.show([gesture, nil], for: 3000)
        #expect(stream.reactions.isEmpty)
    }

    @Test func whatIsNotHeldIsNoGesture() {
        var stream = Stream()
        for _ in 0..<5 {
            stream.show([.thumbUp], for: 600)
            stream.show([nil], for: 400)
        }
        #expect(stream.reactions.isEmpty)
    }

    /// One look in four is not enough, however long.
    @Test func whatFlickersIsNoGesture() {
        var stream = Stream()
        for _ in 0..<40 {
            stream.show([.victory], for: 34)
            stream.show([nil], for: 100)
        }
        #expect(stream.picture == 160)
        #expect(stream.reactions.isEmpty)
    }

    /// Now and then it is not recognized, or the hand is lost.
    @Test func aFewPicturesWithoutItDoNotEndIt() {
        var stream = Stream()
        for _ in 0..<6 {
            stream.show([.victory], for: 200)
            stream.show(hands: [], for: 34)
        }
        #expect(stream.reactions.map(\.what) == [.balloons])
    }

    @Test func itMustBeLetGoFirst() {
        var stream = Stream()
        stream.show([.thumbUp], for: 2000)
        stream.show([nil], for: 400)
        stream.show([.thumbUp], for: 2000)
        #expect(stream.reactions.map(\.what) == [.thumbsUp])
        stream.show([nil], for: 600)
        stream.show([.thumbUp], for: 2000)
        #expect(stream.reactions.map(\.what) == [.thumbsUp, .thumbsUp])
    }

    @Test func aSecondHandThatComesLaterWins() {
        var stream = Stream()
        stream.show([.thumbUp, nil], for: 900)
        stream.show([.thumbUp, .thumbUp], for: 2000)
        #expect(stream.reactions.map(\.what) == [.fireworks])
    }

    @Test func aSecondHandThatDoesNothingDelaysALittle() {
        var stream = Stream()
        stream.show([.thumbUp, nil], for: 3000)
        #expect(stream.reactions.map(\.what) == [.thumbsUp])
        #expect(stream.reactions.map(\.at) == [1000])
    }

    @Test func twoHandsThatAreLetGoOneAfterTheOtherAreNotOne() {
        var stream = Stream()
        stream.show([.victory, .victory], for: 1000)
        stream.show([.victory], for: 3000)
        #expect(stream.reactions.map(\.what) == [.confetti])
    }

    @Test func differentGesturesDoNotDisturbEachOther() {
        var stream = Stream()
        stream.show([.thumbUp, .victory], for: 3000)
        #expect(stream.reactions.map(\.what) == [.thumbsUp, .balloons])
    }

    /// A half of a heart whose tips are at `x`.
    private func half(_ place: Int, at x: Float) -> HandFacts {
        var hand = Self.hand(place, .halfHeart)
        hand.landmarks = Array(repeating: PicturePoint(x: x, y: 0.3), count: 21)
        hand.landmarks[4].y = 0.5
        return hand
    }

    @Test func halvesThatTouchAreAHeart() {
        var stream = Stream()
        stream.show(hands: [half(0, at: 0.48), half(1, at: 0.52)], for: 3000)
        #expect(stream.reactions.map(\.what) == [.hearts])
    }

    @Test func halvesThatAreApartAreNone() {
        var stream = Stream()
        stream.show(hands: [half(0, at: 0.4), half(1, at: 0.52)], for: 3000)
        #expect(stream.reactions.isEmpty)
        // The tips of the fingers touch, those of the thumbs do not.
        var apart = half(1, at: 0.52)
        apart.landmarks[4].y = 0.8
        stream.show(hands: [half(0, at: 0.48), apart], for: 3000)
        #expect(stream.reactions.isEmpty)
    }

    @Test func nothingIsKeptOfWhatIsForgotten() {
        var stream = Stream()
        stream.show([.thumbUp], for: 500)
        stream.hold.forget()
        stream.show([.thumbUp], for: 500)
        #expect(stream.reactions.isEmpty)
    }
}
