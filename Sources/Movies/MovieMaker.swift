// SPDX-License-Identifier: MIT
// The work of a movie's thread: open, take frames by lease, write, close.

import FrameRing
import LivecapCSystem
import LivecapFrameFiles
import LivecapFrames
import LivecapSound

/// A movie in the making. `@unchecked Sendable`: created by one thread, then used only by the movie's.
final class MovieMaker: @unchecked Sendable {
    /// The first source, which determines the kind of movie and the canvas, and how it is mounted. Not its ring, whose
    /// memory another stream may need.
    private let first: SourceDescription
    private let mount: CameraMount
    private let feed: MovieFeed
    private let path: String
    private let format: MovieFormat
    private let settings: MovieSettings
    private let history: SoundHistory?
    private let anchor: WallClockAnchor?

    /// How long no frame has come.
    private var quiet = Duration.zero
    private var undecodable = 0
    /// Frames that left history before they could be read since the movie's first frame, and those that came too late.
    private var dropped = 0
    /// What is added to the times of the present stream; nil until its first frame.
    private var shift: Duration?
    /// What the canvas shows: of which stream and epoch, mounted how.
    private var shown: Shown?

    private struct Shown: Hashable {
        let stream: Int
        let epoch: UInt32
        let mount: CameraMount
    }

    /// A movie whose kind and canvas are determined by `first`, the first of the streams in `feed`.
    init(
        _ first: MovieSource, _ feed: MovieFeed, _ path: String, _ format: MovieFormat, _ settings: MovieSettings,
        sound: SoundHistory?
    ) {
        (self.first, mount) = (first.description, first.mount())
        (self.feed, self.path, self.format) = (feed, path, format)
        (self.settings, history) = (settings, sound)
        anchor = first.description.clock == .monotonic ? .now : first.description.anchor
    }

    /// The body of the thread, from opening the file to its being durable.
    func run(_ state: MovieState) -> MovieResult {
        let writer: MovieWriter
        do throws(MovieError) { writer = try open() } catch {
            state.opened(error)
            return MovieResult(failure: error)
        }
        state.opened(nil)
        var failure: MovieError?
        if let start = state.waitForStart() {
            do throws(MovieError) {
                while try follow(start, writer, state) {}
            } catch { failure = error }
        }
        feed.close()
        let end = writer.close(failure)
        var summary = writer.figures.complete(rate: first.rate)
        (summary.damaged, summary.dropped) = (undecodable, dropped)
        return MovieResult(
            summary: summary, sound: end.sound, repeated: writer.figures.repeated, byteCount: end.byteCount,
            failure: end.failure)
    }

    /// How often the thread looks whether it should end, when no frames come.
    private static let look = Duration.milliseconds(100)

    private func open() throws(MovieError) -> MovieWriter {
        let library = try MovieLibrary()
        let sound: MovieSound? =
            if let history { try MovieSound(history, format.container, library) } else { nil }
        let source = first
        let canvas = settings.canvas?.resolved(for: source, mount)
        let isUnchanged = format.codec == MovieCodec(of: source.format.pixelFormat)
        // The encoder's threads inherit this, so that capture and photos come first.
        if !isUnchanged || canvas != nil { _ = lc_thread_nice(Self.niceness) }
        let track: any MovieTrack
        switch (isUnchanged, canvas) {
        case (true, nil): track = UnchangedTrack(format, source)
        case (true, let canvas?): track = CanvasJPEGs(format, canvas)
        case (false, nil): track = try EncodedTrack(format, source, library)
        case (false, let canvas?): track = try EncodedCanvas(format, canvas, source.format, library)
        }
        let file = try MovieError.wrapping { () throws(FrameFileError) in
            try RecordingFile(path, overwrite: settings.overwrite)
        }
        let account = MovieAccount(
            source: source, software: settings.software, mount: settings.mount, isFused: settings.isFused,
            format: format, contentIdentifier: settings.contentIdentifier)
        return MovieWriter(
            file, library, track, sound, account,
            interval: canvas?.interval ?? source.rate?.interval ?? .milliseconds(33),
            isFragmented: settings.isFragmented)
    }

    private static let niceness: Int32 = 5

    // MARK: Streams

