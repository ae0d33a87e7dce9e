// SPDX-License-Identifier: MIT
// The object that accepts taps, and its switches.

import LivecapDeveloping
import LivecapFrames
import LivecapThreads

/// Changes the metadata of a photo that is about to be made of frames around this one.
public typealias MetadataEdit = @Sendable (PhotoMetadata, FrameMetadata) -> PhotoMetadata

/// Accepts taps and delivers photos. Any thread may use it at any time.
///
/// Its switches are independent of each other and of how photos are made. Zero shutter lag determines which frames a
/// photo is made of, responsive capture whether shots overlap, and prioritization whether quality is lowered to save
/// time. A switch may be changed while the session runs; the change applies to later taps.
public final class PhotoOutput: Sendable {
    /// What serves the taps.
    private let serving: Guarded<Serving>
    /// Hears of the shots that are asked for.
    private let listener = Guarded<(@Sendable (PhotoCapture) -> Void)?>(nil)
    /// Reports whether a tap would be served at once, and otherwise when.
    public let readiness: ReadinessCoordinator

    init(_ run: SessionRun, _ readiness: ReadinessCoordinator) {
        serving = Guarded(Serving(run, past: nil))
        self.readiness = readiness
    }

    /// Passes taps to a new run from here on; those of moments that `past` has seen, to that one.
    func serve(_ run: SessionRun, after past: SessionRun? = nil) {
        let past = past?.desk.past
        serving.withLock { $0 = Serving(run, past: past) }
    }

    /// Passes no more taps to a run that ends.
    func forget(_ past: SessionRun) {
        serving.withLock { if $0.past?.desk === past.desk { $0.past = nil } }
    }

    private struct Serving: Sendable {
        /// That of the newest run.
        let desk: Desk
        let keepsHistory: Bool
        /// Rings after each frame, and at the end.
        let arrivals: AsyncBell
        var past: PastDesk?

        init(_ run: SessionRun, past: PastDesk?) {
            desk = run.desk
            keepsHistory = run.keepsHistory
            arrivals = run.arrivals
            self.past = past
        }
    }

    private var desk: Desk { serving.withLock { $0.desk } }

    /// Accepts a tap, and returns at once. If the frames of the moment have already arrived, they are held when this
    /// returns.
    ///
    /// With `files`, the photo is written there, numbered `number` (default: the shot's number) if there are several.
    /// Otherwise it goes into the session's library; without a library, the photo carries its bytes. Those belong to
    /// the caller: the session's memory limit covers them only until the shot is done.
    ///
    /// A `tracked` request, created when the user's finger came down, is taken over by this call. `tapUncertainty`
    /// states how wrong the tap's time may be. It is added to the photo's `lagBound`, and affects nothing else.
    ///
    /// `metadata` may change what the file will say of the photo, once its frames are there and before anything is
    /// written, for example to add a place or a caption: it gets what was asked for with the camera's name, and the
    /// metadata of the frame nearest the moment. What it leaves nil is filled in as usual, and a `single` photo that is
    /// the camera's own JPEG frame, unchanged, has no metadata. It is called once, on a thread of the session's, and
    /// its answer also holds for the final of a deferred photo.
    @discardableResult
    public func capture(
        _ settings: PhotoSettings = PhotoSettings(), at tap: Tap = .now, tapUncertainty: Duration = .zero,
        into files: PhotoFiles? = nil, number: Int? = nil, tracked: TrackedRequest? = nil,
        metadata: MetadataEdit? = nil
    ) -> PhotoCapture {
        let capture = desk(for: tap).submit(
            settings, at: tap, within: tapUncertainty, into: files, number: number, tracked, editing: metadata)
        listener.withLock { $0 }?(capture)
        return capture
    }

    /// The same, without telling the listener, which made the request.
    package func captureUnheard(_ settings: PhotoSettings, at tap: Tap) -> PhotoCapture {
        desk(for: tap).submit(settings, at: tap, within: .zero, into: nil, number: nil, nil, editing: nil)
    }

    /// Calls `body` with each shot that is asked for from now on, before `capture` returns.
    package func listen(_ body: @escaping @Sendable (PhotoCapture) -> Void) { listener.withLock { $0 = body } }

    private func desk(for tap: Tap) -> Desk {
        let (desk, past) = serving.withLock { ($0.desk, $0.past) }
        return past?.has(tap) == true ? past?.desk ?? desk : desk
    }

