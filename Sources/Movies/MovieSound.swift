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

/// Takes sound out of a history: one track, from which the time of pauses is cut out. Used by the movie's thread.
final class MovieSound {
    let history: SoundHistory
    /// Stretches of the track, each of which shows a time without a pause. Oldest first; those before are made.
    private var stretches: [Stretch] = []
    /// Where the last pause began.
    private var pausedAt: Int64?
    /// Samples that were made.
    private(set) var count: Int64 = 0
    private var silent: Int64 = 0
    private var corrections = 0
    private var block: [Float] = []

    private struct Stretch {
        let timeline: SoundTimeline
        let start: Timestamp
        /// The sample of the track with which it begins.
        let begin: Int64
        /// The sample before which it ends; nil as long as it goes on.
        var end: Int64?
        /// Whether it ends with a pause.
        var isCut = false
    }

    /// How much later than now the track is made: what is captured until then has arrived.
    static let lag = Duration.milliseconds(300)
    /// Sound before and after a pause is faded for this many samples: 3 ms.
    private static let fade: Int64 = 144

    init(_ history: SoundHistory) { self.history = history }

    /// The movie's first picture was taken at a time: the track begins there.
    func begin(at time: Timestamp) {
        if stretches.isEmpty {
            stretches.append(Stretch(timeline: SoundTimeline(history, start: time), start: time, begin: 0))
        }
    }

    /// Ends the present stretch at `sample`, or where it was made beyond that. Returns where it ends.
    func pause(at sample: Int64) -> Int64 {
        guard let last = stretches.indices.last else { return sample }
        let end = max(sample, count)
        (stretches[last].end, stretches[last].isCut, pausedAt) = (end, true, end)
        return end
    }

    /// Goes on after a pause, with the sound of `time`.
    func resume(at time: Timestamp) {
        guard let begin = pausedAt.take() else { return }
        stretches.append(Stretch(timeline: SoundTimeline(history, start: time), start: time, begin: begin))
    }

    /// Hands on what there is before `limit`, in pieces. Waits for nothing.
    func advance(
        to limit: Timestamp, now: Timestamp = .now, _ take: (UnsafeBufferPointer<Float>) throws(MovieError) -> Void
    ) throws(MovieError) {
        try advance(to: min(limit, now - Self.lag), endingBy: now - Self.lag, now: now, take)
    }

    /// Hands on the rest of the track, up to `sample`. Waits for sound that is still being captured.
    func finish(at sample: Int64, _ take: (UnsafeBufferPointer<Float>) throws(MovieError) -> Void) throws(MovieError) {
        guard let last = stretches.indices.last else { return }
        stretches[last].end = stretches[last].end ?? max(sample, count)
        while !stretches.isEmpty {
            try advance(to: .distantFuture, endingBy: .distantFuture, now: .now, take)
            if !stretches.isEmpty { history.waitForSound(until: .now + .milliseconds(20)) }
        }
    }

    /// Hands on the track up to `limit`, or the end of a stretch that is complete if that is not later than `latest`.
    private func advance(
        to limit: Timestamp, endingBy latest: Timestamp, now: Timestamp,
        _ take: (UnsafeBufferPointer<Float>) throws(MovieError) -> Void
    ) throws(MovieError) {
        while let stretch = stretches.first {
            // The timeline makes whole blocks: one that holds the stretch's end is made.
            let end = stretch.end.map {
                min(stretch.start + TrackTime.time(of: $0 - stretch.begin - 1 + Self.blockLength), latest)
            }
            try stretch.timeline.advance(to: end ?? limit, now: now) { (samples) throws(MovieError) in
                try hand(on: samples, of: stretch, take)
            }
            guard let end = stretch.end, count >= end else { return }
            settle(stretch)
            stretches.removeFirst()
        }
    }

    private static let blockLength: Int64 = 480

    private func hand(
        on samples: UnsafeBufferPointer<Float>, of stretch: Stretch,
        _ take: (UnsafeBufferPointer<Float>) throws(MovieError) -> Void
    ) throws(MovieError) {
        let channels = history.channels
        let length = min(Int64(samples.count / channels), (stretch.end ?? .max) - count)
        guard length > 0 else { return }
        block.removeAll(keepingCapacity: true)
        block.append(contentsOf: samples[..<(Int(length) * channels)])
        for sample in 0..<length {
            let before = stretch.begin > 0 ? count + sample - stretch.begin : Self.fade
            let after = stretch.isCut ? stretch.end! - count - sample : Self.fade
            let level = min(before, after)
            guard level < Self.fade else { continue }
            for place in Int(sample) * channels..<(Int(sample) + 1) * channels {
                block[place] *= Float(level) / Float(Self.fade)
            }
        }
        count += length
        try block.withUnsafeBufferPointer { (block) throws(MovieError) in try take(block) }
    }

    private func settle(_ stretch: Stretch) {
        silent += min(stretch.timeline.silent, count - stretch.begin)
        corrections += stretch.timeline.corrections
    }

    /// What was made of it, as `codec`; nil before the movie's first picture.
    func summary(_ codec: SoundCodec) -> MovieSoundSummary? {
        guard count > 0 || !stretches.isEmpty else { return nil }
        let open = stretches.first
        return MovieSoundSummary(
            codec: codec, channels: history.channels, duration: TrackTime.time(of: count),
            silence: TrackTime.time(of: silent + (open?.timeline.silent ?? 0)),
            corrections: corrections + (open?.timeline.corrections ?? 0))
    }
}