    /// Takes the frames of the next stream, or waits for one. Returns false at the movie's end.
    private func follow(_ start: MovieStart, _ writer: MovieWriter, _ state: MovieState) throws(MovieError) -> Bool {
        guard var place = feed.take() else {
            guard !feed.isOver else { return false }
            let now = Timestamp.now
            feed.wait(until: now + Self.look)
            // A stream may have begun meanwhile.
            return try feed.isIdle ? wait(until: now + Self.look, writer) : true
        }
        // Frames that left history before the movie's first one are no loss.
        var (passed, seen) = (0, 0)
        shift = nil
        while place.frames.nextCounter < feed.end(of: place.number) {
            let asked = Timestamp.now
            switch place.frames.next(until: asked + Self.look) {
            case .ended: return true
            case .timedOut:
                guard try wait(until: asked + Self.look, writer) else { return false }
            case .frame(let lease):
                quiet = .zero
                let missed = Int(clamping: place.frames.missed)
                guard start.admits(lease.metadata, of: place.number),
                    settings.epoch.map({ lease.metadata.id.epoch >= $0 }) ?? true
                else {
                    passed = missed
                    continue
                }
                if writer.span == nil { passed = missed }
                let lost = missed - passed - seen
                seen = missed - passed
                guard try take(lease, lost: lost, of: place.number, place.source, writer) else { return false }
            }
            state.report(frames: writer.figures.frames, dropped: dropped, bytes: writer.byteCount)
        }
        return false
    }

    /// No frame had come by `now`. Returns false if the movie is over.
    private func wait(until now: Timestamp, _ writer: MovieWriter) throws(MovieError) -> Bool {
        let isLive = first.clock == .monotonic
        try writer.wait(at: now, isLive: isLive)
        quiet = quiet + Self.look
        if quiet >= MovieFile.pieceLength {
            quiet = .zero
            // On a canvas, pictures follow.
            if !(writer.hasCanvas && isLive) { try writer.rest() }
        }
        // The frame that would end the movie may never arrive, but a camera's clock continues.
        return !(isLive && isPastEnd(now, writer))
    }

    /// Puts a frame into the movie. Returns false at its end.
    private func take(
        _ lease: consuming FrameLease, lost: Int, of number: Int, _ source: MovieSource, _ writer: MovieWriter
    ) throws(MovieError) -> Bool {
        var frame = lease.metadata
        if let epoch = settings.epoch, frame.id.epoch > epoch { return false }
        frame.time = time(of: frame, source, writer)
        guard !isPastEnd(frame.time, writer) else { return false }
        frame.noteLoss(UInt32(clamping: lost))
        dropped += lost
        guard frame.isUsable else {
            undecodable += 1
            return true
        }
        if writer.hasCanvas {
            let now = Shown(stream: number, epoch: frame.id.epoch, mount: source.mount())
            if now != shown { writer.show(source.description.format, now.mount) }
            shown = now
        }
        let start = anchor.map { $0.calendar.advanced(by: frame.time - $0.monotonic) }
        switch try writer.add(frame, lease, usual: source.description.rate?.interval, start: start) {
        case .added: break
        case .undecodable: undecodable += 1
        case .late: dropped += 1
        }
        return true
    }

    /// A frame's time by the movie's clock, which is that of its first source. A source with another clock is taken to go
    /// on where the last one ended; or, in a movie by this machine's clock, when its first frame is seen.
    private func time(of frame: FrameMetadata, _ source: MovieSource, _ writer: MovieWriter) -> Timestamp {
        if shift == nil {
            let own = first.clock
            if writer.span == nil || (own == .monotonic && source.description.clock == .monotonic) {
                shift = .zero
            } else if own == .monotonic {
                shift = .now - frame.time
            } else if let last = writer.span?.last {
                let interval = source.description.rate?.interval ?? .milliseconds(33)
                shift = max(last + interval, frame.time) - frame.time
            }
        }
        return frame.time + (shift ?? .zero)
    }

    private func isPastEnd(_ time: Timestamp, _ writer: MovieWriter) -> Bool {
        if let end = settings.end, time > end { return true }
        guard let duration = settings.duration, let span = writer.span else { return false }
        return time - span.first >= duration
    }
}
