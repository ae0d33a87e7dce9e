// SPDX-License-Identifier: MIT
// The options of a session.

import Camera
import FrameRing
import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills

/// The options of a session, besides its source.
public struct SessionOptions: Sendable {
    /// How much history to keep (default: 1.5 s, or the time of twenty frames if that is longer; without zero shutter
    /// lag, the time of twenty frames).
    public var history: Duration?
    /// The memory for history, which is then as long as that allows (default: none). With a `limit`, it makes history
    /// longer than asked for if that takes little, and never shorter.
    public var historyMemory: HistoryMemory?
    /// The maximum memory for frames and pictures together, in bytes (default: 1 GiB, or more for cameras that need
    /// more, but at most half of the machine's).
    public var memory: Int?
    /// The file formats that photos may be asked for in (default: all). Memory is reserved for the one that takes most;
    /// HEIC takes more than others.
    public var formats: Set<StillFormat>
    /// Whether photos may be asked for with effects (default: false). Memory is then reserved for them: 40 MiB and ten
    /// bytes per pixel for each thread that develops photos, and for the plain picture beside each photo. Without it
    /// photos can have effects, too, but what those take comes on top of `memory`, and a photo is refused if the limit
    /// of the process's addresses does not leave it that much.
    public var photosMayHaveEffects = false
    /// The maximum number of threads that develop photos (default: one per processor, at most 64). There are fewer if
    /// the memory does not suffice for all.
    public var threads: Int
    /// The kernels to use (default: those `LIVECAP_KERNELS` names, or else the best the processor supports).
    public var level: KernelLevel?
    /// Whether photos are made of frames captured before the tap (default: true). If false, the reference is the first
    /// frame at or after the tap.
    public var isZeroShutterLagEnabled: Bool
    /// Whether the next shot may begin before the last one is done (default: true).
    public var isResponsiveCaptureEnabled: Bool
    /// Whether taps in quick succession get `balanced` instead of `quality`, to keep the time between shots short
    /// (default: false).
    public var isFastCapturePrioritizationEnabled: Bool
    /// What happens to a tap when there is no room for it (default: `queue`).
    public var overload: OverloadPolicy
    /// Whether threads that wait for frames get real-time priority, if permitted (default: true). Other work then
    /// delays them less.
    public var isRealTime: Bool
    /// The library for photos without a file of their own (default: none).
    public var library: PhotoLibrary?
    /// How long without a tap until deferred photos of the library are finished; nil to leave them to other processes.
    public var finishingDelay: Duration?
    /// How long source frames stay that no photo needs any more. They are removed while the session is idle, once all
    /// photos are finished; nil to leave them alone.
    public var cleanUp: CleanUpPolicy?
    /// How long without a need until the camera is switched off, light and all; nil to leave it on (default). Taps, the
    /// shots in progress, `FrameStream`s and `CameraUse`s are needs; the next one switches it on again. A tap at a
    /// camera that is off gets the first frame whose exposure has settled, and its photo reports that.
    ///
    /// Applies to cameras and to synthetic scenes at the real-time pace.
    public var idleOff: Duration?
    /// The maximum memory for the pictures of frame outputs, in bytes (default: 256 MiB), besides `memory`.
    public var outputMemory = 256 << 20
    /// Whether `session.ring` is in memory that other processes may read, as `SharingServer` offers it (default:
    /// false).
    public var isShared = false
    /// Whether it is if that costs the camera nothing.
    package var prefersSharing = false
    /// What happens to photos while the machine is under pressure (default: nothing).
    public var pressurePolicy: PressurePolicy
    /// How many sessions share the machine's memory, if `memory` is left to its default.
    package var memoryShare = 1
    /// Where the machine's accounts of pressure are, for tests.
    var pressureRoot = ""
    /// Whether photos can be taken. Without them a session has no memory and no threads for photos, keeps frames that
    /// cannot be decoded, too, and every tap fails.
    package var takesPhotos = true
    /// The trace to write the run to (default: none).
    package var trace: Trace?
    /// Whether photos are finished at a priority below everything else.
    var finishingGivesWay = true
    /// How long shots wait for frames.
    var patience = Patience()

    /// Creates options; what is left out has its default.
    public init(
        library: PhotoLibrary? = nil, history: Duration? = nil, memory: Int? = nil,
        formats: Set<StillFormat> = Set(StillFormat.allCases), threads: Int = min(64, ThreadPool.processors),
        level: KernelLevel? = nil, isZeroShutterLagEnabled: Bool = true, isResponsiveCaptureEnabled: Bool = true,
        isFastCapturePrioritizationEnabled: Bool = false, overload: OverloadPolicy = .queue, isRealTime: Bool = true,
        finishingDelay: Duration? = .seconds(3), cleanUp: CleanUpPolicy? = CleanUpPolicy(), idleOff: Duration? = nil,
        pressurePolicy: PressurePolicy = .none
    ) {
        self.library = library
        self.history = history
        self.memory = memory
        self.formats = formats
        self.threads = threads
        self.level = level
        self.overload = overload
        self.isRealTime = isRealTime
        self.isZeroShutterLagEnabled = isZeroShutterLagEnabled
        self.isResponsiveCaptureEnabled = isResponsiveCaptureEnabled
        self.isFastCapturePrioritizationEnabled = isFastCapturePrioritizationEnabled
        self.finishingDelay = finishingDelay
        self.cleanUp = cleanUp
        self.idleOff = idleOff
        self.pressurePolicy = pressurePolicy
    }

    /// The maximum number of frames of a photo, plus a few that arrive while it is being asked for.
    private static let leastFrames = Fuser.maxFrames + 4

    /// How much of a source's past to keep.
    /// - Throws: `badSettings` if the memory for it does not suffice for two frames.
    func history(of description: SourceDescription) throws(CameraError) -> Duration {
        guard let historyMemory else { return historyWithoutMemory(of: description) }
        let duration = historyMemory.duration(of: description)
        if historyMemory.limit != nil { return max(historyWithoutMemory(of: description), duration ?? .zero) }
        if let duration { return duration }
        let format = description.format
        throw .badSettings(
            "\(historyMemory.bytes) bytes are too few for a history of \(format.size) \(format.pixelFormat) frames",
            hint: "allow at least \(RingCapacity.minBytes(format: format, reserve: description.reserve)) bytes")
    }

    /// Enough for a photo with the maximum number of frames, or what was asked for.
    private func historyWithoutMemory(of description: SourceDescription) -> Duration {
        let frames = description.rate.map { $0.interval * Int64(Self.leastFrames) } ?? .zero
        if let history { return history }
        // Without zero shutter lag no photo needs more of the past than what arrives while it is being asked for.
        if !isZeroShutterLagEnabled, frames > .zero { return frames }
        return max(.milliseconds(1500), frames)
    }

    /// The maximum number of due taps that wait for room, and of shots in progress.
    public static let maxWaiting = 256
}

/// What happens to a tap when there is no room for it.
public enum OverloadPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// It waits for as long as its frames stay in the history.
    case queue
    /// It fails at once.
    case refuse
}
