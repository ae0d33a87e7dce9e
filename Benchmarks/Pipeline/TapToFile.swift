// SPDX-License-Identifier: MIT
// Single shots on an otherwise idle machine: the time from the tap, or from the frame it waited for, to the file.

import LiveCapture
import LivecapFrames
import LivecapSeededRandom

struct TapToFile: FallibleBenchmark {
    let name = "pipeline.latency"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let pairs = options.isThorough ? 60 : 40
        let pause: ClosedRange<Int64> = options.isThorough ? 200_000...500_000 : 150_000...250_000
        var plan = RunPlan()
        plan.folder = options.folder
        let run = try PipelineRun(plan)
        run.start()
        var random = SeededRandom(seed: 3)
        var quick: Set<ShotID> = []
        // The first shot of each kind allocates what later ones reuse, so it is reported separately.
        for number in 0...pairs {
            for quality in [PhotoQuality.speed, .balanced] {
                let shot = run.tap(PhotoSettings(quality: quality))
                if number > 0, quality == .speed { quick.insert(shot) }
                sleep(until: .now + random.span(pause))
            }
        }
        var finished = run.finish()
        finished.demandPhotos()
        finished.demandTruth()
        var result = BenchmarkResult(name, plan, shots: 2 * pairs)
        describe(finished, quick, &result)
        return result
    }

    private func describe(_ run: FinishedRun, _ quick: Set<ShotID>, _ result: inout BenchmarkResult) {
        var (fromFrame, fromTap): ([Duration], [Duration]) = ([], [])
        for (place, shot) in run.shots.enumerated() {
            guard let filed = shot.filed, let photo = shot.photo, let frame = run.truth.known(photo.tap) else {
                continue
            }
            guard place > 1 else {
                result.figures.append(
                    (place == 0 ? "speedFirstMs" : "balancedFirstMs", (filed - shot.tapped).milliseconds))
                continue
            }
            if quick.contains(shot.id) {
                fromFrame.append(filed - max(frame, shot.tapped))
            } else {
                fromTap.append(filed - shot.tapped)
            }
        }
        let quantiles = [("P50", 0.5), ("P99", 0.99)]
        result.add("speedFrameToFile", fromFrame, quantiles)
        result.add("balancedTapToFile", fromTap, quantiles)
        let speedy = run.shots.filter { quick.contains($0.id) }
        let others = run.shots.dropFirst(2).filter { !quick.contains($0.id) }
        for stage in ["queue", "prepare", "denoise", "encode", "store"] {
            result.add("speed" + stage.capitalised, speedy.compactMap { $0.stage(stage) }, quantiles)
        }
        for stage in ["wait", "queue", "prepare", "align", "merge", "denoise", "encode", "store"] {
            result.add("balanced" + stage.capitalised, others.compactMap { $0.stage(stage) }, [("P50", 0.5)])
        }
        let half = run.truth.interval.milliseconds / 2
        result.targets = [
            "speedFrameToFileP99Ms": .atMost(half), "balancedTapToFileP50Ms": .atMost(60),
            "balancedTapToFileP99Ms": .atMost(100),
        ]
        result.faults = run.faults
    }
}

extension String {
    fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
