// SPDX-License-Identifier: MIT
// How many more shots per second overlapping allows, compared with waiting for each shot, in one run.

import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrames

/// Shots that wait for four frames after the tap, the case that overlapping is for.
struct ResponsiveGain: FallibleBenchmark {
    let name = "pipeline.overlap"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let (alone, together) = options.isThorough ? (60, 300) : (15, 150)
        var plan = RunPlan()
        plan.folder = options.folder
        let run = try PipelineRun(plan)
        let log = ReadinessLog(run.output.readiness)
        run.start()
        log.open()
        let settings = PhotoSettings(quality: .balanced, frames: 8, laterFrames: 4)
        run.output.isResponsiveCaptureEnabled = false
        for _ in 0..<alone {
            run.tap(settings)
            log.waitUntilReady()
        }
        run.output.isResponsiveCaptureEnabled = true
        run.tapEveryFrame(together, settings)
        var finished = run.finish()
        log.close()
        finished.demandPhotos()
        finished.demandTruth()
        finished.demandDistinctReferences()
        let off = photosPerSecond(Array(finished.shots.prefix(alone)))
        let on = photosPerSecond(Array(finished.shots.dropFirst(alone)))
        var result = BenchmarkResult(name, plan, shots: alone + together)
        result.quality = "balanced"
        result.figures += [("offPerSecond", off), ("onPerSecond", on)]
        result.ratios = [("onOverOff", on / off)]
        result.targets = ["onPerSecond": .atLeast(29), "onOverOff": .atLeast(3.5)]
        result.faults = finished.faults
        return result
    }
}

/// Shots with much processing: overlapping keeps all processors busy, and can do no more than that.
struct ProcessingBound: FallibleBenchmark {
    let name = "pipeline.overlap.quality"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let count = options.isThorough ? 18 : 6
        var plan = RunPlan()
        plan.size = FrameSize(width: 640, height: 480)
        let run = try PipelineRun(plan)
        let log = ReadinessLog(run.output.readiness)
        run.start()
        log.open()
        let settings = PhotoSettings(quality: .quality)
        // Each worker allocates its working memory.
        for _ in 0..<plan.options.threads { run.tap(settings) }
        _ = run.shots.finish()
        run.output.isResponsiveCaptureEnabled = false
        let off = Busy(threads: plan.options.threads) {
            for _ in 0..<count {
                run.tap(settings)
                log.waitUntilReady()
            }
        }
        run.output.isResponsiveCaptureEnabled = true
        let on = Busy(threads: plan.options.threads) {
            for _ in 0..<count { run.tap(settings) }
            _ = run.shots.finish()
        }
        var finished = run.finish()
        log.close()
        finished.demandPhotos()
        finished.demandTruth()
        var result = BenchmarkResult(name, plan, shots: 2 * count)
        result.quality = "quality"
        result.figures += [
            ("offPerSecond", Double(count) / off.wall.seconds), ("onPerSecond", Double(count) / on.wall.seconds),
            ("offIdleShare", off.idleShare), ("onIdleShare", on.idleShare),
        ]
        result.ratios = [("onOverOff", off.wall.seconds / on.wall.seconds)]
        result.notes = ["idle: processor time that this program did not use"]
        result.faults = finished.faults
        return result
    }
}

/// The share of the processors' time that the program left unused while it did something.
private struct Busy {
    let wall: Duration
    let idleShare: Double

    init(threads: Int, _ body: () -> Void) {
        let (start, before) = (Timestamp.now, Self.processorSeconds())
        body()
        wall = .now - start
        idleShare = max(0, 1 - (Self.processorSeconds() - before) / (wall.seconds * Double(threads)))
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
