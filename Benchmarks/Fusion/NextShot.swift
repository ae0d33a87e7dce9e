// SPDX-License-Identifier: MIT
// The next still, one frame later: all its frames but the last are already prepared, and their motion is known.

import Fusion
import LivecapFrames

struct NextShot: FallibleBenchmark {
    let name = "fusion.time.nextshot"
    let store: BurstStore

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan()
        let burst = try store.timed()
        var result = BenchmarkResult(name, plan)
        let shots = try Shots(plan, burst)
        let (warm, cold) = (shots.makePicture(), shots.makePicture())
        let (stills, rounds) = (burst.frames.count - plan.frames, options.isThorough ? 16 : 4)
        var times = (warm: [Int64](), cold: [Int64]())
        for _ in 0..<rounds {
            try shots.take(0, isKnown: false, into: cold)
            for still in 1...stills {
                // The previous still used the same frames but one, in the same memory, as in a running stream. The
                // second still has the same frames prepared again, so nothing is known about them.
                times.warm.append(try shots.take(still, isKnown: true, into: warm))
                times.cold.append(try shots.take(still, isKnown: false, into: cold))
                if !warm.hasSameBits(as: cold) { result.faults = ["a warm still is another picture"] }
            }
        }
        func median(_ times: [Int64]) -> Double { Double(times.sorted()[times.count / 2]) * 1e-6 }
        result.msPerStill = median(times.warm)
        result.figures = [("coldMs", median(times.cold))] + shots.warmStages.split
        result.ratios = [("warmOverCold", median(times.warm) / median(times.cold))]
        result.targets["warmOverCold"] = .atMost(0.8)
        return result
    }
}

/// Stills of a running stream, each of the newest frame, in a ring of prepared frames.
private final class Shots {
    private let plan: ShotPlan
    private let burst: Burst
    private let fuser: Fuser
    private let slots: [FusionFrame]
    /// The times of the stages of stills whose frames were known.
    private(set) var warmStages = StageTimes()

    init(_ plan: ShotPlan, _ burst: Burst) throws {
        (self.plan, self.burst) = (plan, burst)
        fuser = try Fuser(burst.format, FusionSettings(plan.method, level: plan.level))
        let fuser = fuser
        slots = (0...plan.frames).map { _ in fuser.makeFrame() }
    }

    func makePicture() -> FusedPicture { fuser.makePicture() }

    /// Takes the still of the frames from `first` on; if `isKnown`, all but the last are already prepared. Returns
    /// the thread's processor time in nanoseconds.
    @discardableResult
    func take(_ first: Int, isKnown: Bool, into picture: FusedPicture) throws -> Int64 {
        let start = BenchmarkClock.thread.now
        let last = first + plan.frames - 1
        for frame in (isKnown ? last : first)...last {
            let bytes = burst.frames[frame]
            try fuser.prepare(bytes.span.bytes, into: slots[frame % slots.count])
        }
        let preparing = BenchmarkClock.thread.now - start
        let frames = (first...last).map { slots[$0 % slots.count] }
        let report = try fuser.fuse(frames, reference: plan.frames - 1, into: picture)
        let taken = BenchmarkClock.thread.now - start
        if isKnown { warmStages.add(preparing, report) }
        return taken.nanoseconds
    }
}

extension FusedPicture {
    func hasSameBits(as other: FusedPicture) -> Bool {
        zip(planes, other.planes).allSatisfy { $0.samples.elementsEqual($1.samples) } && evidence == other.evidence
    }
}
