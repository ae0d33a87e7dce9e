// SPDX-License-Identifier: MIT
// Checks that a photo shows the frame nearest its tap, by the number in its pixels and the source's own schedule.

import LiveCapture
import LivecapFrames
import LivecapJPEG
import LivecapSeededRandom
import Synchronization

/// Taps at random moments; every photo is decoded and its number read.
struct TapTruth: FallibleBenchmark {
    /// One in this many frames is damaged; 0 if none is.
    let damageEvery: Int
    var name: String { damageEvery == 0 ? "pipeline.truth" : "pipeline.truth.damaged" }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let taps = options.isThorough ? 1000 : 300
        var plan = RunPlan()
        (plan.size, plan.damageEvery) = (FrameSize(width: 640, height: 480), damageEvery)
        let marks = Marks(size: plan.size)
        let run = try PipelineRun(plan, inspect: marks.read)
        run.start()
        var random = SeededRandom(seed: 5)
        for _ in 0..<taps {
            run.tap(PhotoSettings(quality: .single))
            sleep(until: .now + random.span(1_000...40_000))
        }
        var finished = run.finish()
        finished.demandPhotos()
        finished.demandTruth()
        let numbers = marks.numbers
        var disagreeing: [String] = []
        for shot in finished.shots {
            guard let photo = shot.photo, let seen = numbers[shot.id] else { continue }
            if seen != photo.reference.sequence {
                disagreeing.append("shot \(shot.id) says \(photo.reference.sequence) and shows \(seen)")
            }
            if photo.tap < shot.tapped || photo.tap > shot.accepted {
                disagreeing.append("shot \(shot.id)'s moment is not its tap's")
            }
        }
        finished.add(disagreeing, "photos contradict their account")
        var result = BenchmarkResult(name, plan, shots: taps)
        let lags = finished.shots.compactMap { $0.photo.map { abs(($0.reference.time - $0.tap).milliseconds) } }
        let beyond = lags.count { $0 > plan.rate.interval.milliseconds / 2 }
        result.figures += [
            ("maxLagMs", lags.max() ?? 0), ("beyondHalfAnInterval", Double(beyond)),
            ("framesPublished", Double(finished.truth.frames.count)),
        ]
        if beyond > 0 {
            result.notes = ["a lag beyond half an interval is one across a frame that was damaged or never came"]
        }
        result.faults = finished.faults
        return result
    }
}

/// The numbers read from photos.
private final class Marks: Sendable {
    private let size: FrameSize
    private let read = Mutex<[ShotID: UInt32]>([:])

    init(size: FrameSize) { self.size = size }

    var numbers: [ShotID: UInt32] { read.withLock { $0 } }

    /// Decodes a photo and reads its number; returns a description of what is wrong if there is none.
    @Sendable func read(_ photo: Photo) -> String? {
        guard let number = number(in: photo.bytes) else { return "shot \(photo.shot) shows no number" }
        read.withLock { $0[photo.shot] = number }
        return nil
    }

    private func number(in bytes: [UInt8]) -> UInt32? {
        guard var decoder = try? JPEGDecoder(), let header = try? decoder.header(bytes.span.bytes), header.size == size,
            let layout = PlanarLayout(size: size, sampling: header.sampling), let mark = FrameMark(fitting: size)
        else { return nil }
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        var span = planes.mutableSpan
        let flaw = span.withUnsafeMutableBytes { try? decoder.decode(bytes.span.bytes, to: layout, in: $0) }
        guard flaw == .some(.none) else { return nil }
        return mark.read(planes.span.bytes, format: layout.luma)
    }
}
