// SPDX-License-Identifier: MIT
// What is known of a frame besides its bytes, as plain values that are copied without allocation or reference counting.

/// Identifies a frame of a session: the epoch of the stream that delivered it, and a counter that goes on across epochs
/// until the session gets another ring, whose epochs are greater.
public struct FrameID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Incremented each time the stream restarts. The driver's sequence numbers are comparable only within one epoch.
    public let epoch: UInt32
    /// Counts the frames published in a ring from 0, across epochs.
    public let counter: UInt64

    /// Creates the id of frame `counter` of a session, delivered in `epoch`.
    @inlinable public init(epoch: UInt32, counter: UInt64) {
        self.epoch = epoch
        self.counter = counter
    }

    /// Parses `EPOCH:COUNTER`; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let epoch = UInt32(parts[0]), let counter = UInt64(parts[1])
        else { return nil }
        self.init(epoch: epoch, counter: counter)
    }

    /// Whether `a` was published before `b`.
    @inlinable public static func < (a: FrameID, b: FrameID) -> Bool {
        (a.epoch, a.counter) < (b.epoch, b.counter)
    }
    /// Formatted as `EPOCH:COUNTER`.
    public var description: String { "\(epoch):\(counter)" }
}

/// The event that a frame's timestamp marks.
public enum TimestampSource: UInt8, Hashable, Sendable, CaseIterable {
    /// The start of exposure according to the driver (in practice, the arrival of the first packet).
    case startOfExposure = 0
    /// The end of the frame according to the driver.
    case endOfFrame = 1
    /// When the host dequeued the frame from the driver, used when the driver's own time could not be trusted.
    case dequeue = 2
    /// The time given by a recording or derived from a file's frame rate.
    case file = 3
    /// The exact time for which a synthetic scene was computed.
    case scene = 4
}

/// Facts about a frame, normal and abnormal.
public struct FrameFlags: OptionSet, Hashable, Codable, Sendable {
    /// The flags as bits.
    public let rawValue: UInt16
    /// The flags whose bits are set.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The bytes are not a complete picture. Such a frame is never chosen for a photo; `FrameMetadata.damage` gives the
    /// reason.
    public static let damaged = FrameFlags(rawValue: 1 << 0)
    /// Frames were lost right before this one, according to the driver's sequence numbers or timestamps.
    public static let gapBefore = FrameFlags(rawValue: 1 << 1)
    /// The driver's timestamp was rejected and the dequeue time used instead.
    public static let distrustedTime = FrameFlags(rawValue: 1 << 2)
    /// The first frame of an epoch: sequence numbers start anew.
    public static let firstOfEpoch = FrameFlags(rawValue: 1 << 3)
    /// A JPEG without Huffman tables; decode it with the standard ones.
    public static let standardHuffmanTables = FrameFlags(rawValue: 1 << 4)
}

/// What is known of a frame besides its bytes.
public struct FrameMetadata: Hashable, Codable, Sendable {
    /// Which frame it is.
    public var id: FrameID
    /// When the frame was seen, on the source's clock.
    public var time: Timestamp
    /// The maximum distance between `time` and the true time, as far as it is known.
    public var uncertainty: Duration
    /// The event that `time` marks.
    public var timeSource: TimestampSource
    /// Why the frame is damaged; `none` unless its flags include `damaged`.
    public var damage: Damage
    /// Other facts about the frame.
    public var flags: FrameFlags
    /// The driver's sequence number, unchanged.
    public var sequence: UInt32
    /// The number of frames lost right before this one, as far as is known.
    public var lostBefore: UInt32
    /// How many of the slot's bytes belong to the frame.
    public var byteCount: Int
    /// What the camera was set to by hand. Files of frames do not keep it.
    public var manual: ManualSettings
    /// The reactions that are drawn into it, if it is a frame with effects. Neither files of frames nor encoded values
    /// keep them.
    public var reactions = ReactionSet()

    private enum CodingKeys: CodingKey {
        case id, time, uncertainty, timeSource, damage, flags, sequence, lostBefore, byteCount, manual
    }

    /// Creates a frame's metadata. The ring assigns the id. A `damage` other than `none` also sets the `damaged` flag.
    public init(
        time: Timestamp, byteCount: Int, sequence: UInt32 = 0, timeSource: TimestampSource = .dequeue,
        uncertainty: Duration = .zero, flags: FrameFlags = [], damage: Damage = .none, lostBefore: UInt32 = 0,
        manual: ManualSettings = ManualSettings(), id: FrameID = FrameID(epoch: 0, counter: 0)
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
        self.manual = manual
    }

    /// Whether the frame may be chosen for a photo.
    @inlinable public var isUsable: Bool { !flags.contains(.damaged) }
}

extension FrameMetadata {
    /// Marks the frame as damaged. The first reason is kept; `Damage.none` has no effect.
    @inlinable public mutating func markDamaged(_ reason: Damage) {
        guard reason != .none else { return }
        if damage == .none { damage = reason }
        flags.insert(.damaged)
    }

    /// Adds to the number of frames known to be lost before this one.
    package mutating func noteLoss(_ count: UInt32) {
        guard count > 0 else { return }
        let (sum, overflow) = lostBefore.addingReportingOverflow(count)
        lostBefore = overflow ? .max : sum
        flags.insert(.gapBefore)
    }
}
