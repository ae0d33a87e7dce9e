// SPDX-License-Identifier: MIT
// Checks that a session stays within its memory budget when taps come faster than photos can be made.

import Glibc
import LiveCapture
import LivecapCSystem
import LivecapFrames

struct PipelineMemory: FallibleBenchmark {
    let name = "pipeline.memory"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var plan = RunPlan()
        let allowed = 256 << 20
        (plan.options.memory, plan.folder) = (allowed, options.folder)
        let run = try PipelineRun(plan)
        run.start()
        let heaps = tapWildly(run, for: .seconds(options.isThorough ? 60 : 10))
        let finished = run.finish()
        let growth = ProcessMemory.peak - run.memoryBefore
        // The second quarter and the last quarter of the run: by then, everything that is allocated once has been
        // allocated.
        let early = heaps[heaps.count / 4..<heaps.count / 2].max() ?? 0
        let late = heaps[heaps.count * 3 / 4..<heaps.count].max() ?? 0
        let tally = run.shots.tally
        var result = BenchmarkResult(name, plan, shots: tally.photos + tally.failures.values.reduce(0, +))
        result.quality = "balanced"
        func mebibytes(_ bytes: Int) -> Double { Double(bytes) / Double(1 << 20) }
        result.figures += [
            ("photos", Double(tally.photos)), ("budgetMiB", mebibytes(allowed)),
            ("peakGrowthMiB", mebibytes(growth)), ("heapAtHalfTimeMiB", mebibytes(early)),
            ("heapAtTheEndMiB", mebibytes(late)),
        ]
        result.ratios = [("peakOverBudget", Double(growth) / Double(allowed))]
        result.notes = tally.failures.sorted { $0.key < $1.key }.map { "\($0.value) taps were refused: \($0.key)" }
        result.faults = finished.faults
        if growth > allowed { result.faults.append("more memory was taken than allowed") }
        if Double(late) > Double(early) * 1.02 { result.faults.append("the heap grows") }
        return result
    }

    /// Taps whenever the queue is not full, for `duration`; returns the size of the heap at regular intervals.
    private func tapWildly(_ run: PipelineRun, for duration: Duration) -> [Int] {
        let end = Timestamp.now + duration
        var heaps: [Int] = []
        heaps.reserveCapacity(10_000)
        var nextLook = Timestamp.now
        while Timestamp.now < end {
            if Timestamp.now >= nextLook {
                heaps.append(Int(lc_heap_bytes()))
                nextLook = .now + .milliseconds(20)
            }
            if run.shots.openCount < SessionOptions.maxWaiting {
                run.shots.tapAndForget(run.output, PhotoSettings(quality: .balanced), into: run.files)
            } else {
                sleep(until: .now + .milliseconds(1))
            }
        }
        return heaps
    }
}

/// The memory of this process.
enum ProcessMemory {
    /// Resident bytes now.
    static var resident: Int { status("VmRSS:") }
    /// The maximum number of resident bytes since `forgetPeak`.
    static var peak: Int { status("VmHWM:") }

    /// Returns free memory to the system, and restarts the measurement of the peak: proc(5), clear_refs.
    static func forgetPeak() {
        lc_heap_trim()
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    private static func status(_ key: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            if words.count > 1, words[0] == key { return (Int(words[1]) ?? 0) << 10 }
        }
        return 0
    }
}
