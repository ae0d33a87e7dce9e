// SPDX-License-Identifier: MIT
// What the decoder of a camera's compressed video has done so far.

import LivecapFrames
import Synchronization

/// What was decoded of a stream, and how long that took.
public struct DecodingStatistics: Hashable, Sendable {
    /// The number of pictures.
    public var pictures = 0
    /// Frames left out because they build on one that was lost or damaged.
    public var waitedForKey = 0
    /// Frames that could not be decoded, or only in part.
    public var undecodable = 0
    /// How often the camera was asked for a picture that needs no other, and took the request.
    public var keyFramesAsked = 0
    /// The most pictures that the stream has held back, because it says that they come out of order.
    public var heldBack = 0
    /// How long decoding took, on average, and at most: how much later than without it a picture is in the ring.
    public var meanDelay = Duration.zero
    /// The longest such time.
    public var longestDelay = Duration.zero

    /// Creates statistics with all totals at zero.
    public init() {}
}

/// The counters behind `DecodingStatistics`. One thread writes each of them; any thread may read them.
final class DecodingAccount: Sendable {
    private let pictures = Atomic<Int>(0)
    private let waited = Atomic<Int>(0)
    private let undecodable = Atomic<Int>(0)
    private let asked = Atomic<Int>(0)
    private let held = Atomic<Int>(0)
    private let nanoseconds = Atomic<Int64>(0)
    private let longest = Atomic<Int64>(0)

    func decoded(in time: Duration) {
        pictures.add(1, ordering: .relaxed)
        nanoseconds.add(time.nanoseconds, ordering: .relaxed)
        if time.nanoseconds > longest.load(ordering: .relaxed) { longest.store(time.nanoseconds, ordering: .relaxed) }
    }

    func leftOut(_ damage: Damage) {
        switch damage {
        case .needsKeyFrame: waited.add(1, ordering: .relaxed)
        case .undecodable: undecodable.add(1, ordering: .relaxed)
        // The camera's thread has counted it.
        default: break
        }
    }

    func askedForKey() { asked.add(1, ordering: .relaxed) }

    func heldBack(_ count: Int) {
        if count > held.load(ordering: .relaxed) { held.store(count, ordering: .relaxed) }
    }

    var statistics: DecodingStatistics {
        var statistics = DecodingStatistics()
        statistics.pictures = pictures.load(ordering: .relaxed)
        statistics.waitedForKey = waited.load(ordering: .relaxed)
        statistics.undecodable = undecodable.load(ordering: .relaxed)
        statistics.keyFramesAsked = asked.load(ordering: .relaxed)
        statistics.heldBack = held.load(ordering: .relaxed)
        let total = nanoseconds.load(ordering: .relaxed)
        statistics.meanDelay = .nanoseconds(total / Int64(max(1, statistics.pictures)))
        statistics.longestDelay = .nanoseconds(longest.load(ordering: .relaxed))
        return statistics
    }
}
