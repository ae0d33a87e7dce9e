// SPDX-License-Identifier: MIT
// What taps are given to, and its switches.

import Camera
import FrameRing
import Frames
import Synchronization

/// Takes taps and gives photos. Any thread may use it, at any time.
///
/// The switches are independent of each other and of how photos are made: zero shutter lag says which frames a photo is
/// made of, responsive capture whether shots overlap, prioritization whether quality gives way to time. Each may be
/// changed while the session runs, for the taps that come after.
public final class PhotoOutput: Sendable {
    private let desk: Desk
    private let granted: GrantedCapacity
    /// Whether a tap would be served at once, and when.
    public let readiness: ReadinessCoordinator

    init(_ desk: Desk, _ granted: GrantedCapacity, _ readiness: ReadinessCoordinator) {
        (self.desk, self.granted, self.readiness) = (desk, granted, readiness)
    }

    /// Takes a tap, and returns at once. Where the frames of the moment are there, they are held when this returns.
    ///
    /// With `files`, the photo is written there, numbered `number` (or as the shot is) where several are; without, it goes
    /// into the session's library, and where there is none, its bytes come with it, and are the caller's memory from then on, read or not: the session counts a shot's until it is done.
    /// A `tracked` request, made when the user's finger came down, is taken over. `tapError`, how wrong the tap's time
    /// may be, becomes part of the photo's `lagBound`, and decides nothing.
    public func capture(
        _ settings: PhotoSettings = PhotoSettings(), at tap: Tap = .now, within tapError: TimeSpan = .zero,
        into files: PhotoFiles? = nil, number: Int? = nil, tracked: TrackedRequest? = nil
    ) -> PhotoCapture {
        desk.submit(settings, at: tap, within: tapError, into: files, number: number, tracked)
    }

    /// Takes a tap, and waits for its photo.
    public func photo(
        _ settings: PhotoSettings = PhotoSettings(), at tap: Tap = .now, into files: PhotoFiles? = nil
    ) async throws(PhotoError) -> Photo {
        try await capture(settings, at: tap, into: files).photo()
    }

    /// Gives up the shots whose moments have not come yet; they fail as `cancelled`. Those that wait for the last of their
    /// frames are finished.
    public func cancelScheduled() { desk.cancelScheduled() }

    /// Whether there is a past to take photos of.
    public var isZeroShutterLagSupported: Bool { granted.duration > .zero }
    /// Whether photos are made of frames the camera had taken before it was asked. Where not, the reference is the first
    /// frame behind the tap.
    public var isZeroShutterLagEnabled: Bool {
        get { desk.state.withLock { $0.hasPast } }
        set { desk.update { $0.hasPast = newValue && isZeroShutterLagSupported } }
    }

    /// Whether shots can overlap: where the frames of more than one find room.
    public var isResponsiveCaptureSupported: Bool { desk.plan.shots > 1 }
    /// Whether the next shot need not wait until the last one is done.
    public var isResponsiveCaptureEnabled: Bool {
        get { isResponsiveCaptureSupported && desk.state.withLock { $0.isResponsive } }
        set { desk.update { $0.isResponsive = newValue && isResponsiveCaptureSupported } }
    }

    /// Whether taps in quick succession can lower the quality: where shots can overlap.
    public var isFastCapturePrioritizationSupported: Bool { isResponsiveCaptureSupported }
    /// Whether they do, to hold the time from shot to shot.
    public var isFastCapturePrioritizationEnabled: Bool {
        get { desk.state.withLock { $0.isPrioritizing } }
        set { desk.update { $0.isPrioritizing = newValue && isFastCapturePrioritizationSupported } }
    }

    /// Whether shots can give a proxy at once and their photo later: where the session has a library.
    public var isAutoDeferredPhotoDeliverySupported: Bool { desk.archive != nil }
    /// Whether the output decides that, shot by shot, where settings leave it open: what would make people wait is left for
    /// later.
    public var isAutoDeferredPhotoDeliveryEnabled: Bool {
        get { isAutoDeferredPhotoDeliverySupported && desk.state.withLock { $0.isDeferring } }
        set { desk.update { $0.isDeferring = newValue } }
    }

    /// The most that may be asked for: `speed`, `balanced` or `quality`. A tap that asks for more fails.
    public var maxQuality: PhotoQuality {
        get { desk.state.withLock { $0.maxQuality } }
        set { desk.update { $0.maxQuality = newValue } }
    }

    /// How many shots are neither done nor failed.
    public var shotsOnTheirWay: Int { desk.state.withLock { $0.shotsOnTheirWay } }
}
