// SPDX-License-Identifier: MIT
// One file of a movie, with the pictures and the sound of its time.

import LivecapFrameFiles
import LivecapFrames

/// A file of a movie in the making. Times are those of the movie, and places those of its sound. Used by the movie's
/// thread.
final class MoviePart {
    var path: String { file.path }
    /// When its first picture is seen.
    let begin: Duration
    /// When that was taken; nil before the movie's first one.
    var takenAt: Timestamp?
    /// Where its sound ends; nil as long as the part goes on.
    var soundEnd: Int64?
    let encoder: SoundEncoder?
    private let file: any MovieDestination
    /// Nil before its first picture.
    private var movie: MovieFile?
    /// Sound that came before the first picture.
    private var earlySound: [Float] = []
    private(set) var chapters: [MovieChapter] = []
    private var largestPicture = 0

    /// Creates the file, so that any obstacle is known. If another program takes its path meanwhile, it gets the next
    /// one.
    init(
        _ path: String, orAt nextPath: (() -> String?)?, overwrite: Bool, begin: Duration, takenAt: Timestamp?,
        _ encoder: SoundEncoder?
    ) throws(MovieError) {
        self.begin = begin
        self.takenAt = takenAt
        self.encoder = encoder
        file = try MovieError.wrapping { () throws(FrameFileError) in
            try openMovieDestination(path, overwrite: overwrite, orAt: nextPath)
        }
    }

    var hasBegun: Bool { movie != nil }
    var byteCount: Int { file.byteCount }
    var isStream: Bool { file.isStream }
    /// Pictures that are in complete pieces of the file.
    var complete: Int { movie?.complete ?? 0 }

    /// What is in the file.
    var summary: MoviePartSummary {
        MoviePartSummary(path: path, begin: begin, pictures: complete, byteCount: byteCount)
    }

    /// The chapters that have room in the file, in times of the movie.
    var writtenChapters: [MovieChapter] {
        chapters.prefix(movie?.writtenChapters ?? 0).map { MovieChapter(begin: begin + $0.begin, name: $0.name) }
    }

    /// Whether the file may become larger than `limit` with another picture, and those that are still to come before
    /// it.
    func isFull(at limit: Int, waiting: Int) -> Bool {
        movie.map { $0.expectedBytes(next: largestPicture * (waiting + 1)) > limit } ?? false
    }

    /// Adds a picture. `open` makes the file's header, which needs the first one.
    func add(
        _ packet: MoviePacket, _ open: (any MovieDestination) throws(MovieError) -> MovieFile
    ) throws(MovieError) {
        largestPicture = max(largestPicture, packet.bytes.count)
        if let movie { return try movie.add(packet.at(max(packet.time - begin, .zero))) }
        let movie = try open(file)
        self.movie = movie
        try movie.setChapters(chapters)
        // The part begins at the time of a sample, which is as good as the same. A later picture takes the place of one
        // that could not be decoded.
        let time = packet.time - begin
        try movie.add(packet.at(time < .milliseconds(1) ? .zero : time))
        try earlySound.withUnsafeBufferPointer { (samples) throws(MovieError) in try add(samples) }
        earlySound = []
    }

    /// Adds interleaved samples of sound.
    func add(_ samples: UnsafeBufferPointer<Float>) throws(MovieError) {
        guard let movie else { return earlySound.append(contentsOf: samples) }
        try encoder?.encode(samples) { (packet) throws(MovieError) in try movie.add(packet) }
    }

    /// Adds a chapter, at a time of the movie.
    func addChapter(_ name: String, at time: Duration) throws(MovieError) {
        // Others would not be written.
        guard chapters.count < ChapterRoom.limit else { return }
        chapters.add(name, at: max(time - begin, .zero))
        try movie?.setChapters(chapters)
    }

    /// Brings what is there into the file, because no picture may follow for a while.
    func rest() throws(MovieError) { try movie?.rest() }

    /// Completes the last picture, which is seen until `end`.
    func endPictures(at end: Duration) throws(MovieError) { try movie?.endPictures(at: end - begin) }

    /// Writes the rest and makes the file durable.
    func finish() throws(MovieError) {
        guard let movie else { return file.discard() }
        try encoder?.finish { (packet) throws(MovieError) in try movie.add(packet) }
        try movie.finish()
        try MovieError.wrapping { () throws(FrameFileError) in try file.finish() }
    }

    /// After a failure: the file ends with its last complete piece, and is removed if there is none. Returns whether
    /// there is one, and the file still has its name.
    func cut() -> Bool {
        try? movie?.cut()
        guard complete > 0 else {
            file.discard()
            return false
        }
        // What is there can be played, whatever else fails.
        do throws(FrameFileError) { try file.finish() } catch { return file.isInPlace }
        return true
    }
}

extension MoviePacket {
    /// The same at another time.
    func at(_ time: Duration) -> MoviePacket { MoviePacket(bytes: bytes, time: time, isKey: isKey) }
}
