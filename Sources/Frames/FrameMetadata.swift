// SPDX-License-Identifier: MIT
// What is known of a frame besides its bytes: plain values, copied without allocation or reference counting.

/// Which frame: a host counter that never restarts in a session, and the epoch of the stream it came in.
public struct FrameID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Counts up with every restart of the stream; the driver's sequence numbers are comparable within one only.
    public let epoch: UInt32
    /// Counts published frames, from 0, across epochs.
    public let counter: UInt64

    /// The frame `counter` of a session, delivered in `epoch`.
    @inlinable public init(epoch: UInt32, counter: UInt64) {
        self.epoch = epoch
        self.counter = counter
    }

    /// Whether `a` was published before `b`.
    @inlinable public static func < (a: FrameID, b: FrameID) -> Bool { a.counter < b.counter }
    /// `EPOCH:COUNTER`.
    public var description: String { "\(epoch):\(counter)" }
}

/// What a frame's time is the time of.
public enum TimestampSource: UInt8, Sendable {
    /// The driver's time of the start of exposure (in practice: of the first packet).
    case startOfExposure = 0
    /// The driver's time of the end of the frame.
    case endOfFrame = 1
    /// The host's time of taking the frame from the driver, because the driver's own could not be trusted.
    case dequeue = 2
    /// The time a recording or a file's frame rate gives.
    case file = 3
    /// The time a synthetic scene was computed for: exact.
    case scene = 4
}

/// Normal and less normal things that can be true of a frame.
public struct FrameFlags: OptionSet, Hashable, Sendable {
    /// The flags as bits.
    public let rawValue: UInt16
    /// The flags whose bits are set.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The bytes are not a whole picture; never chosen for a photo. `FrameMetadata.damage` says why.
    public static let damaged = FrameFlags(rawValue: 1 << 0)
    /// Frames were lost right before this one, by the driver's sequence numbers or by time.
    public static let gapBefore = FrameFlags(rawValue: 1 << 1)
    /// The driver's time was refused and the dequeue time taken instead.
    public static let distrustedTime = FrameFlags(rawValue: 1 << 2)
    /// First of an epoch: sequence numbers start anew.
    public static let firstOfEpoch = FrameFlags(rawValue: 1 << 3)
    /// A JPEG without Huffman tables: the standard ones are to be used.
    public static let standardHuffmanTables = FrameFlags(rawValue: 1 << 4)
}

/// What is known of a frame besides its bytes.
public struct FrameMetadata: Hashable, Sendable {
    /// Which frame it is.
    public var id: FrameID
    /// When the frame was seen, on the source's clock.
    public var time: Timestamp
    /// The real time lies within this much of `time`, as far as can be known.
    public var uncertainty: TimeSpan
    /// What `time` is the time of.
    public var timeSource: TimestampSource
    /// Why the frame is damaged, when its flags say so.
    public var damage: Damage
    /// What else is true of it.
    public var flags: FrameFlags
    /// The driver's sequence number, as it gave it.
    public var sequence: UInt32
    /// How many frames were lost right before this one, as far as is known.
    public var lostBefore: UInt32
    /// How many of the slot's bytes are the frame.
    public var byteCount: Int

    /// Metadata of an undamaged frame; the ring gives the id.
    public init(
        time: Timestamp, byteCount: Int, sequence: UInt32 = 0, timeSource: TimestampSource = .dequeue,
        uncertainty: TimeSpan = .zero, flags: FrameFlags = [], damage: Damage = .none, lostBefore: UInt32 = 0,
        id: FrameID = FrameID(epoch: 0, counter: 0)
    ) {
        self.id = id
        self.time = time
        self.uncertainty = uncertainty
        self.timeSource = timeSource
        self.damage = damage
        self.flags = damage == .none ? flags : flags.union(.damaged)
        self.sequence = sequence
        self.lostBefore = lostBefore
        self.byteCount = byteCount
    }

    /// Whether the frame may be chosen for a photo.
    @inlinable public var isUsable: Bool { !flags.contains(.damaged) }
}

extension FrameMetadata {
    /// Marks the frame as damaged, keeping the first reason. No damage is no reason.
    @inlinable public mutating func markDamaged(_ reason: Damage) {
        guard reason != .none else { return }
        if damage == .none { damage = reason }
        flags.insert(.damaged)
    }
}
