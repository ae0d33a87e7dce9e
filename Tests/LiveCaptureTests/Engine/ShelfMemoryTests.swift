// SPDX-License-Identifier: MIT
// How much memory of prepared frames the engine keeps: what the largest of the recent shots took, and nothing once
// shots are rare.

import Fusion
import Testing

@testable import LiveCapture

@Suite(.timeLimit(.usual)) struct ShelfMemoryTests {
    /// A desk that has made a photo of eight frames, and the photo's shot.
    private func deskWithAPhoto() throws -> (HandDrivenDesk, PhotoCapture) {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 100)
        driven.work()
        return (driven, shot)
    }

    /// With room for the frames of one shot, or of many.
    @Test(arguments: [1, 24]) func shotsInARowReuseTheMemoryOfTheFirst(room: Int) throws {
        let driven = try HandDrivenDesk(shots: room)
        var (new, discarded) = (0, 0)
        for number in 0..<10 {
            driven.frames(20 * number..<20 * number + 20)
            let shot = driven.tap(at: Double(200 * number + 100))
            while let job = driven.takeJob() {
                if case .read(_, _, _, memory: nil) = job { new += 1 }
                if case .discard(let frames) = job { discarded += frames.count }
                driven.perform(job)
            }
            _ = shot
        }
        #expect(new == 8)
        #expect(discarded == 0)
    }

    @Test func smallShotsInBetweenLeaveTheMemoryThatLargeOnesNeed() throws {
        let driven = try HandDrivenDesk(shots: 24)
        var new = 0
        for number in 0..<10 {
            driven.frames(20 * number..<20 * number + 20)
            let shot = driven.tap(
                at: Double(200 * number + 100), PhotoSettings(quality: number % 2 == 0 ? .balanced : .single))
            while let job = driven.takeJob() {
                if case .read(_, _, _, memory: nil) = job { new += 1 }
                driven.perform(job)
            }
            _ = shot
        }
        #expect(new <= 9)
    }

    @Test func doneShotsLeaveNoMoreFramesThanTheNextMayNeed() throws {
        let driven = try HandDrivenDesk(shots: 24)
        let shots = (0..<20).map { number in
            driven.frames(8 * number..<8 * number + 8)
            return driven.tap(at: Double(80 * number + 40))
        }
        driven.frames(160..<170)
        driven.work()
        #expect(driven.places == "waiting 0, reading 0, ready 0, in work 0")
        #expect(driven.shelved == 8)
        _ = shots
    }

    @Test func framesAreGivenBackFiveSecondsAfterTheLastShot() throws {
        let (driven, shot) = try deskWithAPhoto()
        driven.frames(20..<519)
        driven.work()
        #expect(driven.shelved == 8)
        driven.frames(519..<521)
        driven.work()
        #expect(driven.shelved == 0)
        _ = shot
    }

    @Test func framesAreGivenBackWhenShotsNoLongerOverlap() throws {
        let (driven, shot) = try deskWithAPhoto()
        #expect(driven.shelved == 8)
        driven.desk.changeSwitches { $0.isResponsive = false }
        driven.work()
        #expect(driven.shelved == 0)
        _ = shot
    }

    @Test func shotsThatOverlapAgainHaveRoomForAsManyFramesAsBefore() throws {
        let driven = try HandDrivenDesk(shots: 8)
        driven.frames(0..<40)
        let before = driven.desk.state.withLock { $0.frames.shelf.capacity }
        driven.desk.changeSwitches { $0.isResponsive = false }
        #expect(driven.desk.state.withLock { $0.frames.shelf.capacity } == Fuser.maxFrames)
        driven.desk.changeSwitches { $0.isResponsive = true }
        #expect(driven.desk.state.withLock { $0.frames.shelf.capacity } == before)
    }

    @Test func thereMayBeRoomForASmallShotAndNoneForALargeOne() throws {
        let driven = try HandDrivenDesk(shots: 2)
        driven.frames(0..<40)
        #expect(driven.desk.hasRoom(for: 16))
        let shot = driven.tap(at: 100)
        driven.read()
        #expect(driven.desk.hasRoom(for: 8))
        #expect(!driven.desk.hasRoom(for: 16))
        driven.work()
        #expect(driven.desk.hasRoom(for: 16))
        _ = shot
    }

    @Test func aShotAfterALongRestIsMadeAsBefore() async throws {
        let (driven, first) = try deskWithAPhoto()
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
        let (driven, shot) = try deskWithAPhoto()
        driven.desk.streamInterrupted(by: .switchedOff)
        driven.desk.tick()
        driven.work()
        #expect(driven.shelved == 0)
        // Its history can still be photographed, which leaves none, either.
        let another = driven.tap(at: 100)
        driven.work()
        driven.desk.tick()
        driven.work()
        #expect(driven.shelved == 0)
        _ = (shot, another)
    }
}

extension HandDrivenDesk {
    /// The number of prepared frames.
    fileprivate var shelved: Int { desk.state.withLock { $0.frames.shelf.count } }
}
