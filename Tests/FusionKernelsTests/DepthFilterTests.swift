// SPDX-License-Identifier: MIT
// Filtered depth against the truth: better at edges and elsewhere, and nothing invented.

import Camera
import Fusion
import LivecapFrames
import Testing

@Suite struct DepthFilterTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4]

    /// The last of twelve frames: as measured, filtered, and the truth.
    private func last(_ room: DepthRoom, _ filter: DepthFilter) throws -> (raw: [UInt16], out: [UInt16], [Float]) {
        let state = try DepthFilterState(filter, size: room.size)
        let frames = room.frames(12)
        var out: [UInt16] = []
        for (number, frame) in frames.enumerated() {
            out = state.filtered(frame, luma: room.scene.luma(at: Double(number) / 30))
        }
        return (frames[11], out, room.scene.truth(at: 11.0 / 30))
    }

    @Test("Errors at edges are halved, and elsewhere, too", arguments: seeds)
    func edges(_ seed: UInt64) throws {
        let room = DepthRoom(seed: seed)
        for filter in [DepthFilter.usual, DepthFilter(radius: 2), DepthFilter(radius: 3)] {
            let (raw, out, truth) = try last(room, filter)
            let edges = DepthRoom.edges(of: truth, room.size)
            for isEdge in [true, false] {
                let before = DepthRoom.error(raw, truth) { edges[$0] == isEdge }
                let after = DepthRoom.error(out, truth) { edges[$0] == isEdge }
                #expect(after < before / 2, "\(filter), edges: \(isEdge): \(after) of \(before)")
            }
        }
    }

    @Test("What moves is not smeared", arguments: seeds)
    func motion(_ seed: UInt64) throws {
        let room = DepthRoom(seed: seed)
        let (raw, out, truth) = try last(room, DepthFilter(memory: 16))
        let before = room.scene.truth(at: 8.0 / 30)
        // Pixels that another surface came to in the last three frames.
        let isNew = truth.indices.map { abs(truth[$0] - before[$0]) > 0.1 }
        let errors = [raw, out].map { depth in DepthRoom.error(depth, truth) { isNew[$0] } }
        #expect(errors[1] < 1.15 * errors[0], "\(errors)")
    }

    /// In rooms, where holes are shadows, dark things and specks.
    @Test("Holes of the stated size are filled, larger ones stay as they are", arguments: [1, 5, 64, 150])
    func holesStay(_ limit: Int) throws {
        for seed in Self.seeds {
            let room = DepthRoom(seed: seed), frame = room.frames(1)[0]
            let state = try DepthFilterState(DepthFilter(largestHole: limit), size: room.size)
            let out = state.filtered(frame)
            let all = holes(of: frame, room.size)
            #expect(all.contains { $0.count > limit } && all.contains { $0.count <= limit })
            for hole in all {
                #expect(hole.allSatisfy { (out[$0] > 0) == (hole.count <= limit) }, "\(hole.count) pixels")
            }
            #expect(frame.indices.allSatisfy { frame[$0] == 0 || frame[$0] == out[$0] })
            // All filters but that over time leave them, too.
            let smooth = try DepthFilterState(DepthFilter(largestHole: limit, radius: 3), size: room.size)
            let smoothed = smooth.filtered(frame, luma: room.scene.luma(at: 0))
            #expect(out.indices.allSatisfy { (out[$0] > 0) == (smoothed[$0] > 0) })
        }
    }

    @Test func aHoleBesideANearThingIsBehindIt() throws {
        let size = FrameSize(width: 9, height: 3)
        var frame = [UInt16](repeating: 1000, count: size.area)
        for y in 0..<3 { for x in 0..<4 { frame[y * 9 + x] = 3000 + UInt16(10 * x) } }
        for x in 4...5 { frame[9 + x] = 0 }
        // Above and below is the near thing, on the left what is behind.
        let out = try DepthFilterState(DepthFilter(largestHole: 2), size: size).filtered(frame)
        #expect(out[9 + 4] == 3030 && out[9 + 5] == 3030)
    }

    @Test func nothingIsFilteredUnlessAsked() throws {
        let room = DepthRoom(seed: 5), state = try DepthFilterState(.off, size: room.size)
        #expect(DepthFilter() == .off && DepthFilter.off.isOff && !DepthFilter.usual.isOff)
        for var frame in room.frames(3) {
            frame[7] = 65535
            let out = state.filtered(frame)
            #expect(out[7] == 0)
            frame[7] = 0
            #expect(out == frame)
        }
    }

    @Test func aHoleKeepsItsDepthForAsLongAsItIsMostlySeen() throws {
        let size = FrameSize(width: 3, height: 1)
        let state = try DepthFilterState(DepthFilter(memory: 8, hold: 3), size: size)
        let known: [UInt16] = [1000, 1000, 1000], lost: [UInt16] = [1000, 0, 1000]
        for _ in 0..<8 { #expect(state.filtered(known) == known) }
        // After six of eight frames without it, two are too few.
        let shown = (0..<8).map { _ in state.filtered(lost)[1] }
        #expect(shown == [1000, 1000, 1000, 1000, 1000, 0, 0, 0])
        // Depth that is far from what is kept replaces it.
        #expect(state.filtered([1000, 1500, 1000])[1] == 1500)
        state.reset()
        #expect(state.filtered(lost)[1] == 0)
    }

    @Test func aStillDepthIsTheMeanOfItsFrames() throws {
        let size = FrameSize(width: 1, height: 1)
        let state = try DepthFilterState(DepthFilter(memory: 8), size: size)
        let shown = [1000, 1008, 1004, 1000].map { state.filtered([$0])[0] }
        #expect(shown == [1000, 1004, 1004, 1003])
    }

    @Test("Every size and level", arguments: KernelLevel.supported)
    func sizes(_ level: KernelLevel) throws {
        for (width, height) in [(1, 1), (7, 5), (65, 3), (3, 130), (131, 67)] {
            let size = FrameSize(width: width, height: height), room = DepthRoom(seed: 9, size: size)
            let state = try DepthFilterState(.usual, size: size, level: level)
            let portable = try DepthFilterState(.usual, size: size, level: .portable)
            for (number, frame) in room.frames(4).enumerated() {
                let luma = room.scene.luma(at: Double(number) / 30)
                #expect(state.filtered(frame, luma: luma) == portable.filtered(frame, luma: luma), "\(size)")
            }
        }
        #expect(throws: FusionError.self) { try DepthFilterState(.usual, size: FrameSize(width: 0, height: 4)) }
    }

    @Test func numbersAreHeldWithinWhatTheyMayBe() {
        let filter = DepthFilter(memory: 0, hold: 99, largestHole: -1, radius: 9, contrast: 0)
        #expect(filter.memory == 1 && filter.hold == 8 && filter.largestHole == 0 && filter.radius == 3)
        #expect(filter.contrast == 1)
    }
}
