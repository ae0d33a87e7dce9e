// SPDX-License-Identifier: MIT
// One track without a hole: sample n is the sound at its beginning + n / 48,000 s.

import LivecapFrames

/// Turns the stretches of a history into one track at 48 kHz of CLOCK_MONOTONIC.
///
/// The track is asked for by time: for each of its samples, the position in the stretch that was captured then is known
/// by the measured ratio of the clocks, and the sound is interpolated there. Where there is none, the track is silent.
/// So the track can neither drift, nor have a hole, nor step back, whatever microphones do.
///
/// The ratio becomes better known as a stretch goes on. The position follows it by at most 500 ppm, which cannot be
/// heard; an error of more than 20 ms is corrected at once, between two fades. Used by one thread.
package final class SoundTimeline {
    /// Samples per second.
    package static let rate = 48_000
    /// The number of interleaved channels.
    package let channels: Int
    /// Samples that were made.
    package private(set) var count: Int64 = 0
    /// Those among them in which there was no sound.
    package private(set) var silent: Int64 = 0
    /// How often sound came too late, or was found at another place than expected.
    package private(set) var corrections = 0

    private let history: SoundHistory
    private let start: Timestamp
    private var readers: [Int: Reader] = [:]
    private var block: [Float]
    private var scratch: [Float] = []

    /// How far a stretch has been read.
    private struct Reader {
        let table: SincTable
        var position: Double
        /// Where sound begins, by a fade.
        var fadeIn: Double
        /// Where it was taken for ended although more came.
        var starvedAt: Double?
    }

    /// Samples that are made at once: 10 ms.
    private static let size = 480
    /// How long sound is waited for that may still come. Then there is silence in its place.
    private static let patience = Duration.seconds(2)
    /// The share of an error that is corrected in each block: half a second in all.
    private static let share = 0.02
    private static let slew = 0.0005
    private static let jump = 0.02
    /// In seconds.
    private static let fade = 0.003

    /// The track of `history` from `start` on.
    package init(_ history: SoundHistory, start: Timestamp) {
        self.history = history
        self.start = start
        channels = history.channels
        block = [Float](repeating: 0, count: Self.size * history.channels)
    }

    /// When sample `count` is heard.
    private func time(of count: Int64) -> Timestamp {
        let (seconds, rest) = count.quotientAndRemainder(dividingBy: Int64(Self.rate))
        return Timestamp(
            nanoseconds: start.nanoseconds + seconds * 1_000_000_000 + (rest * 1_000_000_000 + 24_000) / 48_000)
    }

    /// The end of what was made.
    package var end: Timestamp { time(of: count) }

    /// Makes the track up to about `limit`, and hands on its samples, interleaved, in pieces. Ends earlier where sound
    /// may still come; `now` is the present.
    package func advance<Failure: Error>(
        to limit: Timestamp, now: Timestamp, _ take: (UnsafeBufferPointer<Float>) throws(Failure) -> Void
    ) throws(Failure) {
        while time(of: count + Int64(Self.size)) <= limit {
            let (begin, end) = (time(of: count), time(of: count + Int64(Self.size)))
            let look = history.look(from: begin, to: end + .milliseconds(5))
            let isLate = now - end >= Self.patience
            guard !look.isExpected || isLate else { return }
            for index in block.indices { block[index] = 0 }
            var hasSound = false
            for stretch in look.stretches where render(stretch, from: begin, to: end, isLate: isLate) {
                hasSound = true
            }
            if !hasSound { silent += Int64(Self.size) }
            readers = readers.filter { entry in look.stretches.contains { $0.number == entry.key } }
            count += Int64(Self.size)
            try block.withUnsafeBufferPointer { (samples) throws(Failure) in try take(samples) }
        }
    }

    /// Adds a stretch's sound to the block. Returns whether there is any.
    private func render(
        _ stretch: SoundHistory.Coverage, from begin: Timestamp, to end: Timestamp, isLate: Bool
    ) -> Bool {
        let line = stretch.line
        let length = Double(Self.size)
        let natural = line.rate / Double(Self.rate)
        var reader =
            readers[stretch.number]
            ?? Reader(
                table: SincTable(ratio: natural), position: line.count(at: begin),
                fadeIn: max(Double(stretch.first), min(line.count(at: begin), 0), 0))
        let target = line.count(at: end)
        let error = target - reader.position - length * natural
        if reader.starvedAt != nil || abs(error) > Self.jump * line.rate {
            reader.position = line.count(at: begin)
            reader.fadeIn = max(reader.position, Double(stretch.first))
            reader.starvedAt = nil
            corrections += 1
        }
        let remaining = target - reader.position - length * natural
        let most = length * natural * Self.slew
        let step = natural + max(-most, min(most, remaining * Self.share)) / length
        let last = reader.position + (length - 1) * step
        defer {
            reader.position += length * step
            readers[stretch.number] = reader
        }
        // The end of the sound: of the stretch, or of what has come in time.
        var fadeOut: Double?
        if !stretch.isOpen {
            fadeOut = Double(stretch.count)
        } else if last + Double(reader.table.half) + 1 >= Double(stretch.count) {
            fadeOut = Double(stretch.count)
            reader.starvedAt = Double(stretch.count)
        }
        guard last >= reader.fadeIn, reader.position < fadeOut ?? .infinity else { return false }
        mix(stretch.number, reader, step: step, fadeOut: fadeOut, fade: Self.fade * line.rate)
        return true
    }

    private func mix(_ number: Int, _ reader: Reader, step: Double, fadeOut: Double?, fade: Double) {
        let half = reader.table.half
        let base = Int64(reader.position.rounded(.down)) - Int64(half) + 1
        let needed = Int((Double(Self.size) * step).rounded(.up)) + 2 * half + 2
        if scratch.count < needed { scratch = [Float](repeating: 0, count: needed) }
        for channel in 0..<channels {
            scratch.withUnsafeMutableBufferPointer { input in
                history.copy(number, from: base, channel: channel, to: input)
                for index in 0..<Self.size {
                    let position = reader.position + Double(index) * step
                    var level = (position - reader.fadeIn) / fade
                    if let fadeOut { level = min(level, (fadeOut - position) / fade) }
                    guard level > 0 else { continue }
                    let whole = position.rounded(.down)
                    let place = Int(Int64(whole) - base) - half + 1
                    let value = reader.table.value(input.baseAddress! + place, offset: position - whole)
                    block[index * channels + channel] += value * Float(min(level, 1))
                }
            }
        }
    }
}
