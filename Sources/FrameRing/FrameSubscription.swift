// SPDX-License-Identifier: MIT
// Following a stream frame by frame.

import LivecapFrames

/// Which frames a reader gets that is slower than the source.
public enum FrameDelivery: String, Hashable, Sendable, CaseIterable {
    /// Always the newest; those in between are passed over.
    case newest
    /// Every frame in order, as long as it is in the history.
    case every
}

/// Reads a ring's frames in order, each at most once, and counts those that left history before they were read.
public struct FrameSubscription: ~Copyable, Sendable {
    /// The outcome of `next`.
    public enum Event: ~Copyable, Sendable {
        /// The next frame.
        case frame(FrameLease)
        /// No frame arrived before the deadline.
        case timedOut
        /// The stream has ended and all its frames have been delivered or missed.
        case ended
    }

    /// Frames published since the subscription began that left history before it read them.
    public private(set) var missed: UInt64 = 0
    /// The lowest counter not yet delivered or missed.
    public private(set) var nextCounter: UInt64
    private let ring: Ring
    private let pacing: FollowerGate.Ticket?

    /// Follows `ring` from its next frame on, or from the oldest in history. With a gate, a source at the fast pace
    /// waits for this subscription instead of outrunning it.
    public init(to ring: Ring, fromOldest: Bool = false, gate: FollowerGate? = nil) {
        self.ring = ring
        nextCounter = fromOldest ? ring.table.oldestCounter : ring.nextCounter
        pacing = gate?.join(at: nextCounter)
    }

    deinit { pacing?.leave() }

    /// Goes back to a frame that was delivered, so that it is delivered again if it is still in the history. One with a
    /// gate cannot: the source takes earlier frames to be finished with.
    package mutating func goBack(to counter: UInt64) {
        if pacing == nil { nextCounter = min(nextCounter, counter) }
    }

    /// Returns the next frame if there is one, without waiting: `timedOut` if not.
    public mutating func poll(_ delivery: FrameDelivery = .every) -> Event {
        pacing?.advance(to: nextCounter)
        // Asked first: a frame published before the end is still delivered.
        let isOver = ring.isEnded
        if delivery == .newest {
            guard let newest = ring.leaseNewest(), newest.metadata.id.counter >= nextCounter else {
                return isOver ? .ended : .timedOut
            }
            missed += newest.metadata.id.counter - nextCounter
            nextCounter = newest.metadata.id.counter + 1
            return .frame(newest)
        }
        switch ring.table.follow(from: nextCounter) {
        case .found(let frame):
            missed += frame.counter - nextCounter
            nextCounter = frame.counter + 1
            return .frame(FrameLease(ring, pinned: frame.slot))
        case .nothing(below: let limit):
            missed += limit - nextCounter
            nextCounter = limit
            return isOver ? .ended : .timedOut
        }
    }

    /// Returns the next frame, waiting at most until `deadline` on CLOCK_MONOTONIC. Frames already published are still
    /// delivered after the stream ends. Calling `next` tells the gate that all earlier frames are finished with.
    public mutating func next(until deadline: Timestamp = .distantFuture) -> Event {
        while true {
            switch poll() {
            case .frame(let lease): return .frame(lease)
            case .ended: return .ended
            case .timedOut:
                guard ring.wait(forCounter: nextCounter, until: deadline) != .timedOut else { return .timedOut }
            }
        }
    }

    /// The same; also `timedOut` once `isCancelled` holds, which is looked at after a call of the ring's `wakeWaiters`.
    package mutating func next(
        until deadline: Timestamp = .distantFuture, unless isCancelled: () -> Bool
    ) -> Event {
        while true {
            let isLast = isCancelled() || Timestamp.now >= deadline
            switch poll() {
            case .frame(let lease): return .frame(lease)
            case .ended: return .ended
            case .timedOut:
                if isLast { return .timedOut }
                ring.wait(forCounter: nextCounter, until: deadline, unless: isCancelled)
            }
        }
    }
}
