// SPDX-License-Identifier: MIT
// How long the engine leases the camera's memory: until a frame is read, not until a photo is made.

import FrameRing
import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct LeaseTests {
    @Test(arguments: [PhotoQuality.single, .speed, .mean]) func aShotThatWaitsForAWorkerHoldsNoFrame(
        quality: PhotoQuality
    ) throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shots = [100.0, 110, 150].map { driven.tap(at: $0, PhotoSettings(quality: quality)) }
        driven.read()
        #expect(driven.places == "waiting 0, reading 0, ready 3, in work 0")
        #expect(driven.hand.isFree(from: 1000))
        _ = shots
    }

    @Test func aShotOfFramesThatAreKnownHoldsNone() throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let first = driven.tap(at: 100)
        driven.read()
        let second = driven.tap(at: 100)
        #expect(driven.places == "waiting 0, reading 0, ready 2, in work 0")
        #expect(driven.hand.isFree(from: 1000))
        _ = (first, second)
    }

    @Test func framesThatAreHeldOutliveTheHistory() async throws {
        let driven = try HandDrivenDesk(history: 24)
        driven.frames(0..<20)
        let shot = driven.tap(at: 100)
        driven.frames(20..<60)
        driven.work()
        let photo = try await shot.photo()
        #expect(photo.used.map(\.frame.id.counter) == [3, 4, 5, 6, 7, 8, 9, 10])
        #expect(driven.isAtRest())
    }

    /// A leased frame stays while younger ones leave. It is no sign that they never were.
    @Test func anEvictedFrameIsTooOldEvenIfAnOlderOneIsLeased() async throws {
        let driven = try HandDrivenDesk(history: 40)
        driven.frames(0..<8)
        guard let lease = driven.hand.ring.lease(id: FrameID(epoch: 0, counter: 5)) else {
            Issue.record("frame 5 is not there")
            return
        }
        driven.frames(8..<80)
        func tap(_ counter: UInt64) -> PhotoCapture {
            driven.desk.submit(
                PhotoSettings(quality: .mean), at: .frame(FrameID(epoch: 0, counter: counter)), into: nil, number: nil,
                nil)
        }
        guard case .tooOld? = await tap(10).failure() else {
            Issue.record("frame 10 is not said to be too old")
            return
        }
        #expect(await tap(80).failure() == .noSuchFrame(FrameID(epoch: 0, counter: 80)))
        _ = consume lease
    }

    /// Nobody will ask for these frames again, so their memory is used for others.
    @Test func framesThatHaveLeftTheHistoryLeaveTheShelf() throws {
        let driven = try HandDrivenDesk(history: 20)
        driven.frames(0..<20)
        let first = driven.tap(at: 150)
        driven.work()
        #expect(driven.desk.state.withLock { $0.frames.shelf.count } == 8)
        driven.frames(20..<40)
        let second = driven.tap(at: 390)
        #expect(driven.desk.state.withLock { $0.frames.shelf.count } == 8)
        driven.work()
        _ = (first, second)
    }

    /// A full shelf drops frames that no shot needs, but must not drop some frames of a shot while it adds others of
    /// it.
    @Test func framesOfTheSameShotAreNotDroppedForEachOther() async throws {
        let driven = try HandDrivenDesk(shots: 1)
        driven.frames(0..<40)
        let sixteen = PhotoSettings(quality: .mean, frames: 16)
        let first = driven.tap(at: 200, sixteen)
        driven.work()
        _ = try await first.photo()
        let second = driven.tap(at: 210, sixteen)
        #expect(driven.desk.state.withLock { $0.frames.unread.count } == 1)
        driven.work()
        #expect(try await second.photo().used.count == 16)
        #expect(driven.isAtRest())
    }
}
