// SPDX-License-Identifier: MIT
// The time from when the nearest frame is known until it is leased, while other shots keep all processors busy.

import LiveCapture
import LivecapCSystem
import LivecapFrames
import LivecapSeededRandom
import LivecapThreads
import Synchronization

/// Random taps during shots that are made back to back, with real-time priority where it is permitted, and without.
struct TapToLease: FallibleBenchmark {
    let name = "pipeline.lease"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let taps = options.isThorough ? 1000 : 300
        var result = BenchmarkResult(name, RunPlan(), shots: taps)
        for isRealTime in [true, false] {
            var plan = RunPlan()
            plan.options.isRealTime = isRealTime
            let run = try PipelineRun(plan)
            run.start()
            if isRealTime && !isRealTimePermitted() { result.notes.append("no real-time priority is permitted here") }
            let measured = tap(run, taps)
            var finished = run.finish()
            finished.demandPhotos()
            finished.demandTruth()
            describe(finished, measured, isRealTime ? "" : "usualPriority", in: &result)
        }
        result.targets["leaseP99Ms"] = .atMost(1)
        return result
    }

    /// Taps at random moments, while enough other shots are made to keep every worker busy.
    private func tap(_ run: PipelineRun, _ count: Int) -> Set<ShotID> {
        var random = SeededRandom(seed: 11)
        var measured: Set<ShotID> = []
        var next = Timestamp.now + .milliseconds(200)
        while measured.count < count {
            // These use frames that are already there and mostly prepared, so merging and encoding take the time.
            while run.shots.openCount < 2 * run.plan.options.threads + 1 {
                run.tap(PhotoSettings(quality: .balanced), at: .offset(.milliseconds(-20)))
            }
            guard Timestamp.now + .milliseconds(3) >= next else {
                sleep(until: .now + .milliseconds(2))
                continue
            }
            sleep(until: next)
            // The measured shots are quick ones: they should be measured during other work, not be that work.
            measured.insert(run.tap(PhotoSettings(quality: .speed)))
            next = .now + random.span(10_000...50_000)
        }
        return measured
    }

    private func describe(
        _ run: FinishedRun, _ measured: Set<ShotID>, _ prefix: String, in result: inout BenchmarkResult
    ) {
        var leases: [Duration] = []
        var waits: [Duration] = []
        for shot in run.shots where measured.contains(shot.id) {
            guard let held = shot.captured?.held, let photo = shot.photo, let frame = run.truth.known(photo.tap)
            else { continue }
            let known = max(shot.tapped, frame)
            leases.append(held - known)
            waits.append(known - shot.tapped)
        }
        func named(_ name: String) -> String {
            prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
        }
        result.add(named("lease"), leases, [("P50", 0.5), ("P99", 0.99), ("Max", 1)])
        result.add(named("frame"), waits, [("P50", 0.5), ("P99", 0.99)])
        result.add(named("sourceLate"), run.truth.frames.map { $0.visible - $0.time }, [("P50", 0.5), ("P99", 0.99)])
        result.faults += run.faults
    }
}

/// Whether threads of this program may have real-time priority.
private func isRealTimePermitted() -> Bool {
    let answer = Answer()
    try! SystemThread(name: "permission") { answer.isYes.store(lc_thread_realtime(1) == 0, ordering: .relaxed) }.join()
    return answer.isYes.load(ordering: .relaxed)
}

private final class Answer: Sendable {
    let isYes = Atomic<Bool>(false)
}
