// SPDX-License-Identifier: MIT
// The work of a movie's thread: open, take frames by lease, write, close.

import FrameRing
import LivecapCSystem
import LivecapFrameFiles
import LivecapFrames
import LivecapSound

/// A movie in the making. `@unchecked Sendable`: created by one thread, then used only by the movie's.
final class MovieMaker: @unchecked Sendable {
    private let source: SourceDescription
    private let ring: Ring
    private let path: String
    private let format: MovieFormat
    private let settings: MovieSettings
    private let gate: FollowerGate?
    private let history: SoundHistory?
    private let anchor: WallClockAnchor?

    private var recorded: [FrameMetadata] = []
    private var undecodable = 0
    private var movie: MovieFile?
    private var sound: MovieSound?
    /// How long no frame has come.
    private var quiet = Duration.zero
    /// Frames that left history before the movie's first one, which is no loss.
    private var passed = 0
    /// Frames that left history before they could be read, since the movie's first frame.
    private var dropped = 0

    init(
        _ source: SourceDescription, _ ring: Ring, _ path: String, _ format: MovieFormat, _ settings: MovieSettings,
        _ gate: FollowerGate?, sound: SoundHistory?
    ) {
        (self.source, self.ring, self.path, self.format) = (source, ring, path, format)
        (self.settings, self.gate, history) = (settings, gate, sound)
        anchor = source.clock == .monotonic ? .now : source.anchor
    }

    /// The body of the thread, from opening the file to its being durable.
    func run(_ state: MovieState) -> MovieResult {
        let (library, track, file): (MovieLibrary, any MovieTrack, RecordingFile)
        do throws(MovieError) {
            (library, track) = try openTrack()
            file = try MovieError.wrapping { () throws(FrameFileError) in
                try RecordingFile(path, overwrite: settings.overwrite)
            }
        } catch {
            state.opened(error)
            return MovieResult(failure: error)
        }
        // A source at the fast pace waits from now on. A camera waits for nobody.
        var early = gate.map { FrameSubscription(to: ring, gate: $0) }
        state.opened(nil)
        guard let start = state.waitForStart() else {
            file.discard()
            return MovieResult()
        }
        var subscription = early.take() ?? FrameSubscription(to: ring, fromOldest: true)
        var failure: MovieError?
        do throws(MovieError) {
            while subscription.nextCounter < state.endCounter {
                let event = subscription.next(until: .now + Self.look)
                guard try take(event, start, missed: Int(clamping: subscription.missed), track, file, library) else {
                    break
                }
                state.report(frames: recorded.count, dropped: dropped, bytes: file.byteCount)
            }
        } catch { failure = error }
        return close(track, file, failure)
    }

    /// How often the thread looks whether it should end, when no frames come.
    private static let look = Duration.milliseconds(100)

    private func openTrack() throws(MovieError) -> (MovieLibrary, any MovieTrack) {
        let library = try MovieLibrary()
        if let history { sound = try MovieSound(history, format.container, library) }
        if format.codec == MovieCodec(of: source.format.pixelFormat) {
            return (library, UnchangedTrack(format, source))
        }
        // The encoder's threads inherit this, so that capture and photos come first.
        _ = lc_thread_nice(Self.niceness)
        return (library, try EncodedTrack(format, source, library))
    }

    private static let niceness: Int32 = 5

    // MARK: Frames

