// SPDX-License-Identifier: MIT
// How much history is asked for, and how much was granted.

import Frames

/// History asked for in time, under a cap in bytes.
public struct RingCapacity: Hashable, Sendable {
    /// The time history should reach back.
    public var duration: TimeSpan
    /// The most bytes the ring may take.
    public var byteCap: Int

    /// `duration` of history in at most `byteCap` bytes.
    public init(duration: TimeSpan, byteCap: Int) {
        self.duration = duration
        self.byteCap = byteCap
    }

    /// 1.5 seconds in at most 512 MiB.
    public static let standard = RingCapacity(duration: .milliseconds(1500), byteCap: 512 << 20)
}

/// What keeps a history from reaching back further.
public enum HistoryLimit: Hashable, Sendable {
    /// Nothing: it is what was asked for.
    case asked
    /// The byte cap.
    case memory
    /// The driver's buffers.
    case buffers
    /// The most slots a ring has.
    case slots
}

/// What a ring was really given.
public struct GrantedCapacity: Hashable, Sendable {
    /// Slots in all, the producer's reserve included.
    public var slots: Int
    /// The reserve.
    public var reserve: Int
    /// Bytes of memory behind them.
    public var bytes: Int
    /// The time history reaches back at the stream's rate; for compressed frames at least, if each has its largest size.
    public var duration: TimeSpan
    /// The time history reaches back with frames of the usual size: `duration` where all have the same.
    public var usualDuration: TimeSpan
    /// What keeps it from reaching back further.
    public var limit: HistoryLimit
    /// Whether the memory is locked.
    public var isLocked: Bool

    /// A grant as told by whoever made the ring.
    public init(
        slots: Int, reserve: Int, bytes: Int, duration: TimeSpan, usualDuration: TimeSpan? = nil,
        limit: HistoryLimit = .asked, isLocked: Bool
    ) {
        self.slots = slots
        self.reserve = reserve
        self.bytes = bytes
        self.duration = duration
        self.usualDuration = usualDuration ?? duration
        self.limit = limit
        self.isLocked = isLocked
    }

    /// A plan as it was carried out.
    public init(_ plan: RingPlan, isLocked: Bool) {
        self.init(
            slots: plan.slots, reserve: plan.reserve, bytes: plan.bytes, duration: plan.duration,
            usualDuration: plan.usualDuration, limit: plan.limit, isLocked: isLocked)
    }
}
