// SPDX-License-Identifier: MIT
// A movie's second track: the sound of its time, as far as that has been captured.

import LivecapFrames
import LivecapSound

/// What is in a movie's track of sound.
public struct MovieSoundSummary: Hashable, Sendable {
    /// How it is compressed.
    public var codec: SoundCodec
    /// 1 or 2.
    public var channels: Int
    /// Its length.
    public var duration: Duration
    /// How much of that is silence, because no microphone delivered sound.
    public var silence: Duration
    /// How often sound was found too late, or at another time than expected.
    public var corrections: Int
}

/// Takes sound out of a history and puts it into a movie's file. Used by the movie's thread.
final class MovieSound {
    let encoder: SoundEncoder
    private let history: SoundHistory
    private var timeline: SoundTimeline?

    /// How much later than now the track is made: what is captured until then has arrived.
    private static let lag = Duration.milliseconds(300)

    /// - Throws: `noSoundEncoder`.
    init(_ history: SoundHistory, _ container: MovieContainer, _ library: MovieLibrary) throws(MovieError) {
        self.history = history
        encoder = try SoundEncoder(container.soundCodec, channels: history.channels, library)
    }

    /// The movie's first picture was taken at a time: the track begins there.
    func begin(at time: Timestamp) { timeline = timeline ?? SoundTimeline(history, start: time) }

    /// Puts into the movie what there is before `limit`. Waits for nothing.
    func advance(to limit: Timestamp, now: Timestamp = .now, _ movie: MovieFile) throws(MovieError) {
        let limit = min(limit, now - Self.lag)
        try advanceWhatever(to: limit, now: now, movie)
    }

    private func advanceWhatever(to limit: Timestamp, now: Timestamp, _ movie: MovieFile) throws(MovieError) {
        guard let timeline else { return }
        let encoder = encoder
        try timeline.advance(to: limit, now: now) { (samples) throws(MovieError) in
            try encoder.encode(samples) { (packet) throws(MovieError) in try movie.add(packet) }
        }
    }

    /// Puts the rest until `end` into the movie. Waits for sound that is still being captured.
    func finish(at end: Timestamp, _ movie: MovieFile) throws(MovieError) {
        guard let timeline else { return }
        while timeline.end < end {
            try advanceWhatever(to: end + .milliseconds(10), now: .now, movie)
            if timeline.end < end { history.waitForSound(until: .now + .milliseconds(20)) }
        }
        try encoder.finish { (packet) throws(MovieError) in try movie.add(packet) }
    }

    /// What was made of it.
    var summary: MovieSoundSummary? {
        timeline.map {
            MovieSoundSummary(
                codec: encoder.codec, channels: encoder.channels,
                duration: .seconds(Double($0.count) / Double(SoundTimeline.rate)),
                silence: .seconds(Double($0.silent) / Double(SoundTimeline.rate)), corrections: $0.corrections)
        }
    }
}
