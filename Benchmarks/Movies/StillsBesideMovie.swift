// SPDX-License-Identifier: MIT
// A still per frame beside a movie of the same frames: neither may lose anything.

import LiveCapture
import LivecapFiles
import LivecapFrames
import LivecapMovies

/// Taps once per frame while a movie is encoded. Every tap must give a photo of its own frame, and the movie must have
/// every frame.
struct StillsBesideMovie: FallibleBenchmark {
    let name = "movies.stills"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let taps = 300
        var plan = RunPlan()
        plan.folder = options.folder
        let run = try PipelineRun(plan)
        run.start()
        let movie = try BenchedMovie(run.session, "mp4", in: options.folder)
        let before = ProcessorTime.now
        let begun = Timestamp.now
        run.tapEveryFrame(taps, PhotoSettings(quality: .balanced, frames: 8))
        let (recorded, span) = (movie.finish(), Timestamp.now - begun)
        let used = ProcessorTime.now - before
        var finished = run.finish()
        finished.demandPhotos()
        finished.demandTruth()
        finished.demandDistinctReferences()
        var result = BenchmarkResult(name, plan, shots: taps)
        result.quality = "balanced"
        result.faults = finished.faults + recorded.faults
        result.figures += [
            ("photosPerSecond", photosPerSecond(finished.shots)), ("movieFrames", Double(recorded.frames)),
            ("movieFramesPerSecond", Double(recorded.frames) / span.seconds),
            ("processorPercent", used.seconds / span.seconds * 100),
        ]
        result.targets = ["photosPerSecond": .atLeast(29.9), "movieFramesPerSecond": .atLeast(29.5)]
        result.notes = ["a movie of H.264 in MP4, and a still of 8 frames for each of its frames"]
        return result
    }
}

/// What a movie with sound costs whose JPEG frames are passed through.
struct PassedThroughMovie: FallibleBenchmark {
    let name = "movies.passed"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var plan = RunPlan()
        (plan.size, plan.pixelFormat) = (FrameSize(width: 1920, height: 1080), .mjpeg)
        let run = try PipelineRun(plan)
        run.start()
        let span = Duration.seconds(options.isThorough ? 60 : 10)
        var result = BenchmarkResult(name, width: plan.size.width, height: plan.size.height)
        // The scene's frames are copied into the ring with and without a movie.
        let alone = share(span)
        let movie = try BenchedMovie(run.session, "mkv", in: options.folder, hasSound: true)
        let both = share(span)
        let recorded = movie.finish()
        let finished = run.finish()
        result.faults = finished.faults + recorded.faults
        result.frames = recorded.frames
        result.figures = [
            ("moviePercent", (both - alone) * 100), ("processorPercent", both * 100),
            ("megabytesPerSecond", Double(recorded.byteCount) / span.seconds / 1e6),
        ]
        result.targets = ["moviePercent": .atMost(8)]
        result.notes = [
            "of one processor: that of the movie, with its microphone, is what the process takes more than without one"
        ]
        return result
    }

    /// The share of one processor that the process takes in a time.
    private func share(_ span: Duration) -> Double {
        let (before, begun) = (ProcessorTime.now, Timestamp.now)
        sleep(until: begun + span)
        return (ProcessorTime.now - before).seconds / (Timestamp.now - begun).seconds
    }
}
