// SPDX-License-Identifier: MIT
// Reactions that a board asks for, drawn into frames. They need no nets.

import Fusion
import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

struct ReactionFramesTests {
    private static let format = FrameFormat(
        pixelFormat: .i420, size: FrameSize(width: 160, height: 90), colorimetry: .jpeg)
    private static let frame = [UInt8](repeating: 128, count: format.byteCount)

    /// Frames of one stage.
    private final class Stage {
        let effects: FrameEffects
        private var count: Int64 = 0
        /// What the last picture says is drawn into it.
        private(set) var reactions: [Reaction]?

        init(_ board: EffectBoard) throws {
            effects = try FrameEffects(ReactionFramesTests.format, board, by: LazyNets(in: []), .best)
        }

        /// The next picture, `seconds` after the one before.
        func picture(after seconds: Double = 0) -> [UInt8] {
            count += Int64(seconds * 1e9)
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: count), byteCount: ReactionFramesTests.frame.count, sequence: 0,
                timeSource: .scene, uncertainty: .zero, id: FrameID(epoch: 0, counter: UInt64(count)))
            var picture = [UInt8](repeating: 0, count: effects.format.byteCount)
            let isAdded = effects.add(metadata, ReactionFramesTests.frame.span.bytes)
            let drawn = picture.withUnsafeMutableBytes { effects.draw(into: $0) }
            #expect(isAdded && drawn?.id == metadata.id)
            reactions = drawn?.reactions.all
            return picture
        }
    }

    @Test func aReactionOfTheBoardIsDrawnAndEnds() throws {
        let board = EffectBoard(), stage = try Stage(board)
        #expect(stage.picture() == Self.frame)
        board.perform(.confetti)
        _ = stage.picture(after: 0.5)
        #expect(stage.picture(after: 1) != Self.frame)
        // However often it is looked at, it is begun once.
        for _ in 0..<4 { _ = stage.picture(after: 1) }
        #expect(stage.picture(after: 1) == Self.frame)
    }

    @Test func eachPictureSaysWhatIsDrawnIntoIt() throws {
        let board = EffectBoard(), stage = try Stage(board)
        _ = stage.picture()
        #expect(stage.reactions == [])
        board.perform(.fireworks)
        board.perform(.heart)
        _ = stage.picture(after: 0.5)
        #expect(stage.reactions == [.heart, .fireworks])
        for _ in 0..<3 { _ = stage.picture(after: 1) }
        #expect(stage.reactions == [.fireworks])
        for _ in 0..<2 { _ = stage.picture(after: 1) }
        #expect(stage.reactions == [])
    }

    @Test func aReactionThatIsOverIsNotBegun() throws {
        let board = EffectBoard(), stage = try Stage(board)
        board.perform(.lasers, at: .now - .seconds(60))
        _ = stage.picture()
        #expect(stage.picture(after: 1) == Self.frame)
    }

    @Test func aStageThatIsMadeMeanwhileShowsItFromThereOn() throws {
        let board = EffectBoard()
        board.perform(.rain, at: .now - .seconds(1))
        #expect(try Stage(board).picture() != Self.frame)
    }

    @Test func anotherStreamHasNothingOfIt() throws {
        let board = EffectBoard(), stage = try Stage(board)
        board.perform(.rain)
        _ = stage.picture()
        #expect(stage.picture(after: 1) != Self.frame)
        // A gap: the frames after it are others.
        #expect(stage.picture(after: 10) == Self.frame)
    }
}
