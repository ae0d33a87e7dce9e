// SPDX-License-Identifier: MIT
// The time of each kernel in a still, relative to the time its instructions alone would take.

import Fusion
import LivecapFrames
import LivecapKernelCases

/// The time that the usual still spends in each kernel, and the time the kernel would take for the same samples if it
/// never waited for memory. For the latter, each sample is processed once, as fast as in the kernel's own workload,
/// which fits the nearest caches.
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

    /// The minimum number of samples, as counted by the kernel's own workload, that a still of 4:2:2 frames needs;
    /// nil if it depends on the content of the pictures.
    private static func samples(_ kernel: String, _ plan: ShotPlan) -> Double? {
        let pixels = Double(plan.size.area), frames = Double(plan.frames)
        // Brightness, and two planes with half as many samples.
        let planes = 2 * pixels
        switch kernel {
        case "split_packed422", "mean_cells": return frames * pixels
        case "halve_bytes": return frames * pixels / 4
        // 1/16 + 1/64 + ...
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
