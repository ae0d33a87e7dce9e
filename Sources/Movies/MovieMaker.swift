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
    /// The time of the first of them.
    private var firstUndecodable: Timestamp?
    /// Frames that left history before they could be read since the movie's first frame, and those that came too late.
    private var dropped = 0
    /// Frames that build on missing ones, and how many were lost before them since the last picture.
    private var (waitedForKey, lostMeanwhile) = (0, UInt32(0))
    /// Frames that left history unread since the last picture.
    private var leftOut = 0
    /// What is added to the times of the present stream; nil until its first frame.
    private var shift: Duration?
    /// What the canvas shows: of which stream and epoch, mounted how.
    private var shown: Shown?

    private struct Shown: Hashable {
        let stream: Int
        let epoch: UInt32
        let mount: CameraMount
    }

    /// The last frame that became a picture, or was to become one.
    private var lastPlace: MoviePlace?
    /// The number of the stream that is read, or was read last.
    private var stream = -1
    /// How often chapters were asked for.
    private var marks = 0
    /// Which frames a timelapse takes.
    private var choice: LapseChoice?
    /// The frame that waits there.
    private var waiting: WaitingFrame?

    private struct WaitingFrame: ~Copyable {
        let frame: FrameMetadata
        let lease: FrameLease
        let place: MoviePlace
        let source: MovieSource
    }

    /// A movie whose kind and canvas are determined by `first`, the first of the streams in `feed`.
    init(
        _ first: MovieSource, feed: MovieFeed, path: String, format: MovieFormat, settings: MovieSettings,
        sound: SoundHistory?
    ) {
        self.first = first.description
        mount = first.mount()
        self.feed = feed
        self.path = path
        self.format = format
        self.settings = settings
        history = sound
        anchor = first.description.clock == .monotonic ? .now : first.description.anchor
        choice = settings.timelapse.map { LapseChoice($0) }
    }

    /// The body of the thread, from opening the file to its being durable.
    func run(_ state: MovieState) -> MovieResult {
        let writer: MovieWriter
        do throws(MovieError) { writer = try open(state.indexer) } catch {
            state.opened(error)
            return MovieResult(failure: error)
        }
        state.isIndexed.store(writer.isIndexed, ordering: .relaxed)
        state.opened(nil, at: writer.firstPath)
        var failure: MovieError?
        if var start = state.waitForStart() {
            do throws(MovieError) {
                while try follow(&start, writer, state) {}
            } catch { failure = error }
        }
        waiting = nil
        feed.close()
        failure = failure ?? noteLastMarks(writer)
        failure = writer.close(failure)
        var summary = writer.figures.complete(rate: choice == nil ? settings.rate(of: first) : nil)
        (summary.damaged, summary.dropped) = (undecodable, dropped)
        // After a failure, the last pictures may be missing.
        var length = writer.length
        if failure != nil, choice == nil, let first = summary.first, let last = summary.last {
            length = last - first - writer.pauses.duration + writer.interval
        }
        if failure != nil, writer.summaries.isEmpty { length = .zero }
        return MovieResult(
            summary: summary, sound: writer.soundSummary, repeated: writer.figures.repeated,
            byteCount: writer.summaries.reduce(0) { $0 + $1.byteCount }, parts: writer.summaries,
            chapters: writer.writtenChapters, pauses: writer.pauses, factor: settings.lapse(of: first)?.factor,
            waitedForKey: waitedForKey, length: length, isIndexFirst: writer.isIndexFirst, indexGap: writer.indexGap,
            failure: failure)
    }

    /// How often the thread looks whether it should end, when no frames come.
    private static let look = Duration.milliseconds(100)

    private func open(_ indexer: MovieIndexer) throws(MovieError) -> MovieWriter {
        let library = try MovieLibrary()
        let source = settings.shown(first)
        let shape = settings.shape(for: first, mount)
        let isUnchanged = format.codec == MovieCodec(of: source.format.pixelFormat)
        // The encoder's threads inherit this, so that capture and photos come first.
        if !isUnchanged || shape != nil || settings.stabilization != .off { _ = lc_thread_nice(Self.niceness) }
        let track = try settings.track(of: first, mount, format, library)
        let account = MovieAccount(
            source: first, software: settings.software, mount: settings.mount, zoom: settings.zoom,
            isFused: settings.isFused,
            isSteadied: settings.isSteadied, stabilization: settings.stabilization, format: format,
            lapse: settings.lapse(of: first),
            contentIdentifier: settings.contentIdentifier)
        let interval = shape?.interval ?? source.rate?.interval ?? .milliseconds(33)
        let parts = try MovieParts(
            path, settings: settings, sound: history.map { MovieSound($0) }, account: account, interval: interval,
            anchor: anchor, indexer: indexer, library: library)
        return MovieWriter(
            parts, track, interval: interval, lapse: settings.timelapse, fillsGaps: settings.canvas != nil,
            isThinned: settings.canvas?.rate != nil)
    }

    private static let niceness: Int32 = 5

    // MARK: Streams

    /// Takes the frames of the next stream, or waits for one. Returns false at the movie's end.
    private func follow(
        _ start: inout MovieStart, _ writer: MovieWriter, _ state: MovieState
    ) throws(MovieError) -> Bool {
        guard var place = feed.take() else {
            guard !feed.isOver else { return false }
            let now = Timestamp.now
            feed.wait(until: now + Self.look)
            // A stream may have begun meanwhile.
            let next = MoviePlace(stream: stream + 1, counter: 0)
            return try feed.isIdle ? wait(until: now + Self.look, for: next, writer) : true
        }
        stream = place.number
        // What a timelapse keeps must not keep this stream's ring.
        defer { forgetWaiting() }
        // Frames that left history before the movie's first one are no loss.
        var (passed, seen) = (0, 0)
        // The last frame before the movie's beginning with which it could begin.
        var key: UInt64?
        shift = nil
        while place.frames.nextCounter < feed.end(of: place.number) {
            let asked = Timestamp.now
            switch place.frames.next(until: asked + Self.look) {
            case .ended: return true
            case .timedOut:
                let next = MoviePlace(stream: place.number, counter: place.frames.nextCounter)
                guard try wait(until: asked + Self.look, for: next, writer) else { return false }
                report(writer, state)
            case .frame(let lease):
                quiet = .zero
                let missed = Int(clamping: place.frames.missed)
                guard start.admits(lease.metadata, of: place.number),
                    settings.epoch.map({ lease.metadata.id.epoch >= $0 }) ?? true
                else {
                    passed = missed
                    if lease.metadata.isUsable, writer.look(at: lease) { key = lease.metadata.id.counter }
                    continue
                }
                if let early = key.take(), writer.span == nil, !writer.look(at: lease) {
                    start = .next(stream: place.number, early)
                    place.frames.goBack(to: early)
                    continue
                }
                let here = MoviePlace(stream: place.number, counter: lease.metadata.id.counter)
                guard !feed.isPaused(at: here) else {
                    (passed, seen) = (missed, 0)
                    try pause(writer)
                    continue
                }
                if writer.span == nil { passed = missed }
                let lost = missed - passed - seen
                seen = missed - passed
                guard try take(lease, lost: lost, at: here, place.source, writer) else { return false }
                if let frames = settings.frames, writer.figures.frames >= frames { return false }
            }
            report(writer, state)
        }
        return false
    }

    private func report(_ writer: MovieWriter, _ state: MovieState) {
        state.report(
            frames: writer.figures.frames, dropped: dropped, bytes: writer.byteCount, length: writer.length)
    }

    /// A frame is left out, because the movie is paused. The sound until then may still have to be made.
    private func pause(_ writer: MovieWriter) throws(MovieError) {
        forgetWaiting()
        writer.interrupt()
        try writer.pause()
        try writer.wait(at: .now, isLive: first.clock == .monotonic)
    }

    /// No frame had come by `now`; `next` would be the next one. Returns false if the movie is over.
    private func wait(until now: Timestamp, for next: MoviePlace, _ writer: MovieWriter) throws(MovieError) -> Bool {
        let isLive = first.clock == .monotonic
        if feed.isPaused(at: next) { try pause(writer) }
        if let lastPlace { try noteMarks(upTo: lastPlace, writer) }
        try writer.wait(at: now, isLive: isLive)
        quiet = quiet + Self.look
        if quiet >= MovieFile.pieceLength {
            quiet = .zero
            // On a canvas, pictures follow.
            if !(writer.fillsGaps && isLive) { try writer.bringIntoFile() }
        }
        // The frame that would end the movie may never arrive, but a camera's clock continues.
        return !(isLive && isPastEnd(now, writer))
    }

    /// Puts a frame into the movie. Returns false at its end.
    private func take(
        _ lease: consuming FrameLease, lost: Int, at place: MoviePlace, _ source: MovieSource, _ writer: MovieWriter
    ) throws(MovieError) -> Bool {
        var frame = lease.metadata
        if let epoch = settings.epoch, frame.id.epoch > epoch { return false }
        frame.time = time(of: frame, source, writer)
        guard !isPastEnd(frame.time, writer) else { return false }
        try noteMarks(upTo: place, writer)
        if choice == nil {
            frame.noteLoss(UInt32(clamping: lost))
            dropped += lost
            leftOut += lost
        }
        guard frame.isUsable else {
            noteUndecodable(frame)
            writer.interrupt()
            return true
        }
        guard choice == nil else {
            try choose(frame, lease: lease, at: place, source: source, writer: writer)
            return true
        }
        try put(frame, lease: lease, at: place, source: source, writer: writer)
        return true
    }

    private func put(
        _ frame: FrameMetadata, lease: borrowing FrameLease, at place: MoviePlace, source: MovieSource,
        writer: MovieWriter, picture: Int? = nil
    ) throws(MovieError) {
        let now = Shown(stream: place.stream, epoch: frame.id.epoch, mount: source.mount())
        if now.stream != shown?.stream { writer.follow(source.planes) }
        if now != shown { writer.show(source.description.format, now.mount) }
        if now.stream != shown?.stream || now.epoch != shown?.epoch {
            writer.interrupt()
            writer.beginCamera(source.camera(frame.id.counter))
        }
        (shown, lastPlace) = (now, place)
        let usual = picture == nil ? source.description.rate?.interval : nil
        var frame = frame
        let lost = frame.lostBefore
        frame.noteLoss(lostMeanwhile)
        switch try writer.add(frame, lease, usual: usual, leftOut: leftOut, picture: picture) {
        case .added: (lostMeanwhile, leftOut) = (0, 0)
        case .undecodable: noteUndecodable(frame)
        case .waitsForKey:
            waitedForKey += 1
            lostMeanwhile = lostMeanwhile.addingReportingOverflow(lost).partialValue
        case .late: dropped += 1
        case .surplus: lostMeanwhile = lostMeanwhile.addingReportingOverflow(lost).partialValue
        }
    }

    /// Puts the frames into a timelapse that are nearest to its times.
    private func choose(
        _ frame: FrameMetadata, lease: consuming FrameLease, at place: MoviePlace, source: MovieSource,
        writer: MovieWriter
    ) throws(MovieError) {
        var verdict = choice!.verdict(writer.elapsed(at: frame.time))
        if case .takeWaiting(let picture) = verdict {
            if let waiting = waiting.take() {
                try put(
                    waiting.frame, lease: waiting.lease, at: waiting.place, source: waiting.source, writer: writer,
                    picture: picture)
            }
            verdict = choice!.verdict(writer.elapsed(at: frame.time))
        }
        switch verdict {
        case .pass, .takeWaiting: break
        case .wait: waiting = WaitingFrame(frame: frame, lease: lease, place: place, source: source)
        case .take(let picture):
            waiting = nil
            try put(frame, lease: lease, at: place, source: source, writer: writer, picture: picture)
        }
        // The next picture may be far away.
        if settings.timelapse! >= MovieFile.pieceLength { try writer.bringIntoFile() }
    }

    private func forgetWaiting() {
        waiting = nil
        choice?.forget()
    }

    // MARK: Chapters

    /// Begins the chapters that were asked for until the frame at `place` was the newest.
    private func noteMarks(upTo place: MoviePlace, _ writer: MovieWriter) throws(MovieError) {
        for mark in feed.takeMarks(upTo: place) {
            let isPast = lastPlace.map { mark.place <= $0 } ?? false
            marks += 1
            let name = mark.name ?? "Mark \(marks)"
            if isPast { try writer.beginChapterWithLast(name) } else { writer.beginChapter(name) }
        }
    }

    /// Those that were asked for after the last frame. Returns what went wrong.
    private func noteLastMarks(_ writer: MovieWriter) -> MovieError? {
        do throws(MovieError) {
            try noteMarks(upTo: MoviePlace(stream: .max, counter: .max), writer)
            return nil
        } catch { return error }
    }

    // MARK: Times

    /// A frame's time by the movie's clock, which is that of its first source. A source with another clock is taken to
    /// go on where the last one ended; or, in a movie by this machine's clock, when its first frame is seen.
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

    private func noteUndecodable(_ frame: FrameMetadata) {
        undecodable += 1
        firstUndecodable = firstUndecodable ?? frame.time
    }

    private func isPastEnd(_ time: Timestamp, _ writer: MovieWriter) -> Bool {
        if let end = settings.end, time > end { return true }
        guard let duration = settings.duration else { return false }
        guard writer.span == nil else { return writer.elapsed(at: time) >= duration }
        // A source that delivers nothing else ends, too.
        return firstUndecodable.map { time - $0 >= duration } ?? false
    }
}
