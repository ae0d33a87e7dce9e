// SPDX-License-Identifier: MIT
// How far each kernel is, in a still, from what its instructions alone take.

import Frames
import FusionKernels
import KernelCases

/// The time the usual still spends in each kernel, beside the time the kernel would take for the same samples if it never
/// waited for memory: as fast as it is on its own workload, which lies in the nearest caches, each sample done once.
struct KernelBounds: FallibleBenchmark {
    let name = "fusion.bounds.balanced"
    let store: BurstStore

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan()
        var result = BenchmarkResult(name, plan)
        guard let level = LevelTable.supported.first(where: { $0.level == plan.level }) else { return result }
        switch try KernelTimes.measured(plan, store, options) {
        case .failure(let reason): result.notes = [reason.text]
        case .success(let times):
            result.msPerStill = times.perStill
            var (all, least) = (0.0, 0.0)
            for (kernel, milliseconds) in times.byKernel {
                guard let samples = Self.samples(kernel, plan),
                    let workload = KernelCase.all.first(where: { $0.kernel == kernel })
                else { continue }
                let bound =
                    KernelSpeed(kernel: workload).nanosecondsPerSample([level], batches: 2000)[0] * samples * 1e-6
                result.figures += [("\(kernel)Ms", milliseconds), ("\(kernel)LeastMs", bound)]
                result.ratios.append(("\(kernel)OverLeast", milliseconds / bound))
                (all, least) = (all + milliseconds, least + bound)
            }
            result.figures += [("togetherMs", all), ("togetherLeastMs", least)]
            result.ratios.append(("togetherOverLeast", all / least))
            result.notes = [
                "least: the kernel's time a sample on data in the nearest caches, times the samples that a still has to",
                "do once; what is done twice where strips overlap is over it. Kernels whose work depends on what is",
                "seen have none",
            ]
        }
        return result
    }

    /// How many samples, as the kernel's own workload counts them, a still of frames in 4:2:2 cannot do without; nil where
    /// that depends on what is in the pictures.
    private static func samples(_ kernel: String, _ plan: ShotPlan) -> Double? {
        let pixels = Double(plan.size.area), frames = Double(plan.frames)
        // Brightness, and two planes of half as many samples.
        let planes = 2 * pixels
        switch kernel {
        case "split_packed422", "mean_cells": return frames * pixels
        case "halve_bytes": return frames * pixels / 4
        // A sixteenth, a sixty-fourth, and on.
        case "halve_words": return frames * pixels / 12
        case "tile_slopes": return frames * pixels / 3
        case "warp_differences", "sum_squares": return (frames - 1) * planes
        case "merge_rows", "denoise_gains", "denoise_levels", "denoise_blocks": return planes
        // Every other row of tiles.
        case "denoise_activity": return planes / 2
        case "lift_colors": return pixels
        default: return nil
        }
    }
}
