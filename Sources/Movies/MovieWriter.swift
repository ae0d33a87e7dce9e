// SPDX-License-Identifier: MIT
// The times of a movie: when each picture is seen, what is shown where none comes, and what pauses leave out.

import FrameRing
import LivecapFrameFiles
import LivecapFrames
import LivecapPictures
import LivecapSound

/// Puts frames into a movie's files, with the sound of their time. On a canvas, it shows the last picture again where
/// frames are missing. Used by the movie's thread.
final class MovieWriter {
    private let parts: MovieParts
    private let track: any MovieTrack
    /// The same, if the movie has a canvas.
    private let canvas: (any CanvasTrack)?
    /// How long the last picture is seen.
    let interval: Duration
    /// From one picture of a timelapse to the next, when they are taken.
    private let lapse: Duration?

    private var beat: PictureBeat
    /// Leaves out frames beyond the canvas' own rate, which pictures then have exactly; nil if it has the cameras'.
    private var thinning: FrameThinning?
    private(set) var figures = MovieFigures()
    /// The first frame's time, from which those of all pictures count, and the last picture's.
    private(set) var span: (first: Timestamp, last: Timestamp)?
    /// The time of the last picture in the movie.
    private(set) var lastShown = Duration.zero
    /// When the last picture is no longer seen; zero if there is none.
    var length: Duration { span == nil ? .zero : rest ?? lastShown + interval }
    /// Paused time before the present picture, which is left out.
    private var cut = Duration.zero
    /// During a pause, the time at which the next picture follows.
    private var rest: Duration?
    /// What pauses left out.
    private(set) var pauses = MoviePauseSummary()
    private var hasBegun = false
    /// The camera of the pictures.
    private var camera: String?
    /// Chapters that begin with the next picture.
    private var chapters: [String] = []

    /// - Parameters:
    ///   - interval: how long the last picture is seen; with a canvas, between two pictures.
    ///   - fillsGaps: whether the last picture is shown again where frames are missing, if `track` can do that.
    init(
        _ parts: MovieParts, _ track: any MovieTrack, interval: Duration, lapse: Duration?, fillsGaps: Bool,
        isThinned: Bool = false
    ) {
        self.parts = parts
        self.track = track
        self.interval = interval
        self.lapse = lapse
        canvas = track as? any CanvasTrack
        self.fillsGaps = fillsGaps && canvas != nil
        let hasOwnRate = isThinned && lapse == nil && canvas != nil
        beat = PictureBeat(interval, isExact: hasOwnRate)
        thinning = hasOwnRate ? FrameThinning(interval) : nil
    }

    /// Whether the last picture is shown again where frames are missing.
    let fillsGaps: Bool

    var byteCount: Int { parts.byteCount }
    /// The path of the first file.
    var firstPath: String { parts.firstPath }
    /// Whether the index of files that are not finished yet is to be put first.
    var isIndexed: Bool { parts.isIndexed }

    /// The JPEG frames that follow are of the stream of `planes`.
    func follow(_ planes: SharedPlanes) { track.follow(planes) }

    /// On a canvas: the frames that follow have this format, and are mounted so.
    func show(_ frames: FrameFormat, _ mount: CameraMount) { canvas?.show(frames, mount) }

    /// The time since the first frame at which one is part of the movie: pauses do not count. Zero before the first
    /// one.
    func elapsed(at time: Timestamp) -> Duration {
        guard let span else { return .zero }
        return rest ?? max(time - span.first - cut, .zero)
    }

    // MARK: Pictures

    /// What became of a frame.
    enum Outcome {
        case added
        case undecodable
        /// It builds on frames that are missing.
        case waitsForKey
        /// Other pictures have taken its place, because it came so late.
        case late
        /// The movie's own rate has no place for it.
        case surplus
    }

    /// Looks at a frame from before the movie's beginning. Returns whether the movie could begin with it.
    func look(at lease: borrowing FrameLease) -> Bool { lease.withBytes { track.look(at: $0) } }

    /// Notes that frames are missing before the next one.
    func interrupt() { track.interrupt() }

    /// Adds a frame. Its time, and that of all others, is by the movie's clock. `usual` is the interval of its source's
    /// frames, and `leftOut` the number of those before it that left history unread. In a timelapse, it is the picture
    /// of that number.
    func add(
        _ frame: FrameMetadata, _ lease: borrowing FrameLease, usual: Duration?, leftOut: Int = 0, picture: Int? = nil
    ) throws(MovieError) -> Outcome {
        let elapsed = elapsed(at: frame.time)
        if let thinning, !thinning.takes(elapsed, usual: usual) { return .surplus }
        let time = picture.map { interval * $0 } ?? beat.place(of: elapsed)
        if fillsGaps {
            guard !beat.isTaken(time) else { return thinning != nil && beat.showsFrame ? .surplus : .late }
            if rest == nil { try fill(before: time, leftOut: leftOut) }
        }
        switch lease.withBytes({ track.verdict(on: frame, $0) }) {
        case .suitable: break
        case .undecodable: return .undecodable
        case .waitsForKey: return .waitsForKey
        }
        try splitIfFull(before: time, takenAt: frame.time)
        let isTaken = try lease.withBytes { (bytes) throws(MovieError) in
            try track.add(frame, bytes, at: time) { (packet) throws(MovieError) in
                if !hasBegun { begin(with: frame.time) }
                try parts.add(packet) { track.stream }
            }
        }
        guard isTaken else { return .undecodable }
        if !hasBegun { begin(with: frame.time) }
        resume(with: frame.time)
        for chapter in chapters { try parts.addChapter(chapter, at: time) }
        chapters.removeAll()
        figures.add(frame, cut: cut)
        beat.frame(at: time, usual: usual, now: .now)
        thinning?.taken(at: elapsed)
        (span, lastShown) = ((span?.first ?? frame.time, frame.time), time)
        try advanceSound(to: frame.time)
        return .added
    }

