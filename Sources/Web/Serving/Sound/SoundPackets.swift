// SPDX-License-Identifier: MIT
// The sound of a microphone as packets, as soon as it has been captured.

import LivecapFrames
import LivecapMovies
import LivecapSound

/// Makes packets of what a history has. They have no hole: while there is no microphone, they are silent. Used by one
/// thread.
final class SoundPackets {
    private let timeline: SoundTimeline
    private let encoder: LiveSoundEncoder
    private let start: Timestamp
    private let channels: Int
    private var number: UInt32 = 0

    /// How much later than now packets are made. What is captured is waited for; so this only keeps silence from being
    /// made in the instant in which one stretch of sound follows another.
    static let lag = Duration.milliseconds(10)

    /// The sound of `history` from `start` on.
    /// - Throws: why sound cannot be encoded.
    init(_ history: SoundHistory, from start: Timestamp) throws(MovieError) {
        self.start = start
        channels = history.channels
        timeline = SoundTimeline(history, start: start)
        encoder = try LiveSoundEncoder(channels: history.channels)
    }

    /// Hands on the packets that are complete at a time, `now`.
    func advance(to now: Timestamp, _ take: (SoundChunk) -> Void) throws(MovieError) {
        try timeline.advance(to: now - Self.lag, now: now) { (samples) throws(MovieError) in
            try encoder.encode(samples) { packet in
                // Wraps after two years.
                number &+= 1
                take(SoundChunk(packet.bytes, time: start + packet.time, number: number, channels: channels))
            }
        }
    }
}
