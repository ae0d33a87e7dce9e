// SPDX-License-Identifier: MIT
// Frames to a still: align, merge, denoise, finish. Read this first.

import CFusionKernels
import Frames

/// The whole of a merging fusion, in order. It owns the memory all stages work in; one fusion at a time.
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
        _ format: FrameFormat, _ chroma: ChromaGrid, _ method: FusionMethod, _ level: KernelLevel,
        _ kernels: UnsafePointer<fusion_kernels>, _ pool: any FusionPool, _ links: FrameLinks
    ) {
        (self.method, self.pool, self.level) = (method, pool, level)
        let sample = FusionFrame(format, chroma)
        motion = MotionStage(sample, chroma, kernels, pool, links)
        noise = NoiseStage(sample, kernels, pool)
        merge = MergeStage(sample, chroma, method, kernels, pool)
        finisher = Finisher(format, chroma, kernels)
        black = BlackTiles(format)
    }

    /// Fuses the frames around `reference` into `picture`.
    func fuse(_ frames: [FusionFrame], reference: Int, into picture: FusedPicture) -> FusionReport {
        let burst = Burst(frames, reference: reference)
        var clock = StageClock()

        // Where the whole picture went, and what light did meanwhile.
        let merge = merge
        motion.followWhole(burst, besides: { merge.lookForClipping(burst.reference) })
        motion.matchColors(burst)
        motion.reject(burst)
        clock.finish(.align)
        // What is noise, and so what is not.
        noise.estimate(burst, motion)
        clock.finish(.noise)
        // What went another way.
        motion.followParts(burst, noise.models)
        clock.finish(.align)
        // Everything that agrees with the reference, taken together.
        merge.merge(burst, motion, noise)
        clock.finish(.merge)
        // Less of what is left, where there is nothing to lose.
        let (finisher, black, models) = (finisher, black, noise.models)
        merge.describeNoise(
            burst, motion, noise,
            besides: {
                finisher.learn(models[0], burst.reference)
                black.measure(burst.reference)
            })
        merge.denoise(into: picture)
        clock.finish(.denoise)
        // And the light that noise took or gave.
        nonisolated(unsafe) let picture = picture
        pool.run(finisher.bands(picture) + 1) { part in
            guard part > 0 else { return merge.describeEvidence(in: picture) }
            finisher.finish(picture, band: part - 1)
            black.restore(picture, burst.reference, rows: finisher.rows(of: part - 1, picture))
        }
        clock.finish(.finish)
        return report(burst, picture, clock)
    }

    private func report(_ burst: Burst, _ picture: FusedPicture, _ clock: StageClock) -> FusionReport {
        var shares = [FusionReport.Share](repeating: .init(weight: 1), count: burst.others.count + 1)
        for (other, place) in burst.places.enumerated() {
            let weight = merge.share(of: other)
            let rejection = motion.rejections[other] ?? (weight < 0.01 ? .unaligned : nil)
            shares[place] = .init(weight: rejection == nil ? weight : 0, rejection: rejection)
        }
        let brightness = Float(burst.reference.brightness)
        return FusionReport(
            shares: shares, noise: Double(noise.models[0].variance(at: brightness).squareRoot()),
            evidence: Double(picture.evidence.reduce(0, +)) / Double(picture.evidence.count), stages: clock.stages,
            level: level)
    }
}

/// Tells the stages' times.
struct StageClock {
    private(set) var stages: [(stage: FusionReport.Stage, time: TimeSpan)] = []
    private var begun = Timestamp.now

    /// What happened since the last stage was this one, or more of it.
    mutating func finish(_ stage: FusionReport.Stage) {
        let now = Timestamp.now
        if let place = stages.firstIndex(where: { $0.stage == stage }) {
            stages[place].time = stages[place].time + (now - begun)
        } else {
            stages.append((stage, now - begun))
        }
        begun = now
    }
}
