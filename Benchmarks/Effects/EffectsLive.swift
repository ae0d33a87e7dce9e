// SPDX-License-Identifier: MIT
// Whether effects keep up with a camera.

import Camera
import Glibc
import LivecapBenchmarkCommand
import LivecapEffects
import LivecapFrames
import LivecapThreads

/// Replays JPEG frames of a person with two hands, 30 a second, and takes every picture with effects: for ten seconds,
/// or for a minute if that is asked for.
struct EffectsLive: FallibleBenchmark {
    let name: String
    /// How many processors all of it has.
    let processors: Int
    /// How many threads fuse the frames before effects are drawn, if they are fused.
    var fusingThreads: Int?

    private static let rate = FrameRate(30)
    /// What frames take until nets are loaded and the effort is chosen, in seconds.
    private static let beginning = 3

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        try ProcessorLimit.hold(to: processors) { try measureThere(options) }
    }

    private func measureThere(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let frames = try PersonFrames.make(12, withHands: true), shown = ShownFrames()
        let source = PacedSource(name: "person", format: PersonFrames.format, rate: Self.rate) { number, bytes in
            let frame = frames[number % frames.count]
            bytes.withUnsafeMutableBytes { $0.copyBytes(from: frame) }
            shown.note(number)
            return frame.count
        }
        let host = try EffectHost(source, fusedOn: fusingThreads)
        let first = UInt32(Self.beginning * 30), last = first + UInt32(options.isThorough ? 1800 : 300)
        var run = PictureRun()
        var before = Usage()
        var after = Usage()
        let missed = try host.taker.take { picture in
            guard picture.sequence >= first else { return true }
            if run.count == 0 { before = Usage(host) }
            run.note(picture, host.session.effects.progress?.effort)
            guard picture.sequence >= last else { return true }
            after = Usage(host)
            return false
        }
        return result(run, shown: shown.count(run.numbers), missed: missed, after - before)
    }

    /// `shown`: the frames of the source, of all those that were due. `missed`: pictures that were not taken in time.
    private func result(_ run: PictureRun, shown: Int, missed: Int, _ usage: Usage) -> BenchmarkResult {
        let due = run.numbers.count, seconds = Double(due) / Self.rate.framesPerSecond
        var result = BenchmarkResult(
            name, width: PersonFrames.size.width, height: PersonFrames.size.height, frames: due, threads: processors)
        result.figures = [
            ("lost", Double(due - shown)), ("passedOver", Double(shown - run.count + 1)),
            ("picturesPerSecond", Double(run.count - 1) / seconds),
            ("msPerFrame", usage.all.seconds / Double(due) * 1000),
            ("msPerFrameOfHands", usage.looking.seconds / Double(due) * 1000),
            ("looksPerSecond", Double(usage.looks) / seconds),
            ("fullEffortPercent", Double(run.full) / Double(run.count) * 100),
            ("leastEffortPercent", Double(run.least) / Double(run.count) * 100),
        ]
        result.add("latency", run.latencies, [("P50", 0.5), ("P99", 0.99)])
        var load = 0.0
        if getloadavg(&load, 1) == 1 { result.figures.append(("loadAverage", load)) }
        result.targets = [
            "lost": .atMost(0), "passedOver": .atMost(0), "picturesPerSecond": .atLeast(Self.rate.framesPerSecond),
        ]
        result.notes = [
            "\(fusingThreads == nil ? "" : "fused, then ")portrait, light, framing and gestures of MJPEG frames at 30 "
                + "fps; lost: by the source;",
            "processor time of all threads by the frames there were; latency: from the frame's time to its picture",
        ]
        if run.isTorn { result.faults.append("a picture has the time of another frame") }
        if missed > 0 { result.faults.append("\(missed) pictures were not taken in time") }
        return result
    }
}

/// What was used until a moment, or between two.
private struct Usage {
    /// Processor time of all threads, and of the one that looks for hands.
    var all = Duration.zero
    var looking = Duration.zero
    /// Frames in which hands were looked for.
    var looks = 0

    /// Nothing.
    init() {}

    /// Until now.
    init(_ host: EffectHost) {
        all = ProcessorTime.now
        looking = EffectHost.timeOfLooks
        looks = host.looks.soFar.frames
    }

    static func - (after: Usage, before: Usage) -> Usage {
        var usage = Usage()
        usage.all = after.all - before.all
        usage.looking = after.looking - before.looking
        usage.looks = after.looks - before.looks
        return usage
    }
}

/// The pictures that were taken.
private struct PictureRun {
    private(set) var count = 0
    /// Those drawn with full effort, and with the least.
    private(set) var full = 0
    private(set) var least = 0
    /// From a frame's time until its picture was there.
    private(set) var latencies: [Duration] = []
    /// Whether a picture had the time of a frame that is not its own, or came out of turn.
    private(set) var isTorn = false
    private var first: FrameMetadata?
    private var last: FrameMetadata?

    /// The numbers of the frames that were due after the first picture's, up to the last one's.
    var numbers: Range<Int> {
        guard let first, let last else { return 0..<0 }
        return Int(first.sequence) + 1..<Int(last.sequence) + 1
    }

    mutating func note(_ frame: FrameMetadata, _ effort: EffectEffort?) {
        count += 1
        full += effort == .full ? 1 : 0
        least += effort == .least ? 1 : 0
        latencies.append(.now - frame.time)
        if let first, let last {
            let due = Double(frame.sequence - first.sequence) / 30, passed = (frame.time - first.time).seconds
            isTorn = isTorn || frame.sequence <= last.sequence || abs(due - passed) > 1e-6
        } else {
            first = frame
        }
        last = frame
    }
}

/// The frames that a source has shown.
private final class ShownFrames: Sendable {
    private let numbers = Guarded<[Int]>([])

    func note(_ number: Int) { numbers.withLock { $0.append(number) } }

    /// How many of some numbers were shown.
    func count(_ range: Range<Int>) -> Int { numbers.withLock { $0.count { range.contains($0) } } }
}
