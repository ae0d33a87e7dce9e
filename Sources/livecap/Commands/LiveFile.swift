// SPDX-License-Identifier: MIT
// The file that `livecap live` writes fused frames to.

import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrameFiles
import LivecapFrames
import LivecapMovies
import LivecapStreams

/// The file that fused frames are written to.
enum LiveFile: Sendable {
    /// Frames without loss.
    case frames(any FrameRecording)
    /// A movie.
    case movie(MovieFileOutput)

    /// Opens `path`, whose suffix decides its kind, for all frames of a stream.
    init(
        _ path: String, of stream: SinkStream, _ settings: MovieSettings, unless interruption: Interruption
    ) throws(Failure) {
        if MovieContainer(path: path) != nil {
            let movie = try creating(unless: interruption) { () throws(MovieError) in
                try MovieFileOutput(stream.source, ring: stream.ring, to: path, settings, gate: stream.gate)
            }
            movie.start()
            self = .movie(movie)
        } else {
            let recording = RecordingSettings(
                frames: settings.frames, duration: settings.duration, overwrite: settings.overwrite)
            let file = try record(
                stream.source.treated(settings.treatment), from: stream.ring, to: path, recording, gate: stream.gate,
                unless: interruption)
            file.follow(stream.planes)
            self = .frames(file)
        }
    }

    /// Refuses names of files that are not written here, before a camera is opened.
    static func checkName(_ path: String) throws(Failure) {
        guard MovieContainer(path: path) == nil else { return }
        let hint = "name it .mkv, .mp4 or .webm for a movie, .y4m or .lcap for frames without loss"
        switch MovieKind(path: path) {
        case .mjpg:
            throw .notJPEG(path, hint: hint)
        case nil:
            do throws(FrameFileError) { try MovieKind.checkName(path) } catch {
                throw .frameFile(.badSettings(error.message, hint: hint))
            }
        case .y4m, .mkv, .frames: break
        }
    }

    /// Has signals end it, or give up what is done only for convenience then.
    func follow(_ interruption: Interruption) {
        switch self {
        case .frames(let file): interruption.onSignal { file.stop() }
        case .movie(let file):
            interruption.onSignal { file.interrupt(by: interruption.signal) }
            interruption.offer(file.optionalWork)
        }
    }

    func waitForEnd(until deadline: Timestamp) -> Bool {
        switch self {
        case .frames(let file): file.waitForEnd(until: deadline)
        case .movie(let file): file.waitForEnd(until: deadline)
        }
    }

    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .frames(let file): file.whenEnded(body)
        case .movie(let file): file.whenEnded(body)
        }
    }

    /// Ends it, waits until it is durable, and returns what is in it, and why it ended early, if it did.
    func finish() -> (summary: RecordingSummary, failure: Failure?) {
        switch self {
        case .frames(let file):
            let result = file.finish()
            return (result.summary, result.failure?.failure)
        case .movie(let file):
            let result = file.finish()
            if let gap = result.indexGapWords { Console.note("note: \(file.firstPath) is \(gap)") }
            return (result.summary, result.failure?.failure)
        }
    }
}

extension MovieSettings {
    /// What is done to the frames that are recorded.
    fileprivate var treatment: String? { isFused ? "fused" : nil }
}
