// SPDX-License-Identifier: MIT
// Both tracks of a movie and their file: pictures go in at times since the first one.

import FrameRing
import LivecapFrameFiles
import LivecapFrames
import LivecapSound

/// Puts frames into a movie's file, with the sound of their time. On a canvas, it shows the last picture again where frames
/// are missing. Used by the movie's thread.
final class MovieWriter {
    private let file: RecordingFile
    private let library: MovieLibrary
    private let track: any MovieTrack
    /// The same, if the movie has a canvas.
    private let canvas: (any CanvasTrack)?
    private let sound: MovieSound?
    private let interval: Duration
    private let isFragmented: Bool
    /// What the file says of itself. What is not known before the first frame is added then.
    private var account: MovieAccount

    private var movie: MovieFile?
    private var beat: PictureBeat
    private(set) var figures = MovieFigures()
    /// The first frame's time, from which those of all pictures count, and the last picture's.
    private(set) var span: (first: Timestamp, last: Timestamp)?

    /// - Parameters:
    ///   - interval: how long the last picture is seen; with a canvas, between two pictures.
    init(
        _ file: RecordingFile, _ library: MovieLibrary, _ track: any MovieTrack, _ sound: MovieSound?,
        _ account: MovieAccount, interval: Duration, isFragmented: Bool
    ) {
        (self.file, self.library, self.track, self.sound) = (file, library, track, sound)
        (self.account, self.interval, self.isFragmented) = (account, interval, isFragmented)
        canvas = track as? any CanvasTrack
        beat = PictureBeat(interval)
    }

    /// Whether the last picture is shown again where frames are missing.
    var hasCanvas: Bool { canvas != nil }

    var byteCount: Int { file.byteCount }

    /// On a canvas: the frames that follow have this format, and are mounted so.
    func show(_ frames: FrameFormat, _ mount: CameraMount) { canvas?.show(frames, mount) }

    /// What became of a frame.
    enum Outcome {
        case added
        case undecodable
        /// Other pictures have taken its place, because it came so late.
        case late
    }

    /// Adds a frame. Its time, and that of all others, is by the movie's clock. `start` is when the first one was taken, if
    /// that is known. `usual` is the interval of its source's frames.
    func add(
        _ frame: FrameMetadata, _ lease: borrowing FrameLease, usual: Duration?, start: CalendarTime?
    ) throws(MovieError) -> Outcome {
        let time = max(frame.time - (span?.first ?? frame.time), .zero)
        if canvas != nil {
            guard !beat.isTaken(time) else { return .late }
            try fill(before: time)
        }
        let isTaken = try lease.withBytes { (bytes) throws(MovieError) in
            try track.add(frame, bytes, at: time) { (packet) throws(MovieError) in
                try begun(frame.time, start).add(packet)
            }
        }
        guard isTaken else { return .undecodable }
        figures.add(frame)
        beat.frame(at: time, usual: usual, now: .now)
        span = (span?.first ?? frame.time, frame.time)
        try advanceSound(to: frame.time)
        return .added
    }

    /// No frame had come by `now`: the sound goes on, and so does the last picture if its source is by this machine's clock.
    func wait(at now: Timestamp, isLive: Bool) throws(MovieError) {
        guard movie != nil else { return }
        if hasCanvas, isLive { try fill(before: beat.settled(at: now)) }
        try advanceSound(to: now)
    }

    /// No frame has come for a while: what is there is brought into the file.
    func rest() throws(MovieError) { try movie?.rest() }

    /// Writes the rest and makes the file durable. After a failure the movie ends with its last complete piece.
    func close(_ failure: MovieError?) -> (failure: MovieError?, sound: MovieSoundSummary?, byteCount: Int) {
        var failure = failure
        guard let movie else {
            file.discard()
            return (failure, nil, 0)
        }
        do throws(MovieError) {
            guard failure == nil else { throw failure! }
            try track.finish { (packet) throws(MovieError) in try movie.add(packet) }
            // As long as the last picture is seen.
            if let span { try sound?.finish(at: span.last + interval, movie) }
            try movie.finish()
        } catch {
            failure = error
            try? movie.cut()
        }
        figures.complete(movie.complete)
        guard movie.complete > 0 else {
            file.discard()
            return (failure, nil, 0)
        }
        do throws(FrameFileError) { try file.finish() } catch { failure = failure ?? .file(error) }
        return (failure, sound?.summary, file.byteCount)
    }

    /// The movie's file, whose header is written with the first packet.
    private func begun(_ time: Timestamp, _ start: CalendarTime?) throws(MovieError) -> MovieFile {
        if let movie { return movie }
        var stream = track.stream
        stream.sound = sound?.encoder
        sound?.begin(at: time)
        (account.start, account.encoder, account.sound) = (start, stream.encoder, sound?.encoder.codec)
        let made = try MovieFile(file, stream, account, interval: interval, isFragmented: isFragmented, library)
        movie = made
        return made
    }

    /// Shows the last picture again, as often as pictures are missing before one at `time`.
    private func fill(before time: Duration) throws(MovieError) {
        guard let canvas, let movie, let first = span?.first else { return }
        while let (place, isMarked) = beat.repetition(before: time) {
            try canvas.addAgain(isMarked: isMarked, at: place) { (packet) throws(MovieError) in try movie.add(packet) }
            beat.repeated(at: place)
            figures.addAgain(isMarked: isMarked)
            span = (first, first + place)
            try advanceSound(to: first + place)
        }
    }

    private func advanceSound(to time: Timestamp) throws(MovieError) {
        guard let movie else { return }
        figures.complete(movie.complete)
        try sound?.advance(to: time, movie)
    }
}