    /// Accepts a tap, and waits for its photo; or for its proxy, if the photo is deferred.
    ///
    /// Throws the shot's failure. If the task is cancelled, the shot is, too: it then fails as `cancelled`, unless its
    /// photo is stored by then, which is returned.
    public func photo(
        _ settings: PhotoSettings = PhotoSettings(), at tap: Tap = .now, into files: PhotoFiles? = nil
    ) async throws(PhotoError) -> Photo {
        let capture = capture(settings, at: tap, into: files)
        let end = await withTaskCancellationHandler {
            // In a task that is not cancelled: only the shot's end says whether a file was written.
            await Task { await capture.end() }.value
        } onCancel: {
            capture.cancel()
        }
        return try end.get()
    }

    /// Waits until a tap with these settings would be served at once: there is room for as many frames as it takes.
    /// Looks with each frame. `readiness.ready()` asks for a tap like the last one. A camera that is switched off is
    /// switched on for it.
    ///
    /// Throws `notRunning` if the session does not run, or stops meanwhile, and `cancelled` if the task is cancelled.
    public func ready(for settings: PhotoSettings) async throws(PhotoError) {
        while true {
            try await readiness.ready()
            let (desk, arrivals) = serving.withLock { ($0.desk, $0.arrivals) }
            let count = settings.demand(given: settings.quality, hasPast: desk.switches.hasPast).count
            if desk.hasRoom(for: count) { return }
            guard await arrivals.wait(until: { desk.hasRoom(for: count) || desk.hasEnded }) else { throw .cancelled }
        }
    }

    /// Cancels the shots whose moments have not come yet; they fail as `cancelled`. Shots that only wait for their last
    /// frames are finished.
    public func cancelScheduled() { desk.cancelScheduled() }

    /// Whether the session keeps a history to take photos from.
    public var isZeroShutterLagSupported: Bool { serving.withLock { $0.keepsHistory } }
    /// Whether photos are made of frames captured before the tap. If false, the reference is the first frame at or
    /// after the tap.
    public var isZeroShutterLagEnabled: Bool {
        get { desk.switches.hasPast }
        set { changeSwitches { $0.hasPast = newValue && isZeroShutterLagSupported } }
    }

    /// Whether shots can overlap: true if the frames of more than one shot fit into memory.
    public var isResponsiveCaptureSupported: Bool { desk.plan.shots > 1 }
    /// Whether the next shot may begin before the last one is done.
    public var isResponsiveCaptureEnabled: Bool {
        get { isResponsiveCaptureSupported && desk.switches.isResponsive }
        set { changeSwitches { $0.isResponsive = newValue && isResponsiveCaptureSupported } }
    }

    /// Whether that can be enabled. It can if shots can overlap.
    public var isFastCapturePrioritizationSupported: Bool { isResponsiveCaptureSupported }
    /// Whether photos of `quality` are made as `balanced` when taps come in quick succession, to keep the time between
    /// shots short. Nothing is ever made lower for it.
    public var isFastCapturePrioritizationEnabled: Bool {
        get { desk.switches.isPrioritizing }
        set { changeSwitches { $0.isPrioritizing = newValue && isFastCapturePrioritizationSupported } }
    }

    /// Whether shots can deliver a proxy first and their photo later. They can if the session has a library.
    public var isAutoDeferredPhotoDeliverySupported: Bool { desk.archive != nil }
    /// Whether the output defers photos that would keep the user waiting, for settings that leave the decision open.
    public var isAutoDeferredPhotoDeliveryEnabled: Bool {
        get { isAutoDeferredPhotoDeliverySupported && desk.switches.isDeferring }
        set { changeSwitches { $0.isDeferring = newValue } }
    }

    /// The highest quality that may be asked for: `speed`, `balanced` or `quality`. A tap that asks for more fails.
    public var maxQuality: PhotoQuality {
        get { desk.switches.maxQuality }
        set { changeSwitches { $0.maxQuality = newValue } }
    }

    private func changeSwitches(_ change: (inout Switches) -> Void) {
        let (desk, past) = serving.withLock { ($0.desk, $0.past) }
        desk.changeSwitches(change)
        past?.desk.changeSwitches(change)
    }

    /// The number of shots that are neither done nor failed.
    public var shotsInProgress: Int {
        let (desk, past) = serving.withLock { ($0.desk, $0.past) }
        return desk.shotsInProgress + (past?.desk.shotsInProgress ?? 0)
    }
}
