// SPDX-License-Identifier: MIT
// What a camera, a recording and a synthetic scene have in common: they fill a ring.

import FrameRing
import LivecapFrames

/// The outcome of one step of a source.
public enum StepOutcome: Hashable, Sendable {
    /// A frame was published to the ring.
    case published(FrameID)
    /// A frame arrived, but every slot was pinned.
    case dropped
    /// No frame yet, or the step was interrupted.
    case nothing
    /// Frames come more slowly than announced, for the reason given.
    case slow(reason: String)
    /// The stream failed and was restarted in a new epoch. `reason` explains it to people.
    case restarted(reason: String)
    /// The source is gone for now, for the reason given, and is waited for. Its next frame begins a new epoch.
    case interrupted(reason: String)
    /// Another source took its place. Its frames have the same format.
    case moved(to: SourceDescription)
    /// Another program uses the source, which is waited for. Its next frame begins a new epoch.
    case busy(CameraError)
    /// The source was switched off, because nothing needs it. Its next frame begins a new epoch.
    case switchedOff
    /// The last frame has been delivered.
    case ended
}

/// Something that fills a ring. It may be created on any thread and is then used by one thread at a time, that of its
/// `CaptureLoop`.
public protocol FrameSource: AnyObject {
    /// The source and its frames, as granted rather than as requested.
    var description: SourceDescription { get }

    /// How frames get from a driver into the ring, once that is known; nil for sources without a driver.
    var transport: Transport? { get }

    /// Creates a ring that fits the frames, with as much of `capacity` as possible, and reports the granted capacity.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity)

    /// Starts delivering.
    /// - Throws: why it cannot, such as `disconnected`; the loop then ends.
    func start(_ producer: inout RingProducer) throws(CameraError)

    /// Waits for the next frame and publishes it. Returns from time to time even if no frame arrives. Called
    /// repeatedly.
    /// - Throws: why no more frames will come, such as `disconnected`; the loop then ends.
    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome

    /// Stops delivering and releases the device. Leases stay valid.
    func stop()

    /// Makes a waiting `step` return soon. The closure may be called from any thread, including after `stop`.
    var interrupt: @Sendable () -> Void { get }
}

extension FrameSource {
    /// Nil: there is no driver.
    public var transport: Transport? { nil }
}

/// How fast a recording or a scene runs.
public enum Pace: String, Hashable, Codable, Sendable, CaseIterable {
    /// As recorded: each frame at its time on the wall clock.
    case realtime
    /// As fast as its readers follow, with the same results on every run.
    case fast
}
