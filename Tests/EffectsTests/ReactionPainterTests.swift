// SPDX-License-Identifier: MIT
// Reactions: what they draw, where, and for how long.

import Fusion
import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

struct ReactionPainterTests {
    @Test(arguments: Reaction.allCases)
    func aReactionIsDrawnUntilItsTimeIsOver(_ reaction: Reaction) {
        let picture = ReactionPicture(), before = picture.samples
        let length = reaction.duration.seconds
        for share in [0.2, 0.4, 0.6, 0.8] {
            let changed = zip(picture.drawn(reaction, at: share * length), before).count { $0 != $1 }
            #expect(changed > 40, "after \(share) of its time")
        }
        let painter = ReactionPainter(picture.kind)
        #expect(painter.isIdle)
        painter.begin(reaction, seed: 1)
        painter.advance(by: length - 0.01)
        #expect(!painter.isIdle)
        painter.advance(by: 0.01)
        picture.draw(painter)
        #expect(painter.isIdle && painter.mask == nil && picture.samples == before)
    }

    /// It fades away, instead of vanishing.
    @Test(arguments: Reaction.allCases)
    func aReactionLeavesGently(_ reaction: Reaction) {
        let picture = ReactionPicture()
        let last = picture.drawn(reaction, at: reaction.duration.seconds - 0.02)
        let most = zip(last, picture.samples).map { abs(Int($0) - Int($1)) }.max()!
        #expect(most < 16)
    }

    @Test(arguments: Reaction.allCases)
    func thePictureDependsOnTheTimeAndNotOnTheSteps(_ reaction: Reaction) {
        let pictures = [1, 7, 30].map { steps in
            let picture = ReactionPicture(), painter = ReactionPainter(picture.kind)
            painter.begin(reaction, seed: 5)
            for _ in 0..<steps { painter.advance(by: 1 / Double(steps)) }
            picture.draw(painter)
            return picture.samples
        }
        #expect(pictures[0] == pictures[1] && pictures[1] == pictures[2])
    }

    @Test(arguments: [Reaction.hearts, .balloons, .rain, .confetti, .lasers, .fireworks])
    func theSeedDecidesWhereThingsFly(_ reaction: Reaction) {
        let picture = ReactionPicture()
        let (first, again) = (picture.drawn(reaction, at: 1.5), picture.drawn(reaction, at: 1.5))
        #expect(first == again && first != picture.drawn(reaction, at: 1.5, seed: 2))
    }

    @Test func aReactionThatBeganEarlierIsDrawnAsItIsNow() {
        let picture = ReactionPicture(), painter = ReactionPainter(picture.kind)
        painter.begin(.balloons, seed: 1, elapsed: 1.5)
        let drawn = picture.copy
        drawn.draw(painter)
        #expect(drawn.samples == picture.drawn(.balloons, at: 1.5))
        painter.forget()
        painter.begin(.balloons, seed: 1, elapsed: 4)
        #expect(painter.isIdle)
    }

    @Test(arguments: Reaction.allCases)
    func nothingChangesWhereAPersonIsInFrontOfIt(_ reaction: Reaction) {
        let picture = ReactionPicture(), mask = PeopleMask(picture.kind), before = picture.samples
        // The left half is a person.
        let row = (0..<160).map { $0 < 80 ? UInt8(255) : 0 }, pairs = (0..<80).map { $0 < 40 ? UInt8(255) : 0 }
        for y in 0..<45 { mask.keep(y, row, row, pairs: pairs) }
        let painter = ReactionPainter(picture.kind)
        painter.begin(reaction, seed: 1)
        painter.advance(by: 1.6)
        painter.draw(.behind, into: picture.planes, behind: mask)
        let changes = zip(picture.samples, before).enumerated().filter { $1.0 != $1.1 }.map { place, _ in
            place < 160 * 90 ? place % 160 < 80 : (place - 160 * 90) % 80 < 40
        }
        #expect(!changes.contains(true))
        // What is only before people has no part behind them.
        let isBefore = [Reaction.thumbsUp, .thumbsDown, .heart].contains(reaction)
        #expect(isBefore == changes.isEmpty && isBefore == (painter.mask == nil))
    }

