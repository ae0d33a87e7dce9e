// SPDX-License-Identifier: MIT
// The depth of several frames as one.

import Camera
import Fusion
import LivecapFrames
import Testing

@Suite struct DepthBurstTests {
    private func fused(_ frames: [[UInt16]], _ size: FrameSize) throws -> [UInt16] {
        let burst = try DepthBurst(capacity: frames.count, size: size)
        for frame in frames {
            try frame.withUnsafeBytes { try burst.add($0.baseAddress!, bytesPerLine: 2 * size.width) }
        }
        var out = [UInt16](repeating: 77, count: size.area)
        out.withUnsafeMutableBufferPointer { burst.fuse(into: $0.baseAddress!, stride: size.width) }
        return out
    }

    @Test(
        "Eight frames of what stands still have less than half of the error of one", arguments: [1, 2, 3] as [UInt64])
    func eight(_ seed: UInt64) throws {
        let room = DepthRoom(seed: seed), truth = room.scene.truth(at: 0)
        let frames = room.frames(8, interval: 0), out = try fused(frames, room.size)
        let edges = DepthRoom.edges(of: truth, room.size)
        let errors = [frames[0], out].map { depth in DepthRoom.error(depth, truth) { !edges[$0] } }
        #expect(errors[1] < 0.45 * errors[0], "\(errors)")
        let atEdges = [frames[0], out].map { depth in DepthRoom.error(depth, truth) { edges[$0] } }
        #expect(atEdges[1] < 0.9 * atEdges[0], "\(atEdges)")
    }

    @Test("A pixel has depth if half of the frames have, and outliers do not count")
    func rules() throws {
        let size = FrameSize(width: 4, height: 1)
        let frames: [[UInt16]] = [
            [1000, 0, 500, 0], [1002, 0, 500, 0], [1004, 700, 9000, 0], [3000, 702, 502, 65535],
        ]
        #expect(try fused(frames, size) == [1002, 701, 501, 0])
        #expect(try fused([frames[0], frames[1], frames[2]], size) == [1002, 0, 500, 0])
        #expect(try fused([frames[0]], size) == [1000, 0, 500, 0])
    }

    @Test func moreFramesThanThereIsRoomForAreRefused() throws {
        let size = FrameSize(width: 2, height: 2), frame = [UInt16](repeating: 5, count: 4)
        let burst = try DepthBurst(capacity: 1, size: size)
        func add() throws {
            try frame.withUnsafeBytes { try burst.add($0.baseAddress!, bytesPerLine: 4) }
        }
        try add()
        #expect(throws: FusionError.frameCount(2, most: 1)) { try add() }
        burst.removeAll()
        try add()
        #expect(throws: FusionError.frameCount(33, most: 32)) { try DepthBurst(capacity: 33, size: size) }
    }
}
