// SPDX-License-Identifier: MIT
// A session at the real pace over a source whose schedule is known, from its first frame to its last lease.

import Camera
import Frames
import FusionKernels
import Glibc
import LiveCapture

/// What a run is made with.
struct RunPlan: Sendable {
    var size = FrameSize(width: 1280, height: 720)
    var rate = FrameRate(30)
    var pixelFormat = PixelFormat.yuyv
    var damageEvery = 0
    var seed: UInt64 = 1
    var options = SessionOptions()
    /// Where photos are written; nil: they come as bytes.
    var folder: String?
}

/// A running session, its shots, and the truth about its frames.
final class PipelineRun {
    let plan: RunPlan
    let session: CaptureSession
    let schedule: Schedule
    let shots: TakenShots
    let files: PhotoFiles?
    /// What the process had in memory before the session was made.
    let memoryBefore: Int
    private let audit = SlotAudit()
    private let folder: String?

    var output: PhotoOutput { session.photoOutput }
    var interval: TimeSpan { schedule.interval }

    /// Draws the scene's frames, and makes a session that does not run yet.
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
        session.stop()
        if let folder { rmdir(folder) }
    }

    /// Starts the session, and returns when it has a history and is ready.
    func start() {
        session.start()
        let least = UInt64(plan.rate.numerator / plan.rate.denominator)
        let deadline = Timestamp.now + .seconds(10)
        while session.ring.nextCounter < least || output.readiness.current.state != .ready, .now < deadline {
            sleep(until: .now + .milliseconds(2))
        }
    }

    /// Takes a tap.
    @discardableResult
    func tap(_ settings: PhotoSettings, at tap: Tap = .now, planned: Timestamp? = nil) -> ShotID {
        shots.tap(output, settings, at: tap, planned: planned, into: files)
    }

    /// Taps at a quarter of an interval behind each of `count` frames, from the next one on: `.at` that moment, so that each
    /// frame has its tap however late this thread is woken.
    func tapEveryFrame(_ count: Int, _ settings: PhotoSettings) {
        let first = schedule.number(at: .now) + 2
        for number in first..<(first + count) {
            let moment = schedule.time(of: number) + interval / 4
            sleep(until: moment)
            tap(settings, at: .at(moment), planned: moment)
        }
    }

    /// Waits for all shots, counts leases that nobody gave back, and stops.
    func finish() -> FinishedRun {
        let taken = shots.finish()
        // How many slots a ring of JPEG frames has depends on where the frames lie in it.
        let leaked = plan.pixelFormat == .mjpeg ? 0 : audit.leaked()
        let dropped = session.statistics.dropped
        session.stop()
        var faults = shots.faults
        if leaked != 0 { faults.append("\(leaked) leases were not given back") }
        if dropped != 0 { faults.append("the ring dropped \(dropped) frames") }
        return FinishedRun(shots: taken, truth: ScheduleTruth(schedule), faults: faults)
    }
}

/// What a run came to.
struct FinishedRun {
    let shots: [TakenShot]
    let truth: ScheduleTruth
    private(set) var faults: [String]

    init(shots: [TakenShot], truth: ScheduleTruth, faults: [String]) {
        (self.shots, self.truth, self.faults) = (shots, truth, faults)
    }

    /// Complains of shots without a photo; with `orWord`, only of those that were not told that there was no room for them.
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

    /// Complains of photos that are not of their moment: by the source's account, not the ring's.
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

    /// Complains of two photos of one frame where their moments have two.
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
        throw CameraError.fileError(folder, call: "mkdtemp", errno: errno)
    }
    return path
}
