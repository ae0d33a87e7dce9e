// SPDX-License-Identifier: MIT
// Compares the estimated time until a tap is served with the actual one.

import Camera
import LiveCapture
import LivecapFrames

/// Measures it for shots that do not overlap, and for overlapping shots with a full queue.
struct ReadinessError: FallibleBenchmark {
    let name = "pipeline.readiness"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let (alone, full) = options.isThorough ? (60, 80) : (15, 12)
        var result = BenchmarkResult(name, threads: RunPlan().options.threads)
        let one = try PipelineRun(RunPlan())
        one.session.photoOutput.isResponsiveCaptureEnabled = false
        try follow(one, alone, PhotoSettings(quality: .balanced, frames: 8, laterFrames: 4), "off", &result)
        let two = try PipelineRun(try smallestPlan())
        try follow(two, full, PhotoSettings(quality: .quality), "full", &result)
        return result
    }

    /// Taps whenever the session is ready, until `count` waits have been observed.
    private func follow(
        _ run: PipelineRun, _ count: Int, _ settings: PhotoSettings, _ prefix: String, _ result: inout BenchmarkResult
    ) throws {
        let log = ReadinessLog(run.output.readiness)
        run.start()
        log.open()
        // The session estimates times from the first few shots.
        for _ in 0..<2 { run.tap(settings) }
        _ = run.shots.finish()
        for _ in 0..<count {
            // The limit is for a queue that never fills, which would be a different fault.
            for _ in 0..<100 where run.output.readiness.current.state == .ready { run.tap(settings) }
            log.forecastUntilReady()
        }
        var finished = run.finish()
        log.close()
        finished.demandPhotos(orWord: true)
        let (known, unknown) = log.errors
        guard !known.isEmpty else {
            result.faults += finished.faults + ["nothing was foretold where it had to be waited (\(prefix))"]
            return
        }
        let errors = known.map(\.error)
        // For waits that end at once, any relative error is large.
        let parts = known.filter { $0.wait > .milliseconds(10) }.map { $0.error.seconds / $0.wait.seconds }.sorted()
        let waits = known.map(\.wait)
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        result.figures += [
            (prefix + "Forecasts", Double(known.count)), (prefix + "ForecastsUnknown", Double(unknown)),
            (prefix + "WaitMeanMs", mean(waits.map(\.milliseconds))),
            (prefix + "ErrorMeanMs", mean(errors.map(\.milliseconds))),
        ]
        result.add(prefix + "Error", errors, [("P90", 0.9)])
        let share = mean(errors.map(\.seconds)) / max(mean(waits.map(\.seconds)), 1e-9)
        result.ratios.append((prefix + "ErrorMeanOverWaitMean", share))
        result.targets[prefix + "ErrorMeanOverWaitMean"] = .atMost(1.0 / 3)
        if !parts.isEmpty {
            result.ratios += [
                (prefix + "ErrorOverWaitMean", mean(parts)), (prefix + "ErrorOverWaitP90", parts[parts.count * 9 / 10]),
            ]
        }
        result.faults += finished.faults
    }

    /// As little memory as possible, so that a few shots fill the queue.
    private func smallestPlan() throws(CameraError) -> RunPlan {
        var plan = RunPlan()
        plan.size = FrameSize(width: 640, height: 480)
        let room = 32 << 20...1 << 30
        for memory in stride(from: room.lowerBound, to: room.upperBound, by: 4 << 20) {
            plan.options.memory = memory
            if fits(plan) { return plan }
        }
        throw .noMemory(bytes: room.upperBound)
    }

    /// Whether there is room for a second shot, without which shots cannot overlap.
    private func fits(_ plan: RunPlan) -> Bool {
        guard let camera = try? SyntheticCamera(SyntheticSettings(.handheld), size: plan.size, rate: plan.rate),
            let session = try? CaptureSession(camera, plan.options)
        else { return false }
        defer { session.end() }
        return session.photoOutput.isResponsiveCaptureSupported
    }
}