    /// Puts a frame into the movie. Returns false at its end.
    private func take(
        _ event: consuming FrameSubscription.Event, _ start: MovieState.Start, missed: Int, _ track: any MovieTrack,
        _ file: RecordingFile, _ library: MovieLibrary
    ) throws(MovieError) -> Bool {
        switch consume event {
        case .ended: return false
        case .timedOut:
            quiet = quiet + Self.look
            // The sound goes on while the camera is away.
            if let movie { try sound?.advance(to: .now, movie) }
            if quiet >= MovieFile.pieceLength {
                quiet = .zero
                try movie?.rest()
            }
            // The frame that would end the movie may never arrive, but a camera's clock continues.
            return !(source.clock == .monotonic && isPastEnd(.now))
        case .frame(let lease):
            quiet = .zero
            var frame = lease.metadata
            guard start.admits(frame), settings.epoch.map({ frame.id.epoch >= $0 }) ?? true else {
                passed = missed
                return true
            }
            if let epoch = settings.epoch, frame.id.epoch > epoch { return false }
            guard !isPastEnd(frame.time) else { return false }
            // What left history before the movie's first frame is not part of it.
            if recorded.isEmpty { passed = missed }
            frame.noteLoss(UInt32(clamping: missed - passed - dropped))
            dropped = missed - passed
            guard frame.isUsable else {
                undecodable += 1
                return true
            }
            let time = max(frame.time - (recorded.first?.time ?? frame.time), .zero)
            let isTaken = try lease.withBytes { (bytes) throws(MovieError) in
                try track.add(frame, bytes, at: time) { (packet) throws(MovieError) in
                    try begun(file, track, frame.time, library).add(packet)
                }
            }
            if isTaken {
                recorded.append(frame)
                if let movie { try sound?.advance(to: frame.time, movie) }
            } else {
                undecodable += 1
            }
            return true
        }
    }

    /// The movie's file, whose header is written with the first packet.
    private func begun(
        _ file: RecordingFile, _ track: any MovieTrack, _ time: Timestamp, _ library: MovieLibrary
    ) throws(MovieError) -> MovieFile {
        if let movie { return movie }
        var stream = track.stream
        stream.sound = sound?.encoder
        sound?.begin(at: time)
        let account = MovieAccount(
            start: anchor.map { $0.calendar.advanced(by: time - $0.monotonic) }, source: source,
            software: settings.software, mount: settings.mount, isFused: settings.isFused, format: format,
            encoder: stream.encoder, sound: sound?.encoder.codec, contentIdentifier: settings.contentIdentifier)
        let made = try MovieFile(
            file, stream, account, interval: interval, isFragmented: settings.isFragmented, library)
        movie = made
        return made
    }

    /// How long the last picture is seen.
    private var interval: Duration { source.rate?.interval ?? .milliseconds(33) }

    private func isPastEnd(_ time: Timestamp) -> Bool {
        if let end = settings.end, time > end { return true }
        guard let duration = settings.duration, let first = recorded.first else { return false }
        return time - first.time >= duration
    }

    // MARK: The end

    /// Writes what remains and makes the file durable. After a failure the movie ends with its last complete piece.
    private func close(_ track: any MovieTrack, _ file: RecordingFile, _ failure: MovieError?) -> MovieResult {
        var failure = failure
        guard let movie else {
            file.discard()
            return MovieResult(summary: summary(ofFirst: 0), failure: failure)
        }
        do throws(MovieError) {
            guard failure == nil else { throw failure! }
            try track.finish { (packet) throws(MovieError) in try movie.add(packet) }
            // As long as the last picture is seen.
            if let last = recorded.last { try sound?.finish(at: last.time + interval, movie) }
            try movie.finish()
        } catch {
            failure = error
            try? movie.cut()
        }
        guard movie.complete > 0 else {
            file.discard()
            return MovieResult(summary: summary(ofFirst: 0), failure: failure)
        }
        do throws(FrameFileError) { try file.finish() } catch { failure = failure ?? .file(error) }
        return MovieResult(
            summary: summary(ofFirst: movie.complete), sound: sound?.summary, byteCount: file.byteCount,
            failure: failure)
    }

    /// Figures of the first `count` frames.
    private func summary(ofFirst count: Int) -> RecordingSummary {
        let frames = recorded.prefix(count)
        var summary = RecordingSummary()
        (summary.frames, summary.damaged, summary.dropped) = (frames.count, undecodable, dropped)
        summary.bytes = frames.reduce(0) { $0 + $1.byteCount }
        summary.gaps = frames.count { $0.flags.contains(.gapBefore) }
        summary.lost = frames.reduce(0) { $0 + Int($1.lostBefore) }
        summary.continuity = Continuity(count: frames.count, rate: source.rate) { frames[$0] }
        (summary.first, summary.last) = (frames.first?.time, frames.last?.time)
        return summary
    }
}

extension MovieState.Start {
    /// Whether the movie has begun with a frame.
    fileprivate func admits(_ frame: FrameMetadata) -> Bool {
        switch self {
        case .at(let time): frame.time >= time
        case .next(let counter): frame.id.counter >= counter
        }
    }
}
