// SPDX-License-Identifier: MIT
// A session at real pace with a source whose schedule is known, from its first frame to its last lease.

import Camera
import Fusion
import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrames

/// The parameters of a run.
struct RunPlan: Sendable {
    var size = FrameSize(width: 1280, height: 720)
    var rate = FrameRate(30)
    var pixelFormat = PixelFormat.yuyv
    var damageEvery = 0
    var seed: UInt64 = 1
    var options = SessionOptions()
    /// Where photos are written; if nil, they are delivered as bytes.
    var folder: String?
}

/// A running session, its shots, and the truth about its frames.
final class PipelineRun {
    let plan: RunPlan
    let session: CaptureSession
    let schedule: Schedule
    let shots: TakenShots
    let files: PhotoFiles?
    /// The process's resident memory before the session was created.
    let memoryBefore: Int
    private let audit = SlotAudit()
    private let folder: String?

    var output: PhotoOutput { session.photoOutput }
    var interval: Duration { schedule.interval }

    /// Renders the scene's frames, and creates a session without starting it.
    init(_ plan: RunPlan, inspect: (@Sendable (Photo) -> String?)? = nil) throws {
        self.plan = plan
        var scene = SyntheticSettings(.handheld)
        (scene.prerenderedFrames, scene.seed, scene.damageEvery) = (16, plan.seed, plan.damageEvery)
        schedule = Schedule(rate: plan.rate, damageEvery: plan.damageEvery)
        let camera = try NotedCamera(
            scene, pixelFormat: plan.pixelFormat, size: plan.size, rate: plan.rate, schedule, audit)
        shots = TakenShots(inspect)
        ProcessMemory.forgetPeak()
        memoryBefore = ProcessMemory.resident
        session = try CaptureSession(camera, plan.options)
        folder = try plan.folder.map { try temporaryFolder(in: $0) }
        files = try folder.map { try PhotoFiles($0 + "/", .jpeg, count: 2, mayReplace: false) }
    }

    deinit {
        session.end()
        if let folder { rmdir(folder) }
    }

    /// Starts the session; returns when it has a second of history and is ready.
    func start() {
        session.begin()
        let least = UInt64(plan.rate.numerator / plan.rate.denominator)
        let deadline = Timestamp.now + .seconds(10)
        while session.ring.nextCounter < least || output.readiness.current.state != .ready, .now < deadline {
            sleep(until: .now + .milliseconds(2))
        }
    }

    /// Takes one tap.
    @discardableResult
    func tap(_ settings: PhotoSettings, at tap: Tap = .now, planned: Timestamp? = nil) -> ShotID {
        shots.tap(output, settings, at: tap, planned: planned, into: files)
    }

    /// Takes `count` taps, each a quarter of an interval after a frame, starting with the frame after next. The tap
    /// is `.at` that moment, so each frame has its tap however late this thread wakes up.
    func tapEveryFrame(_ count: Int, _ settings: PhotoSettings) {
        let first = schedule.number(at: .now) + 2
        for number in first..<(first + count) {
            let moment = schedule.time(of: number) + interval / 4
            sleep(until: moment)
            tap(settings, at: .at(moment), planned: moment)
        }
    }

    /// Waits for all shots, counts leases that were never released, and stops the session.
    func finish() -> FinishedRun {
        let taken = shots.finish()
        // In a ring of JPEG frames, the number of slots depends on where the frames are in it.
        let leaked = plan.pixelFormat == .mjpeg ? 0 : audit.leaked()
        let dropped = session.statistics.dropped
        session.end()
        var faults = shots.faults
        if leaked != 0 { faults.append("\(leaked) leases were not given back") }
        if dropped != 0 { faults.append("the ring dropped \(dropped) frames") }
        return FinishedRun(shots: taken, truth: ScheduleTruth(schedule), faults: faults)
    }
}

/// The outcome of a run.
struct FinishedRun {
    let shots: [TakenShot]
    let truth: ScheduleTruth
    private(set) var faults: [String]

    init(shots: [TakenShot], truth: ScheduleTruth, faults: [String]) {
        (self.shots, self.truth, self.faults) = (shots, truth, faults)
    }

    /// Reports shots without a photo as faults; with `orWord`, not those that failed because there was no room for
    /// them.
    mutating func demandPhotos(orWord: Bool = false) {
        let failures = shots.compactMap { shot -> String? in
            switch shot.outcome {
            case .success: nil
            case .failure(.tooOld) where orWord, .failure(.overloaded) where orWord: nil
            case .failure(let error): "shot \(shot.id) failed: \(error.message)"
            case nil: "shot \(shot.id) never ended"
            }
        }
        add(failures, "shots were lost")
    }

    /// Reports photos that do not show their moment, according to the source rather than the ring.
    mutating func demandTruth() {
        let truth = truth
        let wrong = shots.compactMap { shot -> String? in
            guard let photo = shot.photo else { return nil }
            let number = Int(photo.reference.sequence)
            guard !truth.isNearest(number, to: photo.tap) else { return nil }
            let best = truth.nearest(to: photo.tap).map { "\($0.number)" } ?? "none"
            return "shot \(shot.id) shows frame \(number) instead of \(best)"
        }
        add(wrong, "references were wrong")
    }

    /// Reports two photos of the same frame as a fault if different frames were nearest to their moments.
    mutating func demandDistinctReferences() {
        var seen: [Int: TakenShot] = [:]
        var doubled: [String] = []
        for shot in shots {
            guard let photo = shot.photo else { continue }
            let number = Int(photo.reference.sequence)
            if let other = seen[number], let first = other.photo,
                truth.nearest(to: first.tap)?.number != truth.nearest(to: photo.tap)?.number
            {
                doubled.append("shots \(other.id) and \(shot.id) both show frame \(number)")
            }
            seen[number] = shot
        }
        add(doubled, "photos were doubled")
    }

    mutating func add(_ found: [String], _ summary: String) {
        guard !found.isEmpty else { return }
        faults.append("\(found.count) \(summary): " + found.prefix(3).joined(separator: "; "))
    }
}

private func temporaryFolder(in folder: String) throws -> String {
    guard let path = makeTemporaryFolder("\(folder)/livecap-bench-") else {
        throw FileError.failed(folder, call: "mkdtemp", errno: errno)
    }
    return path
}
