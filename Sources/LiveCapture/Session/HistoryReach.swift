// SPDX-License-Identifier: MIT
// How far back a session's history reaches, measured while its first frames come.

import FrameRing
import Frames

/// Watches history grow until a moment of the past, and the frames before it, are in it.
///
/// Compressed frames take a fraction of the largest there could be, and cameras are slower in the dark than they promised: only
/// the frames that have come show how much of the past a ring holds.
public struct HistoryReach: Sendable {
    /// How things stand.
    public enum Verdict: Hashable, Sendable {
        /// More is still to come.
        case growing
        /// All that was asked for is there; or the moment is, with as many of the frames before it as history ever has.
        case reached
        /// The moment has no place in the history, which holds only this much.
        case tooShort(TimeSpan)
    }

    private let ring: FrameRing
    private let interval: TimeSpan
    private var newest: FrameMetadata?
    private var (measured, bytes) = (0, 0)

    /// As many frames show what the others take.
    private static let fewestMeasured = 8

    /// The history of a ring whose frames were said to be `interval` apart. To be made before its first frame.
    public init(_ ring: FrameRing, interval: TimeSpan) { (self.ring, self.interval) = (ring, interval) }

    /// Whether history holds what is `past` ago and `framesBefore` frames earlier than that. To be asked at every frame.
    public mutating func verdict(past: TimeSpan, framesBefore: Int) -> Verdict {
        guard let newest = ring.leaseNewest()?.metadata, let oldest = ring.oldest else { return .growing }
        measure(newest)
        let span = newest.time - oldest.time
        let count = Int64(clamping: newest.id.counter - min(oldest.id.counter, newest.id.counter))
        let pace = max(interval, count > 0 ? span / count : .zero)
        if span >= past + pace * Int64(framesBefore) { return .reached }
        // Once frames have left, it is as long as it gets.
        if ring.statistics.published > ring.nextCounter - oldest.id.counter {
            return span >= past ? .reached : .tooShort(span)
        }
        // So that nobody waits a minute for what a second shows. A quarter is left for frames that turn out smaller.
        if measured >= Self.fewestMeasured {
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

    /// How many frames like those that came fit beside room for the largest.
    private var estimatedFrames: Int {
        guard ring.isCompact, bytes > 0 else { return ring.historyLimit }
        let room = ring.memory.regions[0].count - ring.format.byteCount
        return max(1, min(ring.historyLimit, room / max(1, bytes / measured)))
    }
}