    @Test func halfOfAPersonHidesHalf() {
        let picture = ReactionPicture(), mask = PeopleMask(picture.kind)
        let row = [UInt8](repeating: 128, count: 160)
        for y in 0..<45 { mask.keep(y, row, row, pairs: row) }
        var painting = Painting(halfWidth: 1, halfHeight: 1, scale: 10)
        painting.cover { _ in Paint(0xFFFFFF) }
        let sprite = Sprite(painting, PaintCodes(.webcam)), before = Int(picture.planes.luma.row(60)[40])
        let place = SpritePlace(middle: [40, 60], size: [20, 20], turn: 0, opacity: 1)
        SpriteDrawer(picture.kind).draw(sprite, at: place, into: picture.planes, behind: mask)
        #expect(abs(Int(picture.planes.luma.row(60)[40]) - (before + 235) / 2) <= 2)
    }

    @Test func severalReactionsAreDrawnAtOnceAndEndByThemselves() {
        let picture = ReactionPicture(), painter = ReactionPainter(picture.kind)
        painter.begin(.thumbsUp, seed: 1)
        painter.advance(by: 1)
        painter.begin(.confetti, seed: 2)
        painter.advance(by: 1)
        let both = picture.copy
        both.draw(painter)
        #expect(both.samples != picture.drawn(.thumbsUp, at: 2) && both.samples != picture.drawn(.confetti, at: 1))
        // The thumb is over, confetti go on as if they had always been alone.
        painter.advance(by: 1)
        let alone = picture.copy
        alone.draw(painter)
        #expect(alone.samples == picture.drawn(.confetti, at: 2, seed: 2))
    }

    @Test func aReactionBegunAgainIsDrawnBesideTheFirst() {
        let picture = ReactionPicture(), painter = ReactionPainter(picture.kind)
        painter.begin(.hearts, seed: 1)
        painter.advance(by: 2)
        painter.begin(.hearts, seed: 2)
        painter.advance(by: 1)
        picture.draw(painter)
        // The first is over.
        #expect(picture.samples == picture.drawn(.hearts, at: 1, seed: 2))
        painter.advance(by: 2)
        #expect(painter.isIdle)
    }

    @Test func noMoreThanSomeAreDrawnAtOnce() {
        let painter = ReactionPainter(ReactionPicture().kind)
        for seed in 0..<UInt64(ReactionPainter.most) { painter.begin(.thumbsUp, seed: seed) }
        painter.begin(.rain, seed: 9)
        painter.advance(by: 2.6)
        #expect(painter.isIdle)
    }

    @Test(arguments: [(16, 16), (18, 16), (16, 200), (358, 40), (90, 160)])
    func picturesOfAnyShapeAreDrawnIntoAndNothingBesides(_ width: Int, _ height: Int) {
        for reaction in Reaction.allCases {
            let picture = ReactionPicture(width, height), (before, margins) = (picture.samples, picture.margins)
            let painter = ReactionPainter(picture.kind)
            painter.begin(reaction, seed: 3)
            while !painter.isIdle {
                painter.advance(by: 0.11)
                picture.draw(painter)
            }
            #expect(picture.margins == margins && picture.samples != before, "\(reaction)")
        }
    }

    @Test(arguments: KernelLevel.supported) func everyLevelDrawsTheSame(_ level: KernelLevel) {
        for reaction in Reaction.allCases {
            let pictures = [level, .portable].map { level in
                let picture = ReactionPicture(at: level), painter = ReactionPainter(picture.kind)
                painter.begin(reaction, seed: 3, elapsed: 1.3)
                picture.draw(painter)
                return picture.samples
            }
            #expect(pictures[0] == pictures[1])
        }
    }

    /// On the side with more room, and never outside.
    @Test(arguments: [0.1, 0.3, 0.5, 0.7, 0.9], [0.0, 0.2, 0.5, 0.9])
    func aBubbleIsBesideTheFace(_ x: Double, _ y: Double) {
        var field = ReactionField(FrameSize(width: 1280, height: 720))
        let face = (middle: SIMD2(x * field.width, y), reach: 0.15)
        field.face = face
        let place = BubblePlace(field, size: 0.34)
        #expect((place.middle.x > face.middle.x) == (x <= 0.5))
        #expect((0.17...field.width - 0.17).contains(place.middle.x) && (0.17...0.83).contains(place.middle.y))
        let way = place.middle - face.middle
        #expect((way * way).sum().squareRoot() > 0.15 + 0.17)
    }
}
