// SPDX-License-Identifier: MIT
// Takes the same still repeatedly: from raw frames to finished planes.

import Fusion
import LivecapFrames

/// How a still is made. With one thread, time is processor time, so that it is meaningful on a machine that does
/// other work, too.
struct ShotPlan: Sendable {
    var method = FusionMethod.balanced
    var size = FrameSize(width: 1280, height: 720)
    var frames = 8
    /// AVX2, so that figures of different machines are comparable; the best level if the processor lacks it.
    var level = KernelLevel.avx2.isSupported ? KernelLevel.avx2 : .best
    var threads = 1
}

/// A fuser with everything it needs for a still, created once.
final class Shot {
    let plan: ShotPlan
    let fuser: Fuser
    let picture: FusedPicture
    private let bytes: [[UInt8]]
    private let reference: Int
    private let prepared: [FusionFrame]
    private var stages = StageTimes()
    /// The median time of each stage that took any, in milliseconds.
    var stageSplit: [(key: String, value: Double)] { stages.split }

    init(_ plan: ShotPlan, _ store: BurstStore, pool: (any FusionPool)? = nil) throws {
        let format: FrameFormat
        (bytes, format) = try store.timed().frames(plan.frames, of: plan.size)
        self.plan = plan
        reference = plan.frames / 2
        fuser = try Fuser(
            format, FusionSettings(plan.method, level: plan.level), pool: pool ?? benchmarkPool(threads: plan.threads))
        picture = fuser.makePicture()
        let fuser = fuser
        prepared = bytes.map { _ in fuser.makeFrame() }
    }

    /// Takes a still with nothing known about its frames.
    func takeCold() throws {
        let start = Timestamp.now
        // The quick still uses one frame only, so the others are not prepared.
        let needed = plan.method == .speed ? reference..<reference + 1 : prepared.indices
        try fuser.prepare(needed.map { (bytes[$0], prepared[$0]) })
        let preparing = Timestamp.now - start
        let report = try fuser.fuse(prepared, reference: reference, into: picture)
        stages.add(preparing, report)
    }
}

/// The times of the stages of several shots, preparing included.
struct StageTimes {
    private var times: [FusionReport.Stage: [Int64]] = [:]

    mutating func add(_ preparing: Duration, _ report: FusionReport) {
        times[.prepare, default: []].append(preparing.nanoseconds)
        for done in report.stages where done.stage != .prepare {
            times[done.stage, default: []].append(done.time.nanoseconds)
        }
    }

    /// The median time of each stage that took any, in milliseconds.
    var split: [(key: String, value: Double)] {
        FusionReport.Stage.allCases.compactMap { stage in
            guard let times = times[stage]?.sorted(), !times.isEmpty else { return nil }
            let median = Double(times[times.count / 2]) * 1e-6
            return median > 0 ? ("\(stage.rawValue)Ms", median) : nil
        }
    }
}

/// The threads that a benchmark uses.
func benchmarkPool(threads: Int) -> any FusionPool {
    threads == 1 ? CallersThread() : ThreadPool(threads: threads)
}

extension BenchmarkResult {
    /// Creates a result for stills made by a plan.
    init(_ name: String, _ plan: ShotPlan) {
        self.init(
            name, width: plan.size.width, height: plan.size.height, frames: plan.frames, threads: plan.threads)
        quality = plan.method.rawValue
        level = plan.level.rawValue
    }
}

extension BenchmarkOptions {
    /// The time that a comparison may take.
    var budget: Duration { isThorough ? .seconds(8) : .seconds(1) }
}
