// SPDX-License-Identifier: MIT
// The stages from frames to a still: align, merge, denoise, finish. Start reading here.

import LivecapCFusionKernels
import LivecapFrames

/// A whole fusion with merging, stage by stage. It owns the memory that all stages use, and runs one fusion at a
/// time.
///
/// Units used throughout: a code is one step of an 8-bit sample, and variances are in squared codes. Qn means n
/// fraction bits, that is, codes times 2^n: pyramid levels are Q4, differences in the merge Q5, merged planes Q6, and
/// the still has codes times 256. Motion is in pixels (`AffineMotion`), in eighths of a sample (`MotionField`), or in
/// sixteenths of a sample of a pyramid level where tiles are compared.
final class MergePipeline {
    private let method: FusionMethod
    private let pool: any FusionPool
    private let level: KernelLevel
    private let motion: MotionStage
    private let noise: NoiseStage
    private let merge: MergeStage
    private let finisher: Finisher
    private let black: BlackTiles

    init(
        _ format: FrameFormat, chroma: ChromaGrid, method: FusionMethod, level: KernelLevel,
        kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool, links: FrameLinks,
        bounds: NoiseBounds
    ) {
        self.method = method
        self.pool = pool
        self.level = level
        let sample = FusionFrame(format, chroma)
        motion = MotionStage(sample, chroma: chroma, kernels: kernels, pool: pool, known: links)
        noise = NoiseStage(sample, kernels, pool, bounds: bounds)
        merge = MergeStage(sample, chroma: chroma, method: method, kernels: kernels, pool: pool)
        finisher = Finisher(format, chroma, kernels)
        black = BlackTiles(format)
    }

    /// Fuses the frames around `reference` into `picture`.
    func fuse(_ frames: [FusionFrame], reference: Int, into picture: FusedPicture) -> FusionReport {
        let burst = Burst(frames, reference: reference)
        var clock = StageClock()

        // The motion of the whole picture, and how the light changed.
        let merge = merge
        motion.followWhole(burst, besides: { merge.lookForClipping(burst.reference) })
        motion.matchColors(burst)
        motion.reject(burst)
        clock.finish(.align)
        // What is noise, and therefore what is not.
        noise.estimate(burst, motion)
        clock.finish(.noise)
        // The motion of the parts that moved differently.
        motion.followParts(burst, noise.models)
        clock.finish(.align)
        // Merge everything that agrees with the reference.
        merge.merge(burst, motion, noise)
        clock.finish(.merge)
        // Reduce the remaining noise where no detail is lost.
        let (finisher, black, models) = (finisher, black, noise.models)
        merge.describeNoise(
            burst, motion, noise,
            besides: {
                finisher.learn(models[0], burst.reference)
                black.measure(burst.reference)
            })
        merge.denoise(into: picture)
        clock.finish(.denoise)
        // Correct the brightness that noise added or removed.
        nonisolated(unsafe) let picture = picture
        let used = burst.others.indices.count { rejection(of: $0) == nil }
        pool.run(finisher.bands(picture) + 1) { part in
            guard part > 0 else { return merge.describeEvidence(in: picture, others: used) }
            finisher.finish(picture, band: part - 1)
            black.restore(picture, burst.reference, rows: finisher.rows(of: part - 1, picture))
        }
        clock.finish(.finish)
        return report(burst, picture, clock)
    }

    private func report(_ burst: Burst, _ picture: FusedPicture, _ clock: StageClock) -> FusionReport {
        var shares = [FusionReport.Share](repeating: .init(weight: 1), count: burst.others.count + 1)
        for (other, place) in burst.places.enumerated() {
            let rejection = rejection(of: other)
            shares[place] = .init(weight: rejection == nil ? merge.share(of: other) : 0, rejection: rejection)
        }
        let brightness = Float(burst.reference.brightness)
        return FusionReport(
            shares: shares, noise: Double(noise.models[0].variance(at: brightness).squareRoot()),
            noiseBounds: noise.models[0].decidedBy.list,
            evidence: Double(picture.evidence.reduce(0, +)) / Double(picture.evidence.count),
            refused: picture.refused, hotPixels: merge.hotPixels, stages: clock.stages, level: level)
    }

    /// Why another frame of the burst is left out; nil if it is used.
    private func rejection(of other: Int) -> FusionReport.Rejection? {
        motion.rejections[other] ?? (merge.share(of: other) < 0.01 ? .unaligned : nil)
    }
}

/// Measures how long each stage takes.
struct StageClock {
    private(set) var stages: [FusionReport.StageTime] = []
    private var begun = Timestamp.now

    /// Attributes the time since the previous call to `stage`, which may have some already.
    mutating func finish(_ stage: FusionReport.Stage) {
        let now = Timestamp.now
        if let place = stages.firstIndex(where: { $0.stage == stage }) {
            stages[place].time = stages[place].time + (now - begun)
        } else {
            stages.append(.init(stage, now - begun))
        }
        begun = now
    }
}