    /// The first frame becomes a picture.
    private func begin(with time: Timestamp) {
        hasBegun = true
        parts.begin(takenAt: time)
    }

    /// Shows the last picture again, as often as pictures are missing before one at `time`, maybe because frames were
    /// left out.
    private func fill(before time: Duration, leftOut: Int = 0) throws(MovieError) {
        guard let canvas, let first = span?.first else { return }
        while let (place, isMarked) = beat.repetition(before: time, leftOut: leftOut) {
            // The times of a timelapse are others than those of its frames.
            let taken = first + cut + (lapse.map { $0 * (place / interval) } ?? place)
            try splitIfFull(before: place, takenAt: taken)
            try canvas.addAgain(isMarked: isMarked, at: place) { (packet) throws(MovieError) in
                try parts.add(packet) { canvas.stream }
            }
            beat.repeated(at: place)
            figures.addAgain(isMarked: isMarked)
            if lapse == nil { span = (first, taken) }
            lastShown = place
            try advanceSound(to: taken)
        }
    }

    /// Begins another part with the picture at `time`, if it is to.
    private func splitIfFull(before time: Duration, takenAt taken: Timestamp) throws(MovieError) {
        guard track.canBegin, parts.isFull(before: time, waiting: track.waitingCount) else { return }
        try track.finish { (packet) throws(MovieError) in try parts.add(packet) { track.stream } }
        try track.begin()
        try parts.split(at: time, takenAt: taken)
        if let camera, !chapters.contains(camera) { try parts.addChapter(camera, at: time) }
    }

    /// No frame had come by `now`: the sound goes on, and so does the last picture if its source is by this machine's
    /// clock.
    func wait(at now: Timestamp, isLive: Bool) throws(MovieError) {
        guard hasBegun else { return }
        // Where pictures are shown again, sound does not overtake them, so that a part may begin with any of them.
        if fillsGaps, isLive, rest == nil, lapse == nil { return try fill(before: beat.settled(at: now)) }
        try advanceSound(to: now)
    }

    /// No frame has come for a while: what is there is brought into the file.
    func bringIntoFile() throws(MovieError) { try parts.rest() }

    private func advanceSound(to time: Timestamp) throws(MovieError) {
        figures.complete(parts.complete)
        // Sound does not overtake pictures that are still to come.
        let settled = span.flatMap { span in track.oldest.map { span.first + cut + $0 } }
        try parts.advanceSound(to: min(time, settled ?? time))
    }

    // MARK: Pauses and chapters

    /// Frames are left out from now on. What follows is seen as if there were no time between.
    func pause() throws(MovieError) {
        guard rest == nil, let span else { return }
        let end: Duration =
            if let lapse { lapse * (Int((elapsed(at: span.last) / lapse).rounded()) + 1) } else {
                elapsed(at: span.last) + interval
            }
        try track.rest { (packet) throws(MovieError) in try parts.add(packet) { track.stream } }
        // A sample's time, so that sound and pictures are cut at the same moment.
        rest = parts.pauseSound(at: end)
        try parts.rest()
    }

    private func resume(with time: Timestamp) {
        guard let rest, let first = span?.first else { return }
        let now = time - first - rest
        pauses.count += 1
        pauses.duration = pauses.duration + max(now - cut, .zero)
        cut = now
        self.rest = nil
        parts.resumeSound(at: time)
    }

    /// The pictures that follow are those of a camera, which begin a chapter if those before were another's.
    func beginCamera(_ name: String) {
        if name != camera { chapters.append(name) }
        camera = name
    }

    /// Begins a chapter with the next picture.
    func beginChapter(_ name: String) { chapters.append(name) }

    /// Begins a chapter with the last picture; with the first one, if there is none yet.
    func beginChapterWithLast(_ name: String) throws(MovieError) {
        if span == nil { beginChapter(name) } else { try parts.addChapter(name, at: lastShown) }
    }

    // MARK: The end

    /// Writes the rest and makes the files durable. After a failure the movie ends with its last complete piece.
    /// Returns the failure.
    func close(_ failure: MovieError?) -> MovieError? {
        var failure = failure
        do throws(MovieError) {
            guard failure == nil else { throw failure! }
            if hasBegun {
                try track.finish { (packet) throws(MovieError) in try parts.add(packet) { track.stream } }
            }
            for chapter in chapters where span != nil { try parts.addChapter(chapter, at: lastShown) }
            // As long as the last picture is seen.
            try parts.finish(at: length)
        } catch {
            failure = error
            parts.cut()
        }
        figures.complete(parts.complete)
        if failure != nil { figures.lose(allBut: parts.complete) }
        return failure
    }

    /// What is in each file.
    var summaries: [MoviePartSummary] { parts.finished }
    /// Whether all files have their index first, and why some have not that were to.
    var isIndexFirst: Bool { parts.isIndexFirst }
    var indexGap: MovieIndexGap? { parts.indexGap }
    /// The chapters in the files.
    var writtenChapters: [MovieChapter] { parts.chapters }
    var soundSummary: MovieSoundSummary? { parts.finished.isEmpty ? nil : parts.soundSummary }
}
