// SPDX-License-Identifier: MIT
// Describes a source of frames.

/// The clock of a source's timestamps.
public enum SourceClock: String, Hashable, Codable, Sendable, CaseIterable {
    /// This machine's current CLOCK_MONOTONIC.
    case monotonic
    /// The source's own clock: that of a recording or a scene.
    case own
}

/// Describes a source and its frames.
public struct SourceDescription: Hashable, Codable, Sendable {
    /// The source's name for people.
    public var name: String
    /// The best known identity that survives replugging. For files it is their path, for scenes their settings.
    public var identity: String
    /// The format of the frames.
    public var format: FrameFormat
    /// The frame rate, as far as it is known.
    public var rate: FrameRate?
    /// The clock of the frames' times.
    public var clock: SourceClock
    /// Relates a source's own clock to the calendar, if that is known.
    public var anchor: WallClockAnchor?
    /// The first frame's time, if it is known before the stream starts (for replays and scenes).
    public var firstTime: Timestamp?
    /// The total number of frames, if known.
    public var frameCount: Int?
    /// The number of slots the source reserves besides the history's: the buffers that a driver fills.
    public var reserve: Int

    /// Creates a description from all its parts.
    public init(
        name: String, identity: String, format: FrameFormat, rate: FrameRate?, clock: SourceClock,
        anchor: WallClockAnchor? = nil, firstTime: Timestamp? = nil, frameCount: Int? = nil,
        reserve: Int = 1
    ) {
        self.name = name
        self.identity = identity
        self.format = format
        self.rate = rate
        self.clock = clock
        self.anchor = anchor
        self.firstTime = firstTime
        self.frameCount = frameCount
        self.reserve = reserve
    }
}
