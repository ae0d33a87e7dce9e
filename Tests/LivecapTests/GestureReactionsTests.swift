// SPDX-License-Identifier: MIT
// Hands are looked for while gestures are among the effects, and gestures that are held begin reactions.

import Camera
import LivecapEffects
import LivecapFrames
import LivecapPatience
import LivecapThreads
import Testing

@testable import livecap

@Suite(.timeLimit(.usual)) struct GestureReactionsTests {
    private let board = EffectBoard()
    private let hands = Hands()

    /// What looks for hands, by hand, and what came of it.
    private final class Hands: Sendable {
        struct State: Sendable {
            /// How often somebody began to look.
            var begun = 0
            var end: (@Sendable (CameraError?) -> Void)?
            var take: (@Sendable (FrameFacts) -> Void)?
            var lack: CameraError?
            var size = FrameSize(width: 1280, height: 720)
            var picture = 0
            var reactions: [Reaction] = []
        }
        let state = Guarded(State())

        func gestures(_ board: EffectBoard) -> GestureReactions {
            GestureReactions(
                board, size: { [self] in state.withLock { $0.size } },
                follow: { [self] (end, take) throws(CameraError) in
                    try state.withLock { state throws(CameraError) in
                        state.begun += 1
                        if let lack = state.lack { throw lack }
                        state.end = end
                        state.take = take
                    }
                    return { [self] in
                        state.withLock { state in
                            state.end = nil
                            state.take = nil
                        }
                    }
                }, perform: { [self] reaction in state.withLock { $0.reactions.append(reaction) } })
        }

        var begun: Int { state.withLock { $0.begun } }
        var isFollowed: Bool { state.withLock { $0.take != nil } }
        var reactions: [Reaction] { state.withLock { $0.reactions } }

        /// Thirty pictures a second with these hands.
        func show(_ hands: [HandFacts], pictures: Int) {
            for _ in 0..<pictures {
                let (take, picture) = state.withLock { state in
                    state.picture += 1
                    return (state.take, state.picture)
                }
                take?(
                    FrameFacts(
                        frame: FrameID(epoch: 0, counter: UInt64(picture)),
                        time: Timestamp(nanoseconds: Int64(picture) * 1_000_000_000 / 30), hands: hands))
            }
        }
    }

    private static func hand(_ gesture: HandGesture?, at x: Float = 0.2) -> HandFacts {
        let box = PictureBox(origin: PicturePoint(x: x, y: 0.3), width: 0.1, height: 0.3)
        return HandFacts(
            id: 1, box: box, confidence: 1, isRight: true, gesture: gesture,
            landmarks: Array(repeating: PicturePoint(x: x, y: 0.4), count: 21))
    }

    private static let refusal = CameraError.badSettings("no hands", hint: "choose another format")

    @Test func handsAreLookedForWhileGesturesAreOn() throws {
        let gestures = hands.gestures(board)
        board.set(EffectSettings(gestures: true))
        try eventually("the look for hands") { hands.isFollowed }
        // Other effects change nothing about it.
        board.set(EffectSettings(light: 1, gestures: true))
        board.set(EffectSettings(light: 1))
        try eventually("its end") { !hands.isFollowed }
        board.set(EffectSettings(gestures: true))
        try eventually("the next look") { hands.isFollowed }
        gestures.close()
        #expect(hands.begun == 2 && !hands.isFollowed)
    }

    @Test func gesturesThatAreOnAtTheStartCount() throws {
        board.set(EffectSettings(gestures: true))
        let gestures = hands.gestures(board)
        try eventually("the look for hands") { hands.isFollowed }
        gestures.close()
    }

    @Test func withoutGesturesNobodyLooks() {
        let gestures = hands.gestures(board)
        board.set(EffectSettings(portrait: 1, light: 1))
        // Waits for all changes.
        gestures.close()
        #expect(hands.begun == 0)
        // Afterwards, changes have no effect.
        board.set(EffectSettings(gestures: true))
        gestures.close()
        #expect(hands.begun == 0)
    }

    @Test func aHeldGestureBeginsAReactionOnce() throws {
        board.set(EffectSettings(gestures: true))
        let gestures = hands.gestures(board)
        try eventually("the look for hands") { hands.isFollowed }
        hands.show([Self.hand(.thumbUp)], pictures: 15)
        #expect(hands.reactions.isEmpty)
        hands.show([Self.hand(.thumbUp)], pictures: 60)
        #expect(hands.reactions == [.thumbsUp])
        hands.show([], pictures: 30)
        hands.show([Self.hand(.victory), Self.hand(.victory, at: 0.6)], pictures: 30)
        #expect(hands.reactions == [.thumbsUp, .confetti])
        gestures.close()
    }

    /// What was held before gestures were switched off is not held on.
    @Test func aGestureIsHeldAnewAfterAnInterval() throws {
        board.set(EffectSettings(gestures: true))
        let gestures = hands.gestures(board)
        try eventually("the look for hands") { hands.isFollowed }
        hands.show([Self.hand(.thumbUp)], pictures: 15)
        board.set(EffectSettings())
        try eventually("its end") { !hands.isFollowed }
        board.set(EffectSettings(gestures: true))
        try eventually("the next look") { hands.isFollowed }
        hands.show([Self.hand(.thumbUp)], pictures: 15)
        #expect(hands.reactions.isEmpty)
        gestures.close()
    }

    /// How far apart two hands are depends on the shape of the picture, which another camera may change.
    @Test func theShapeOfPicturesIsThatOfTheCameraThatDelivers() throws {
        board.set(EffectSettings(gestures: true))
        let gestures = hands.gestures(board)
        try eventually("the look for hands") { hands.isFollowed }
        let halves = [Self.hand(.halfHeart, at: 0.4), Self.hand(.halfHeart, at: 0.48)]
        hands.show(halves, pictures: 30)
        #expect(hands.reactions.isEmpty)
        hands.state.withLock { $0.size = FrameSize(width: 640, height: 480) }
        hands.show(halves, pictures: 30)
        #expect(hands.reactions == [.hearts])
        gestures.close()
    }

    @Test func gesturesThatCannotBeSeenGoOffAndAreTriedAgainWhenSet() throws {
        hands.state.withLock { $0.lack = Self.refusal }
        let gestures = hands.gestures(board)
        board.set(EffectSettings(light: 0.5, gestures: true))
        try eventually("the fault") { board.fault != nil }
        #expect(board.settings == EffectSettings(light: 0.5))
        #expect(board.fault?.description == "gestures are not seen, and are off: no hands; choose another format")
        #expect(board.fault?.code == "effects-missing")
        hands.state.withLock { $0.lack = nil }
        board.set(EffectSettings(gestures: true))
        #expect(board.fault == nil)
        try eventually("the next look") { hands.isFollowed }
        gestures.close()
        #expect(hands.begun == 2)
    }

    @Test func gesturesGoOffWhenFramesComeInWhichNobodyCanBeLookedFor() throws {
        board.set(EffectSettings(gestures: true))
        let gestures = hands.gestures(board)
        try eventually("the look for hands") { hands.isFollowed }
        hands.state.withLock { $0.end }?(Self.refusal)
        #expect(board.settings.areNone && board.fault != nil)
        board.set(EffectSettings(gestures: true))
        try eventually("the next look") { hands.begun == 2 }
        // The end of the session is no fault.
        try eventually("its beginning") { hands.isFollowed }
        hands.state.withLock { $0.end }?(nil)
        gestures.close()
        #expect(board.settings.gestures && board.fault == nil && hands.begun == 2)
    }
}
