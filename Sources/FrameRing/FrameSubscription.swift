// SPDX-License-Identifier: MIT
// Following a stream frame by frame.

import Frames

/// Reads a ring's frames in order, each at most once, counting those that left history before they were read.
public struct FrameSubscription: ~Copyable, Sendable {
    /// What `next` found.
    public enum Event: ~Copyable, Sendable {
        /// The next frame.
        case frame(FrameLease)
        /// None came before the deadline.
        case timedOut
        /// None will come.
        case ended
    }

    /// Frames that were published but gone before this subscription read them.
    public private(set) var missed: UInt64 = 0
    /// The lowest counter not yet delivered.
    public private(set) var nextCounter: UInt64
    private let ring: FrameRing
    private let pacing: FollowerGate.Ticket?

    /// Follows `ring` from its next frame on (or from the oldest in history). With a gate, a source at the fast pace
    /// waits for this subscription instead of outrunning it.
    public init(to ring: FrameRing, fromOldest: Bool = false, gate: FollowerGate? = nil) {
        self.ring = ring
        nextCounter = fromOldest ? ring.firstCounter : ring.nextCounter
        pacing = gate?.join(at: nextCounter)
    }

    deinit { pacing?.leave() }

    /// The next frame, waiting for it at most until `deadline` on CLOCK_MONOTONIC. Frames already published are still
    /// delivered after the stream's end.
    public mutating func next(until deadline: Timestamp = .distantFuture) -> Event {
        pacing?.advance(to: nextCounter)
        while true {
            if let found = ring.pinOldest(from: nextCounter) {
                missed += found.counter - nextCounter
                nextCounter = found.counter + 1
                return .frame(FrameLease(ring, pinned: found.slot))
            }
            switch ring.wait(forCounter: nextCounter, until: deadline) {
            case .arrived: continue
            case .timedOut: return .timedOut
            case .ended: return .ended
            }
        }
    }
}
