// SPDX-License-Identifier: MIT
// What a camera, a recording and a synthetic scene have in common: they fill a ring.

import FrameRing
import Frames

/// The clock of a source's timestamps.
public enum SourceClock: Hashable, Sendable {
    /// This machine's current CLOCK_MONOTONIC.
    case monotonic
    /// The source's own clock: that of a recording or a scene.
    case own
}

/// Describes a source and its frames.
public struct SourceDescription: Hashable, Sendable {
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
    /// The exposure time of each frame, if the driver reports it and nothing adjusts it automatically.
    public var exposure: TimeSpan?
    /// The number of slots the source reserves besides the history's: the buffers that a driver fills.
    public var reserve: Int

    /// Creates a description from all its parts.
    public init(
        name: String, identity: String, format: FrameFormat, rate: FrameRate?, clock: SourceClock,
        anchor: WallClockAnchor? = nil, firstTime: Timestamp? = nil, frameCount: Int? = nil, exposure: TimeSpan? = nil,
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
        self.exposure = exposure
        self.reserve = reserve
    }
}

/// The outcome of one step of a source.
public enum StepOutcome: Hashable, Sendable {
    /// A frame was published to the ring.
    case published(FrameID)
    /// A frame arrived, but every slot was pinned.
    case dropped
    /// No frame yet, or the step was interrupted.
    case nothing
    /// The stream failed and was restarted in a new epoch. `reason` explains it to people.
    case restarted(reason: String)
    /// The last frame has been delivered.
    case ended
}

/// Something that fills a ring. It may be created on any thread and is then used by one thread at a time, that of its
/// `CaptureLoop`.
public protocol FrameSource: AnyObject {
    /// The source and its frames, as granted rather than as requested.
    var description: SourceDescription { get }

    /// Creates a ring that fits the frames, with as much of `capacity` as possible, and reports the granted capacity.
    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: FrameRing, granted: GrantedCapacity)

    /// Starts delivering.
    func start(_ producer: inout RingProducer) throws(CameraError)

    /// Waits for the next frame and publishes it. Returns from time to time even if no frame arrives. Called
    /// repeatedly.
    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome

    /// Stops delivering and releases the device. Leases stay valid.
    func stop()

    /// Makes a waiting `step` return soon. The closure may be called from any thread, including after `stop`.
    var interrupt: @Sendable () -> Void { get }
}

/// How fast a recording or a scene runs.
public enum Pace: String, Hashable, Sendable, CaseIterable {
    /// As recorded: each frame at its time on the wall clock.
    case realtime
    /// As fast as its readers follow, with the same results on every run.
    case fast
}
