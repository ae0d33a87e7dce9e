// SPDX-License-Identifier: MIT
// Measures how far back a session's history reaches, while its first frames arrive.

import FrameRing
import LivecapFrames

/// Watches the history grow until it contains a moment of the past and the frames before it.
///
/// Compressed frames take a fraction of the maximum size, and cameras are slower in the dark than they announce. How
/// much of the past a ring holds is therefore known only from the frames that have arrived.
package struct HistoryReach: Sendable {
    /// The state of the history.
    package enum Verdict: Hashable, Sendable {
        /// The history is still growing.
        case growing
        /// The history holds everything asked for; or it holds the moment, and as many of the frames before it as it
        /// ever will.
        case reached
        /// The history is too short for the moment: it holds only this much.
        case tooShort(Duration)
    }

    private let ring: Ring
    private let interval: Duration
    private var newest: FrameMetadata?
    private var (measured, bytes) = (0, 0)

    /// The number of frames after which their mean size predicts that of the others.
    private static let minMeasured = 8

    /// Creates a watch on a ring whose frames are nominally `interval` apart, before the ring's first frame.
    package init(_ ring: Ring, interval: Duration) { (self.ring, self.interval) = (ring, interval) }

    /// Whether the history holds the moment `past` ago and `framesBefore` frames before it. To be called for every
    /// frame.
    package mutating func verdict(past: Duration, framesBefore: Int) -> Verdict {
        guard let newest = ring.leaseNewest()?.metadata, let oldest = ring.oldest else { return .growing }
        measure(newest)
        let span = newest.time - oldest.time
        let count = Int64(clamping: newest.id.counter - min(oldest.id.counter, newest.id.counter))
        let pace = max(interval, count > 0 ? span / count : .zero)
        if span >= past + pace * Int64(framesBefore) { return .reached }
        // Once frames have left, the history is as long as it gets.
        if ring.statistics.published > ring.nextCounter - oldest.id.counter {
            return span >= past ? .reached : .tooShort(span)
        }
        // Saves waiting a minute for what one second shows. The quarter allows for frames that turn out smaller.
        if measured >= Self.minMeasured {
            let estimate = pace * Int64(estimatedFrames - 1)
            if estimate * 5 / 4 < past { return .tooShort(estimate) }
        }
        return .growing
    }

    private mutating func measure(_ frame: FrameMetadata) {
        guard frame.id != newest?.id else { return }
        newest = frame
        (measured, bytes) = (measured + 1, bytes + frame.byteCount)
    }

    /// How many frames of the mean size seen fit, with room for one of the maximum size besides.
    private var estimatedFrames: Int {
        guard ring.isCompact, bytes > 0 else { return ring.historyLimit }
        let room = ring.memory.regions[0].count - ring.format.byteCount
        return max(1, min(ring.historyLimit, room / max(1, bytes / measured)))
    }
}
