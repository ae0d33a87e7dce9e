// SPDX-License-Identifier: MIT
// The files of a movie, one after the other, with the sound of each.

import LivecapFrameFiles
import LivecapFrames
import LivecapSound

/// Puts packets of pictures and the sound of their time into a movie's files. Used by the movie's thread.
///
/// Sound comes later than its pictures. So a part that has all of its pictures stays open until its sound has come, and
/// meanwhile the next one keeps its pictures in memory.
final class MovieParts {
    private let library: MovieLibrary
    private let path: String
    private let settings: MovieSettings
    private let interval: Duration
    /// What the files say of themselves. What is not known before the first picture is added then.
    private var account: MovieAccount
    private let sound: MovieSound?
    private let anchor: WallClockAnchor?
    private let codec: SoundCodec
    private let indexer: MovieIndexer
    private var names: NumberedNames?
    /// The path of the first file.
    private(set) var firstPath: String
    /// Those that are not complete, oldest first. The last one takes the pictures.
    private var open: [MoviePart] = []
    /// The same of complete parts together.
    private var (finishedBytes, finishedPictures) = (0, 0)
    /// What is in each complete file.
    private(set) var finished: [MoviePartSummary] = []
    /// The chapters that are in complete files, by the movie's time.
    private(set) var chapters: [MovieChapter] = []
    /// Whether all files have their index first, and why some have not that were to.
    private(set) var isIndexFirst = false
    private(set) var indexGap: MovieIndexGap?
    /// Samples that were handed on.
    private var soundPlace: Int64 = 0

    /// Opens the first part.
    /// - Parameters:
    ///   - interval: how long the last picture is seen.
    ///   - anchor: the date of some time on the movie's clock, if it is known.
    ///   - indexer: gets finished files of MP4.
    /// - Throws: `noSoundEncoder`, and what keeps the file from being created.
    init(
        _ path: String, settings: MovieSettings, sound: MovieSound?, account: MovieAccount, interval: Duration,
        anchor: WallClockAnchor?, indexer: MovieIndexer, library: MovieLibrary
    ) throws(MovieError) {
        self.path = path
        self.settings = settings
        self.sound = sound
        self.account = account
        firstPath = path
        self.interval = interval
        self.anchor = anchor
        self.indexer = indexer
        self.library = library
        codec = account.format.container.soundCodec
        names = settings.split == nil ? nil : NumberedNames(partsOf: path)
        try beginPart(at: .zero, takenAt: nil)
    }

    var byteCount: Int { open.reduce(finishedBytes) { $0 + $1.byteCount } }
    /// Pictures that are in complete pieces.
    var complete: Int { open.reduce(finishedPictures) { $0 + $1.complete } }
    /// What was made of the sound.
    var soundSummary: MovieSoundSummary? { sound?.summary(codec) }

    private func beginPart(at begin: Duration, takenAt time: Timestamp?) throws(MovieError) {
        let encoder: SoundEncoder? =
            if let sound { try SoundEncoder(codec, channels: sound.history.channels, library) } else { nil }
        let path = names?.next().path ?? path
        if open.isEmpty, finished.isEmpty { firstPath = path }
        open.append(
            try MoviePart(
                path, orAt: { [weak self] in self?.names?.next().path }, overwrite: settings.overwrite && names == nil,
                begin: begin, takenAt: time, encoder))
    }

    // MARK: Pictures

    /// Begins the movie: its first picture was taken at `time`, and comes before any sound.
    func begin(takenAt time: Timestamp) {
        open.last?.takenAt = time
        sound?.begin(at: time)
    }

    /// Adds a picture. `stream` is what its track says then.
    func add(_ packet: MoviePacket, _ stream: () -> MovieStream) throws(MovieError) {
        let part = open.last!
        try part.add(packet) { (file) throws(MovieError) in
            var stream = stream()
            stream.sound = part.encoder
            account.start = anchor.flatMap { anchor in
                part.takenAt.map { anchor.calendar.advanced(by: $0 - anchor.monotonic) }
            }
            (account.encoder, account.sound) = (stream.encoder, part.encoder?.codec)
            account.part = names == nil ? nil : finished.count + open.count
            return try MovieFile(
                file, stream: stream, account: account, interval: interval, isFragmented: settings.isFragmented,
                library: library)
        }
    }

