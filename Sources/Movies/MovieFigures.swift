// SPDX-License-Identifier: MIT
// What is in a movie, in figures, as far as its file is complete.

import LivecapFrameFiles
import LivecapFrames

/// Figures of a movie's pictures. Only those of the piece in the making are kept one by one, so that a movie of a day
/// takes no more memory than one of a minute.
struct MovieFigures {
    private var summary = RecordingSummary()
    private var meter = ContinuityMeter()
    /// Pictures behind the last complete piece, oldest first, with the paused time before them; nil for those that were
    /// shown again.
    private var pending: [(frame: FrameMetadata, cut: Duration)?] = []
    /// Pictures before those.
    private var settled = 0

    /// The number of frames that became pictures.
    private(set) var frames = 0
    /// Pictures that were shown again.
    private(set) var repeated = MovieRepetitions()

    /// Adds the frame of the next picture. `cut` is how much time was left out before it.
    mutating func add(_ frame: FrameMetadata, cut: Duration) {
        pending.append((frame, cut))
        frames += 1
    }

    /// Adds a picture that is shown again.
    mutating func addAgain(isMarked: Bool) {
        pending.append(nil)
        repeated.pictures += 1
        repeated.marked += isMarked ? 1 : 0
    }

    /// Notes how many pictures are in complete pieces of the file.
    mutating func complete(_ count: Int) {
        let more = min(count - settled, pending.count)
        guard more > 0 else { return }
        for case let (frame, cut)? in pending.prefix(more) { settle(frame, cut) }
        pending.removeFirst(more)
        settled += more
    }

    /// Notes that no more than `count` pictures are left after a failure: a file may have been removed, or may not have
    /// got its name. What was counted of the others still counts, unless none is left.
    mutating func lose(allBut count: Int) {
        pending = []
        guard count < settled else { return }
        summary.frames = min(summary.frames, count)
        guard count == 0 else { return }
        summary = RecordingSummary()
        meter = ContinuityMeter()
    }

    /// Figures of the pictures in complete pieces. `rate` is that at which they should have come.
    func complete(rate: FrameRate?) -> RecordingSummary {
        var result = summary
        result.continuity = meter.continuity(rate: rate)
        return result
    }

    private mutating func settle(_ frame: FrameMetadata, _ cut: Duration) {
        summary.frames += 1
        summary.bytes += frame.byteCount
        summary.gaps += frame.flags.contains(.gapBefore) ? 1 : 0
        summary.lost += Int(frame.lostBefore)
        summary.first = summary.first ?? frame.time
        summary.last = frame.time
        // A pause is not a gap.
        var frame = frame
        frame.time = frame.time - cut
        meter.add(frame)
    }
}
