// SPDX-License-Identifier: MIT
// Prepared frames are kept for the next shot, within bounds, and never taken from the shot in work.

import Frames
import FusionKernels
import Testing

@testable import livecap

@Suite struct PreparedFramesTests {
    private let fuser: Fuser

    init() throws { fuser = try Fuser(FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 16))) }

    private func id(_ counter: UInt64) -> FrameID { FrameID(epoch: 0, counter: counter) }

    @Test func aShotOneFrameLaterNeedsOneFrameMore() {
        var prepared = PreparedFrames(limit: 4)
        var first: [FusionFrame] = []
        for counter in 0..<4 as Range<UInt64> {
            let frame = prepared.memory(needed: id(0), of: fuser)
            prepared.keep(frame, as: id(counter))
            first.append(frame)
        }
        #expect((0..<4).allSatisfy { prepared[id($0)] === first[Int($0)] })
        // The oldest frame's memory is used again; the others are still there.
        #expect(prepared.memory(needed: id(1), of: fuser) === first[0])
        #expect(prepared[id(0)] == nil && (1..<4).allSatisfy { prepared[id($0)] != nil })
    }

    @Test func framesOfTheShotInWorkKeepTheirMemory() {
        var prepared = PreparedFrames(limit: 2)
        var given: [FusionFrame] = []
        for counter in 5..<9 as Range<UInt64> {
            let frame = prepared.memory(needed: id(5), of: fuser)
            #expect(!given.contains { $0 === frame })
            prepared.keep(frame, as: id(counter))
            given.append(frame)
        }
        // What was too much goes with the next shot.
        _ = prepared.memory(needed: id(8), of: fuser)
        #expect(prepared[id(6)] == nil && prepared[id(8)] != nil)
    }

    @Test func memoryNothingWasPreparedIntoIsUsedAgain() {
        var prepared = PreparedFrames(limit: 2)
        let frame = prepared.memory(needed: id(0), of: fuser)
        prepared.giveBack(frame)
        #expect(prepared.memory(needed: id(0), of: fuser) === frame)
    }
}
