// SPDX-License-Identifier: MIT
// How much memory of prepared frames the engine keeps: what the next shot may need, and nothing once shots are rare.

import Fusion
import Testing

@testable import LiveCapture

@Suite(.timeLimit(.usual)) struct ShelfMemoryTests {
    @Test func doneShotsLeaveNoMoreFramesThanTheNextMayNeed() throws {
        let driven = try HandDrivenDesk(shots: 24)
        let shots = (0..<20).map { number in
            driven.frames(8 * number..<8 * number + 8)
            return driven.tap(at: Double(80 * number + 40))
        }
        driven.frames(160..<170)
        driven.work()
        #expect(driven.places == "waiting 0, reading 0, ready 0, in work 0")
        #expect(driven.shelved == Fuser.maxFrames)
        _ = shots
    }

    @Test func framesAreGivenBackFiveSecondsAfterTheLastShot() throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 100)
        driven.work()
        driven.frames(20..<519)
        driven.work()
        #expect(driven.shelved == 8)
        driven.frames(519..<521)
        driven.work()
        #expect(driven.shelved == 0)
        _ = shot
    }

    @Test func aShotAfterALongRestIsMadeAsBefore() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let first = driven.tap(at: 100)
        driven.work()
        driven.frames(20..<620)
        driven.work()
        let second = driven.tap(at: 6100)
        driven.work()
        #expect(try await first.photo().used.count == 8)
        #expect(try await second.photo().used.count == 8)
        #expect(driven.shelved == 8)
    }

    @Test func framesOfAShotThatWaitsForItsWorkerStay() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 100)
        driven.read()
        driven.frames(20..<700)
        driven.work()
        #expect(try await shot.photo().used.count == 8)
    }

    @Test func aCameraThatIsSwitchedOffLeavesNoFrames() throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 100)
        driven.work()
        driven.desk.streamInterrupted(by: .switchedOff)
        driven.work()
        #expect(driven.shelved == 0)
        _ = shot
    }
}

extension HandDrivenDesk {
    /// The number of prepared frames.
    fileprivate var shelved: Int { desk.state.withLock { $0.frames.shelf.count } }
}
