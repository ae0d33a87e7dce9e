// SPDX-License-Identifier: MIT
// Gestures are told from each other and from everything else that hands do.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapDetection

@Suite struct GestureRulesTests {
    typealias Finger = SkeletonHand.Finger
    private static let aspect: Float = 16.0 / 9

    /// Which fingers are straight, from the first to the little one.
    private static func fingers(_ straight: String, splay: [Double] = [6, 0, -5, -12]) -> [Finger] {
        zip(straight, splay).map { $0 == "|" ? .straight($1) : .curled }
    }

    private static let known: [HandGesture: SkeletonHand] = [
        // A fist, turned so that its thumb is up, or down.
        .thumbUp: SkeletonHand(.out, fingers("...."), roll: -75),
        .thumbDown: SkeletonHand(.out, fingers("...."), roll: 105),
        .victory: SkeletonHand(.folded, fingers("||..", splay: [14, -10, 0, 0])),
        .horns: SkeletonHand(.folded, fingers("|..|")),
        // Seen from the side of the thumb.
        .halfHeart: SkeletonHand(
            .ahead, [.bent(35, 75, 45), .bent(35, 75, 45), .bent(40, 75, 45), .bent(45, 75, 45)], yaw: 80),
    ]

    /// What hands do else.
    private static let others: [String: SkeletonHand] = [
        "fist": SkeletonHand(.folded, fingers("....")),
        "fist with the thumb inside": SkeletonHand(.inside, fingers("....")),
        "fist with the thumb beside it": SkeletonHand(.along, fingers("....")),
        "open hand": SkeletonHand(.out, fingers("||||")),
        "spread hand": SkeletonHand(.out, fingers("||||", splay: [16, 4, -8, -22])),
        "flat hand": SkeletonHand(.along, fingers("||||", splay: [0, 0, 0, 0])),
        "four": SkeletonHand(.folded, fingers("||||")),
        "split fingers": SkeletonHand(.out, fingers("||||", splay: [12, 10, -10, -12])),
        "first finger": SkeletonHand(.folded, fingers("|...")),
        "middle finger": SkeletonHand(.folded, fingers(".|..")),
        "little finger": SkeletonHand(.folded, fingers("...|")),
        "thumb and first finger": SkeletonHand(.out, fingers("|...")),
        "thumb and little finger": SkeletonHand(.out, fingers("...|")),
        "thumb, first and little finger": SkeletonHand(.out, fingers("|..|")),
        "three with the thumb": SkeletonHand(.out, fingers("||..", splay: [14, -10, 0, 0])),
        "three without the thumb": SkeletonHand(.folded, fingers("|||.")),
        "last three fingers": SkeletonHand(.pinching, fingers(".|||")),
        "two fingers together": SkeletonHand(.folded, fingers("||..", splay: [-2, 2, 0, 0])),
        "crossed fingers": SkeletonHand(.folded, fingers("||..", splay: [-16, 16, 0, 0])),
        "ring": SkeletonHand(.pinching, [.bent(55, 65, 30), .straight(), .straight(-6), .straight(-14)]),
        "pinch": SkeletonHand(.pinching, [.bent(55, 65, 30), .curled, .curled, .curled]),
        "claw": SkeletonHand(.out, Array(repeating: .bent(10, 70, 40), count: 4)),
        "loose hand": SkeletonHand(.along, Array(repeating: .bent(25, 35, 20), count: 4)),
    ]

    /// The landmarks of a hand, seen as hands are: a little turned, with noise.
    private func looks(
        _ hand: SkeletonHand, _ count: Int, rolls: ClosedRange<Double>, _ seed: UInt64
    ) -> [[PicturePoint]] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { index in
            var hand = hand
            hand.yaw += .random(in: -20...20, using: &random)
            hand.tilt += .random(in: -15...15, using: &random)
            hand.roll += .random(in: rolls, using: &random)
            return hand.landmarks(isMirrored: index % 2 == 1, noise: 0.03, &random)
        }
    }

    @Test(arguments: HandGesture.allCases) func aGestureIsKnown(_ gesture: HandGesture) throws {
        let hand = try #require(Self.known[gesture])
        let looks = looks(hand, 400, rolls: -15...15, 11)
        let found = looks.map { GestureRules.gesture(of: $0, aspect: Self.aspect) }
        #expect(found.count { $0 == gesture } >= 380, "\(found.count { $0 == gesture })")
        #expect(found.allSatisfy { $0 == gesture || $0 == nil })
    }

    @Test(arguments: others.keys.sorted()) func anythingElseIsNone(_ name: String) throws {
        let hand = try #require(Self.others[name])
        for look in looks(hand, 400, rolls: -180...180, 5) {
            #expect(GestureRules.gesture(of: look, aspect: Self.aspect) == nil, "\(look)")
        }
    }

    /// Gestures are upright.
    @Test(arguments: HandGesture.allCases) func onItsSideAGestureIsNone(_ gesture: HandGesture) throws {
        let hand = try #require(Self.known[gesture])
        for turn in [90.0, -90] {
            for look in looks(hand, 200, rolls: (turn - 10)...(turn + 10), 3) {
                #expect(GestureRules.gesture(of: look, aspect: Self.aspect) == nil)
            }
        }
    }

    @Test func theShapeOfThePictureCounts() throws {
        var random = SeededRandom(seed: 1)
        let hand = try #require(Self.known[.victory])
        let upright = hand.landmarks(isMirrored: false, noise: 0, &random)
        #expect(GestureRules.gesture(of: upright, aspect: Self.aspect) == .victory)
        // Taken for one of a narrow picture, its fingers are hardly apart.
        #expect(GestureRules.gesture(of: upright, aspect: Self.aspect / 4) == nil)
    }

    @Test func pointsThatAreNoHandAreNoGesture() {
        let point = PicturePoint(x: 0.5, y: 0.5)
        #expect(GestureRules.gesture(of: [], aspect: 1) == nil)
        #expect(GestureRules.gesture(of: Array(repeating: point, count: 20), aspect: 1) == nil)
        #expect(GestureRules.gesture(of: Array(repeating: point, count: 21), aspect: 1) == nil)
        let none = PicturePoint(x: .nan, y: .nan)
        #expect(GestureRules.gesture(of: Array(repeating: none, count: 21), aspect: 1) == nil)
    }
}
