// SPDX-License-Identifier: MIT
// What a camera, a recording and a synthetic scene have in common: they fill a ring.

import FrameRing
import Frames

/// Whose clock the times of a source's frames are on.
public enum SourceClock: Hashable, Sendable {
    /// CLOCK_MONOTONIC of this machine, now.
    case monotonic
    /// The source's own: a recording's or a scene's.
    case own
}

/// Who delivers frames, and what they are.
public struct SourceDescription: Hashable, Sendable {
    /// The name people know it by.
    public var name: String
    /// An identity that survives replugging, best of what is known; for files their path, for scenes their settings.
    public var identity: String
    /// What the frames are.
    public var format: FrameFormat
    /// How many a second, as far as is known.
    public var rate: FrameRate?
    /// Whose clock their times are on.
    public var clock: SourceClock
    /// The first frame's time where it is known before the stream starts (replays and scenes).
    public var firstTime: Timestamp?
    /// How many frames there will be, where that is known.
    public var frameCount: Int?
    /// How long each frame is exposed, where the driver told and nothing changes it by itself.
    public var exposure: TimeSpan?
    /// How many of its ring's slots the source keeps to itself, beside the history's: the buffers a driver fills.
    public var reserve: Int

    /// A description with all its parts.
    public init(
        name: String, identity: String, format: FrameFormat, rate: FrameRate?, clock: SourceClock,
        firstTime: Timestamp? = nil, frameCount: Int? = nil, exposure: TimeSpan? = nil,
        reserve: Int = 1
    ) {
        self.name = name
        self.identity = identity
        self.format = format
        self.rate = rate
        self.clock = clock
        self.firstTime = firstTime
        self.frameCount = frameCount
        self.exposure = exposure
        self.reserve = reserve
    }
}

/// What one step of a source did.
public enum StepOutcome: Hashable, Sendable {
    /// A frame is in the ring.
    case published(FrameID)
    /// A frame came but every slot was pinned.
    case dropped
    /// Nothing came yet, or the step was interrupted.
    case nothing
    /// The stream failed and was started anew: a new epoch. The text says why, for people.
    case restarted(reason: String)
    /// The last frame has been delivered.
    case ended
}

/// Something that fills a ring. Made on any thread, then used by one thread at a time: `CaptureLoop`'s.
public protocol FrameSource: AnyObject {
    /// Who it is and what its frames are, as granted, not as asked.
    var description: SourceDescription { get }

    /// Makes the ring its frames fit in, with as much of `capacity` as can be had, and says how much that was.
    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: FrameRing, granted: GrantedCapacity)

    /// Starts delivering.
    func start(_ producer: inout RingProducer) throws(CameraError)

    /// Waits for the next frame and publishes it; returns now and then even when none comes. Called again and again.
    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome

    /// Stops delivering and lets go of the device. Leases stay good.
    func stop()

    /// Makes a waiting `step` return soon. The closure may be called from any thread, also after `stop`.
    var interrupt: @Sendable () -> Void { get }
}

/// How fast a recording or a scene runs.
public enum Pace: String, Hashable, Sendable, CaseIterable {
    /// As it was recorded: a frame an interval, on the wall clock.
    case realtime
    /// As fast as its readers follow; the same results on every run.
    case fast
}
