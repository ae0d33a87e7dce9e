// SPDX-License-Identifier: MIT
// What a session is like now.

import Camera
import FrameRing
import LivecapFrames
import LivecapPhotoStorage

extension CaptureSession {
    /// The source, and the format of its frames. A new start may change them, as it may change what follows.
    public var source: SourceDescription { run.description }
    /// The source that delivers now: another one if its camera was unplugged and another has taken its place.
    package var presentSource: SourceDescription { run.desk.presentSource ?? source }
    /// How much history the ring keeps.
    public var granted: GrantedCapacity { run.granted }
    /// What was noticed of the source so far.
    package var notices: [CaptureLoop.Notice] { run.notices }
    /// What fills the ring of the present run.
    package var loop: CaptureLoop { run.loop }
    /// How much history was asked for.
    public var history: Duration { run.history }
    /// The library that photos go into; nil without one.
    public var library: PhotoLibrary? { options.library }
    /// The ring's counts of the frames so far.
    public var statistics: RingStatistics { run.ring.statistics }
    /// Whether the exposure has settled or timed out. Photos taken before it settled report that.
    public var isExposureDone: Bool { run.desk.isExposureDone }
    /// The pressure that the machine is under. It is followed from the first time on that it is asked for.
    public var systemPressure: SystemPressure { run.pressure?.current ?? .none }
    /// The pressure now, and whenever it changes; nil if the system has no thread left to follow it.
    public var systemPressures: SystemPressures? { run.pressure?.changes }
    /// How the camera is mounted and held, by which photos are turned; nil for sources that are no cameras.
    public var rotation: RotationCoordinator? { run.desk.presentRotation }
    /// The interval between frames, as far as known.
    public var frameInterval: Duration { run.desk.interval }
    /// The ring being filled, for other readers.
    public var ring: Ring { run.ring }
    /// The memory that a session like this needs to keep `history`; nil if no amount suffices.
    public func memory(forHistory history: Duration) -> Int? { run.memory(forHistory: history) }
}
