// SPDX-License-Identifier: MIT
// Which frame of a stream a frame was made of, where both are counted on their own.

import LivecapThreads

/// The counters of a stream whose frames are made of another's, written where a new epoch begins.
final class FrameOrigins: Sendable {
    private let epochs = Guarded<[(own: UInt64, origin: UInt64)]>([])

    /// Notes that the frame with the counter `own` is made of the one with the counter `origin`, and is the first of
    /// its epoch.
    func note(own: UInt64, of origin: UInt64) { epochs.withLock { $0.append((own, origin)) } }

    /// The counter of the first frame of the epoch that a frame is part of, in the stream it was made of.
    func origin(of own: UInt64) -> UInt64 {
        epochs.withLock { epochs in (epochs.last { $0.own <= own } ?? epochs.first)?.origin ?? 0 }
    }
}
