// SPDX-License-Identifier: MIT
// One still made over and over: from raw frames to finished planes.

import Frames
import FusionKernels

/// How a still is made. One thread's time is the processor's, so that it means something on a machine that does other
/// things as well.
struct ShotPlan: Sendable {
    var method = FusionMethod.balanced
    var size = FrameSize(width: 1280, height: 720)
    var frames = 8
    /// AVX2, which figures of different machines can be compared by; the processor's best where it lacks that.
    var level = KernelLevel.avx2.isSupported ? KernelLevel.avx2 : .best
    var threads = 1
}

/// A fuser with all it needs for a still, made once.
final class Shot {
    let plan: ShotPlan
    let fuser: Fuser
    let picture: FusedPicture
    private let bytes: [[UInt8]]
    private let reference: Int
    private let prepared: [FusionFrame]
    private var stages = StageTimes()
    /// The median of every stage that took time, in milliseconds.
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

    /// A still with nothing known of its frames before.
    func takeCold() throws {
        let start = Timestamp.now
        // The quick still is made of one frame: nobody prepares others for it.
        let needed = plan.method == .speed ? reference..<reference + 1 : prepared.indices
        try fuser.prepare(needed.map { (bytes[$0], prepared[$0]) })
        let preparing = Timestamp.now - start
        let report = try fuser.fuse(prepared, reference: reference, into: picture)
        stages.add(preparing, report)
    }
}

/// What the stages of several shots took, preparing included.
struct StageTimes {
    private var times: [FusionReport.Stage: [Int64]] = [:]

    mutating func add(_ preparing: TimeSpan, _ report: FusionReport) {
        times[.prepare, default: []].append(preparing.nanoseconds)
        for (stage, time) in report.stages where stage != .prepare {
            times[stage, default: []].append(time.nanoseconds)
        }
    }

    /// The median of every stage that took time, in milliseconds.
    var split: [(key: String, value: Double)] {
        FusionReport.Stage.allCases.compactMap { stage in
            guard let times = times[stage]?.sorted(), !times.isEmpty else { return nil }
            let median = Double(times[times.count / 2]) * 1e-6
            return median > 0 ? ("\(stage.rawValue)Ms", median) : nil
        }
    }
}

/// The threads a benchmark works with.
func benchmarkPool(threads: Int) -> any FusionPool {
    threads == 1 ? CallersThread() : ThreadPool(threads: threads)
}

extension BenchmarkResult {
    /// A result about a still.
    init(_ name: String, _ plan: ShotPlan) {
        self.init(
            name, width: plan.size.width, height: plan.size.height, frames: plan.frames, threads: plan.threads)
        quality = plan.method.rawValue
        level = plan.level.rawValue
    }
}

extension BenchmarkOptions {
    /// How long a comparison may take.
    var budget: TimeSpan { isThorough ? .seconds(8) : .seconds(1) }
}
