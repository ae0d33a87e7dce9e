// SPDX-License-Identifier: MIT
// Effects that change while frames are drawn, with and without the nets they need.

import Fusion
import LivecapDetection
import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapEffects

@Suite struct EffectSwitchingTests {
    private static let format = FrameFormat(
        pixelFormat: .i420, size: FrameSize(width: 64, height: 36), colorimetry: .jpeg)

    /// Draws frames into which a board's effects go.
    private final class Stage {
        let board = EffectBoard()
        private let effects: FrameEffects
        private var number: UInt64 = 0

        init(_ settings: EffectSettings = EffectSettings(), by nets: LazyNets) throws {
            board.set(settings)
            effects = try FrameEffects(EffectSwitchingTests.format, board, by: nets, .best)
        }

        /// The picture of the next frame, which is a grey ramp.
        func next() -> [UInt8] {
            let frame = EffectSwitchingTests.ramp
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number) * 33_333_333), byteCount: frame.count,
                sequence: UInt32(number), timeSource: .scene, uncertainty: .zero, id: FrameID(epoch: 0, counter: number)
            )
            number += 1
            var picture = [UInt8](repeating: 0, count: effects.format.byteCount)
            _ = effects.add(metadata, frame.span.bytes)
            _ = picture.withUnsafeMutableBytes { effects.draw(into: $0) }
            return picture
        }
    }

    private static let ramp: [UInt8] = {
        var frame = [UInt8](repeating: 128, count: format.byteCount)
        for place in 0..<format.size.area { frame[place] = UInt8(64 + place % 64) }
        return frame
    }()

    /// A folder without nets, and a runtime that is nowhere.
    private static var none: LazyNets { LazyNets(in: ["/nonexistent"], wanted: .liteRT) }

    @Test func withoutEffectsNothingIsLoadedAndNothingDrawn() throws {
        let stage = try Stage(by: Self.none)
        #expect(stage.next() == Self.ramp)
        #expect(stage.board.fault == nil)
    }

    @Test func whatIsNeededFromTheBeginningMustBeThere() {
        #expect(throws: NetError.noRuntime(folders: ["/nonexistent"])) {
            try Stage(EffectSettings(portrait: 1), by: Self.none)
        }
    }

    @Test func whatCannotBeDrawnIsTakenOffTheBoard() throws {
        let stage = try Stage(by: Self.none)
        let changes = Guarded(0)
        let leave = stage.board.onChange { changes.withLock { $0 += 1 } }
        stage.board.set(EffectSettings(portrait: 1))
        #expect(stage.next() == Self.ramp)
        #expect(stage.board.settings.areNone)
        #expect(stage.board.fault?.cause == .net(.noRuntime(folders: ["/nonexistent"])))
        #expect(stage.board.fault?.wanted == EffectSettings(portrait: 1))
        #expect(changes.withLock { $0 } == 2)
        leave()
        stage.board.set(EffectSettings(light: 1))
        #expect(changes.withLock { $0 } == 2)
    }

    @Test(.enabled(if: (try? Nets().open(.matte)) != nil, "'make effects' fetches the nets"))
    func everyPictureHasTheEffectsOfItsMoment() throws {
        let stage = try Stage(by: LazyNets())
        let green = EffectSettings(background: .colour(red: 0, green: 255, blue: 0))
        for turn in 0..<200 {
            stage.board.set(turn % 2 == 0 ? green : EffectSettings())
            let picture = stage.next()
            #expect((picture == Self.ramp) == (turn % 2 == 1), "turn \(turn)")
        }
        #expect(stage.board.fault == nil)
    }
}

@Suite struct EffectBoardTests {
    private let second = Timestamp(nanoseconds: 1_000_000_000)

    @Test func aReactionIsInProgressForItsTime() {
        let board = EffectBoard()
        board.perform(.hearts, at: second)
        #expect(board.inProgress(at: second) == [.hearts])
        #expect(board.inProgress(at: second + Reaction.hearts.duration - .nanoseconds(1)) == [.hearts])
        #expect(board.inProgress(at: second + Reaction.hearts.duration).isEmpty)
    }

    @Test func callsAreKnownByTheirNumbers() {
        let board = EffectBoard()
        board.perform(.rain, at: second)
        let first = board.calls(after: 0)
        board.perform(.rain, at: second)
        board.perform(.lasers, at: second)
        #expect(first.map(\.reaction) == [.rain])
        #expect(board.calls(after: first[0].number).map(\.reaction) == [.rain, .lasers])
    }

    @Test func threeReactionsAreDrawnAtOnce() {
        let board = EffectBoard()
        for _ in 0..<100 { board.perform(.heart, at: second) }
        #expect(board.calls(after: 0).map(\.number) == [1, 2, 3])
        let later = second + Reaction.heart.duration
        board.perform(.rain, at: later)
        #expect(board.inProgress(at: later) == [.rain])
        #expect(board.calls(after: 3).map(\.reaction) == [.rain])
    }

    /// Whoever sets what is drawn knows by then.
    @Test func aFaultIsToldAndSoIsItsEnd() {
        let board = EffectBoard(EffectSettings(brighten: 0.5)), wanted = EffectSettings(portrait: 1, light: 0.5)
        let told = Guarded<[EffectFault?]>([])
        let leave = board.onChange { told.withLock { $0.append(board.fault) } }
        board.set(wanted)
        board.refuse(wanted, for: EffectSettings(brighten: 0.5), .noMemory)
        #expect(board.settings == EffectSettings(brighten: 0.5))
        // Nothing else is drawn by it than before.
        board.set(EffectSettings(brighten: 0.5))
        #expect(told.withLock { $0.map { $0?.cause } } == [nil, .net(.noMemory), nil])
        board.set(wanted)
        // Somebody has set something else meanwhile.
        board.refuse(EffectSettings(framing: 1), for: EffectSettings(), .noMemory)
        #expect(board.fault == nil && board.settings == wanted)
        leave()
    }

    @Test func aFaultSaysWhatIsNotDrawnAndWhy() {
        let board = EffectBoard()
        let wanted = EffectSettings(light: 0.5, background: .picture(path: "/home/ann/beach.jpg"))
        board.set(wanted)
        board.refuse(wanted, for: EffectSettings(), .noMemory)
        #expect(
            board.fault?.description
                == "light and background could not be drawn, and effects are as before: "
                + "not enough memory for a neural net; allow more memory")
        #expect(board.fault?.code == "effects-missing")
    }

    @Test func settingTheSameIsNoChange() {
        let board = EffectBoard(EffectSettings(light: 0.5))
        let changes = Guarded(0)
        let leave = board.onChange { changes.withLock { $0 += 1 } }
        board.set(EffectSettings(light: 0.5))
        board.set(EffectSettings(light: 0.6))
        #expect(changes.withLock { $0 } == 1)
        leave()
    }
}