    /// Whether a picture at a time is to be the first one of the next part. So many others are still to come before it.
    func isFull(before time: Duration, waiting: Int) -> Bool {
        guard let part = open.last, part.hasBegun else { return false }
        // Sound that was handed on is in the part already.
        guard TrackTime.sample(at: time) >= soundPlace else { return false }
        return switch settings.split {
        case .duration(let most): time - part.begin >= most
        case .bytes(let most): part.isFull(at: most, waiting: waiting)
        case nil: false
        }
    }

    /// Ends the present part: the next picture, at `time`, begins another one. It was taken at `taken`.
    func split(at time: Duration, takenAt taken: Timestamp) throws(MovieError) {
        let (part, sample) = (open.last!, TrackTime.sample(at: time))
        part.soundEnd = sample
        try part.endPictures(at: time)
        if sound == nil { try finishOldest() }
        try beginPart(at: TrackTime.time(of: sample), takenAt: taken)
    }

    /// Adds a chapter.
    func addChapter(_ name: String, at time: Duration) throws(MovieError) {
        try open.last?.addChapter(name, at: time)
    }

    /// What there is is brought into the file.
    func rest() throws(MovieError) { try open.last?.rest() }

    // MARK: Sound

    /// Makes the sound before `limit`, as far as it is there.
    func advanceSound(to limit: Timestamp, now: Timestamp = .now) throws(MovieError) {
        try sound?.advance(to: limit, now: now) { (samples) throws(MovieError) in try distribute(samples) }
    }

    /// Ends the sound at `time`, which is rounded to a sample, because the movie is paused. Returns when it ends: later
    /// if it was made beyond that.
    func pauseSound(at time: Duration) -> Duration {
        let sample = TrackTime.sample(at: time)
        return TrackTime.time(of: sound?.pause(at: sample) ?? sample)
    }

    /// Goes on with the sound of `time`.
    func resumeSound(at time: Timestamp) { sound?.resume(at: time) }

    /// Gives each part the samples of its time.
    private func distribute(_ samples: UnsafeBufferPointer<Float>) throws(MovieError) {
        guard let channels = sound?.history.channels else { return }
        var rest = samples[...]
        while let part = open.first {
            let length = min(Int64(rest.count / channels), (part.soundEnd ?? .max) - soundPlace)
            let taken = rest.prefix(max(0, Int(length)) * channels)
            try part.add(UnsafeBufferPointer(rebasing: taken))
            rest = rest.dropFirst(taken.count)
            soundPlace += Int64(taken.count / channels)
            guard soundPlace == part.soundEnd else { return }
            try finishOldest()
        }
    }

    // MARK: The end

    private func finishOldest() throws(MovieError) {
        try open[0].finish()
        if open[0].hasBegun {
            note(open[0])
            if isIndexed { indexer.add(open[0].path) }
        }
        open.removeFirst()
    }

    private func note(_ part: MoviePart) {
        finished.append(part.summary)
        finishedBytes += part.byteCount
        finishedPictures += part.complete
        chapters += part.writtenChapters
    }

    /// Completes all parts. The last picture is seen until `end`.
    func finish(at end: Duration) throws(MovieError) {
        if let sound, let last = open.last {
            let end = max(TrackTime.sample(at: end), sound.count)
            last.soundEnd = end
            try sound.finish(at: end) { (samples) throws(MovieError) in try distribute(samples) }
        }
        while !open.isEmpty { try finishOldest() }
        takeIndexed()
    }

    /// Whether the index of finished files is to be put first. In a stream, nothing can be put before what was written.
    var isIndexed: Bool {
        settings.isFragmented && settings.hasIndexFirst && account.format.container == .mp4
            && open.first?.isStream == false
    }

    /// Waits until the index of finished files is first, or that was given up.
    private func takeIndexed() {
        let (sizes, gap) = indexer.finish()
        for (number, part) in finished.enumerated() {
            guard let size = sizes[part.path] else { continue }
            finishedBytes += size - part.byteCount
            finished[number].byteCount = size
        }
        isIndexFirst = !finished.isEmpty && sizes.count == finished.count
        indexGap = gap
    }

    /// After a failure: what is complete stays. Parts that only wait for their sound are completed if that is possible.
    func cut() {
        if let end = open.last(where: { $0.soundEnd != nil })?.soundEnd {
            try? sound?.finish(at: end) { (samples) throws(MovieError) in try distribute(samples) }
            while open.first?.soundEnd == soundPlace, (try? finishOldest()) != nil {}
        }
        for part in open where part.cut() { note(part) }
        open = []
        indexer.limit(to: .zero)
        takeIndexed()
    }
}
