// SPDX-License-Identifier: MIT
// The same frames give the same still, bit for bit, whoever computes it and whatever was computed before.

import Fusion
import LivecapFrames
import Testing

@Suite struct DeterminismTests {
    private static let shared = SmallBurst(width: 67, height: 50, count: 5)
    /// Two bands of `quality`, the slowest method, which takes long in unoptimised builds.
    private static let small = SmallBurst(width: 37, height: 34, count: 5)

    private func burst(_ method: FusionMethod) -> SmallBurst { method == .quality ? Self.small : Self.shared }

    private func bits(
        _ method: FusionMethod, level: KernelLevel? = nil, pool: any FusionPool = CallersThread()
    ) throws -> [[UInt16]] {
        let burst = burst(method)
        return try burst.still(Fuser(burst.format, FusionSettings(method, level: level), pool: pool)).picture.bits
    }

    @Test(arguments: FusionMethod.allCases)
    func everyLevelGivesTheSameBits(_ method: FusionMethod) throws {
        let portable = try bits(method, level: .portable)
        for level in KernelLevel.allCases where level.isSupported {
            #expect(try bits(method, level: level) == portable, "\(level)")
        }
    }

    @Test(arguments: FusionMethod.allCases)
    func anyNumberOfThreadsGivesTheSameBits(_ method: FusionMethod) throws {
        let alone = try bits(method)
        for threads in [2, 4] {
            #expect(try bits(method, pool: ThreadPool(threads: threads)) == alone, "\(threads) threads")
        }
        #expect(try bits(method, pool: BackwardsPool(threads: 3)) == alone, "three threads, backwards")
    }

    /// A single thread works on 512 rows at a time, several threads on fewer.
    @Test(arguments: [FusionMethod.speed, .merge, .balanced])
    func rowsThatAreSharedOutGiveTheSameBits(_ method: FusionMethod) throws {
        let tall = SmallBurst(width: 40, height: 530)
        func bits(_ pool: any FusionPool) throws -> [[UInt16]] {
            try tall.still(Fuser(tall.format, FusionSettings(method), pool: pool)).picture.bits
        }
        #expect(try bits(ThreadPool(threads: 2)) == bits(CallersThread()))
    }

    @Test func framesPreparedSideBySideGiveTheSameBits() throws {
        let burst = Self.shared, fuser = try Fuser(burst.format, pool: ThreadPool(threads: 2))
        let frames = burst.frames.map { _ in fuser.makeFrame() }, picture = fuser.makePicture()
        try fuser.prepare(Array(zip(burst.frames, frames)))
        _ = try fuser.fuse(frames, reference: burst.reference, into: picture)
        #expect(try picture.bits == bits(.balanced))
    }

    /// The next shot of a stream shares all frames but one, and their motion.
    @Test(arguments: FusionMethod.allCases)
    func aWarmShotGivesTheBitsOfAColdOne(_ method: FusionMethod) throws {
        let burst = burst(method)
        let fuser = try Fuser(burst.format, FusionSettings(method))
        var (frames, picture) = (try burst.prepared(by: fuser), fuser.makePicture())
        _ = try fuser.fuse(Array(frames[0..<4]), reference: 3, into: picture)
        _ = try fuser.fuse(Array(frames[1..<5]), reference: 3, into: picture)
        // Then the first frame is replaced by another one.
        let bytes = burst.frames[2]
        try fuser.prepare(bytes.span.bytes, into: frames[0])
        frames = Array(frames[2..<5]) + [frames[0]]
        _ = try fuser.fuse(frames, reference: 3, into: picture)

        let fresh = try Fuser(burst.format, FusionSettings(method))
        var cold = burst
        cold.frames = [burst.frames[2], burst.frames[3], burst.frames[4], burst.frames[2]]
        cold.reference = 3
        let expected = try cold.still(fresh).picture
        #expect(picture.bits == expected.bits)
    }

    /// Workers that take turns at the shots of a stream share what they have found between frames.
    @Test(arguments: [FusionMethod.merge, .balanced])
    func fusersThatShareLinksGiveTheBitsOfOnesThatDoNot(_ method: FusionMethod) throws {
        let burst = burst(method), links = FrameLinks()
        let fusers = try (0..<2).map { _ in try Fuser(burst.format, FusionSettings(method), links: links) }
        let frames = try burst.prepared(by: fusers[0])
        let picture = fusers[0].makePicture()
        for first in 0..<3 {
            _ = try fusers[first % 2].fuse(Array(frames[first..<first + 3]), reference: 1, into: picture)
        }

        let alone = try Fuser(burst.format, FusionSettings(method)), expected = alone.makePicture()
        _ = try alone.fuse(Array(frames[2..<5]), reference: 1, into: expected)
        #expect(picture.bits == expected.bits)
    }

    /// A stream of shots whose first two frames stay the same: their link becomes the oldest while it is still
    /// needed.
    @Test func linksMayBeForgottenWhileTheyAreNeeded() throws {
        let burst = Self.small, newest = burst.frames[2]
        let fuser = try Fuser(burst.format, FusionSettings(.merge)), picture = fuser.makePicture()
        let frames = Array(try burst.prepared(by: fuser).prefix(3))
        for _ in 0..<70 {
            try fuser.prepare(newest.span.bytes, into: frames[2])
            _ = try fuser.fuse(frames, reference: 1, into: picture)
        }
        let fresh = try Fuser(burst.format, FusionSettings(.merge)), expected = fresh.makePicture()
        _ = try fresh.fuse(frames, reference: 1, into: expected)
        #expect(picture.bits == expected.bits)
    }

    @Test(arguments: FusionMethod.allCases)
    func framesPreparedByAnotherFuserGiveTheSameBits(_ method: FusionMethod) throws {
        let burst = burst(method)
        let frames = try burst.prepared(by: Fuser(burst.format, FusionSettings(method)))
        let fuser = try Fuser(burst.format, FusionSettings(method))
        let picture = fuser.makePicture()
        _ = try fuser.fuse(frames, reference: burst.reference, into: picture)
        #expect(picture.bits == (try bits(method)))
    }
}

/// Calls the bodies one after the other, the last first, as a pool may.
private struct BackwardsPool: FusionPool {
    let threads: Int
    func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        for index in (0..<count).reversed() { body(index) }
    }
}
