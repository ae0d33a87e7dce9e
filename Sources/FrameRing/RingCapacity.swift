// SPDX-License-Identifier: MIT
// The history requested from a ring, and the history granted.

import LivecapFrames

/// A requested length of history, capped in bytes.
public struct RingCapacity: Hashable, Codable, Sendable {
    /// The time span that history should cover.
    public var duration: Duration
    /// The maximum size of the ring in bytes.
    public var byteCap: Int
    /// Whether other processes may read the ring. Its slots are then in a memory file, never in buffers of a driver.
    public var isShared: Bool
    /// Whether other processes should be able to read the ring, if that costs the camera nothing: buffers of a driver
    /// are used all the same where they are the better way.
    package var prefersSharing = false

    private enum CodingKeys: CodingKey { case duration, byteCap, isShared }

    /// Requests `duration` of history in at most `byteCap` bytes.
    public init(duration: Duration, byteCap: Int, isShared: Bool = false) {
        self.duration = duration
        self.byteCap = byteCap
        self.isShared = isShared
    }

    /// 1.5 seconds in at most 512 MiB.
    public static let standard = RingCapacity(duration: .milliseconds(1500), byteCap: 512 << 20)
}

/// What limits a ring's history.
public enum HistoryLimit: String, Hashable, Codable, Sendable, CaseIterable {
    /// Nothing: history is as long as requested.
    case asked
    /// The byte cap.
    case memory
    /// The number of buffers the driver grants.
    case buffers
    /// The maximum number of slots in a ring.
    case slots
}

/// The capacity that a ring was granted.
public struct GrantedCapacity: Hashable, Codable, Sendable {
    /// The number of slots, including the producer's reserve.
    public var slots: Int
    /// The number of slots reserved for the producer.
    public var reserve: Int
    /// The size of their memory in bytes.
    public var bytes: Int
    /// The time span history covers at the stream's rate. For compressed frames, the guaranteed minimum: the span if
    /// every frame had the maximum size.
    public var duration: Duration
    /// The time span history covers with frames of the usual size; equal to `duration` if all frames have the same
    /// size.
    public var usualDuration: Duration
    /// What limits the history.
    public var limit: HistoryLimit
    /// Whether the memory is locked.
    public var isLocked: Bool

    /// Creates a grant from the values reported by the ring's maker.
    public init(
        slots: Int, reserve: Int, bytes: Int, duration: Duration, usualDuration: Duration? = nil,
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

    /// Creates a grant that matches a plan.
    public init(_ plan: RingPlan, isLocked: Bool) {
        self.init(
            slots: plan.slots, reserve: plan.reserve, bytes: plan.bytes, duration: plan.duration,
            usualDuration: plan.usualDuration, limit: plan.limit, isLocked: isLocked)
    }
}
