// SPDX-License-Identifier: MIT
// What a session is made with.

import Camera
import Frames
import FusionKernels
import PhotoLibrary
import Stills

/// What a session is made with, besides its source.
public struct SessionOptions: Sendable {
    /// How much of the past is kept; where nil, 1.5 s, or twenty frames where those take longer.
    public var history: TimeSpan?
    /// The most memory for frames and pictures, all told; where nil, 1 GiB, more for cameras that need more, and never more than
    /// half of the machine's.
    public var memory: Int?
    /// The kinds of file photos may be asked for as: memory is kept for the one that takes most, HEIC before all.
    public var formats: Set<StillFormat>
    /// How many threads develop photos, at most: fewer where the memory does not suffice for so many.
    public var threads: Int
    /// Which kernels; where nil, what `LIVECAP_KERNELS` says, or else the processor's best.
    public var level: KernelLevel?
    /// Photos of frames the camera had taken before it was asked. Where off, the reference is the first frame behind the
    /// tap.
    public var isZeroShutterLagEnabled: Bool
    /// The next shot need not wait until the last one is done.
    public var isResponsiveCaptureEnabled: Bool
    /// Taps in quick succession lower the quality to hold the time from shot to shot.
    public var isFastCapturePrioritizationEnabled: Bool
    /// What becomes of a tap for which there is no room.
    public var overload: OverloadPolicy
    /// The threads that wait for frames have real-time priority where that is permitted: others' work delays them less.
    public var isRealTime: Bool
    /// Where photos go whose files nobody names; nil: nowhere.
    public var library: PhotoLibrary?
    /// Photos of the library that were left for later are finished when no tap has come for so long; nil: not by this session.
    public var finishingDelay: TimeSpan? = .seconds(3)
    /// In the same quiet moments, once all are finished: how long source frames stay that no photo needs any more; nil: they are
    /// left alone.
    public var cleanUp: CleanUpPolicy? = CleanUpPolicy()
    /// Where the run is written as a trace; nil: nowhere.
    public var trace: Trace?
    /// Whether photos are finished at a priority below everything else.
    var finishingGivesWay = true
    /// How long frames are waited for.
    var patience = Patience()

    /// Usual options.
    public init() {
        formats = Set(StillFormat.allCases)
        threads = min(64, ThreadPool.processors)
        (isZeroShutterLagEnabled, isResponsiveCaptureEnabled) = (true, true)
        (isFastCapturePrioritizationEnabled, overload, isRealTime) = (false, .queue, true)
    }

    /// As many as a photo may have, and a few that come while it is asked for.
    private static let leastFrames = Fuser.mostFrames + 4

    /// How much of the past of a source is kept: enough for a photo of the most frames.
    func history(of description: SourceDescription) -> TimeSpan {
        let frames = description.rate.map { $0.interval * Int64(Self.leastFrames) } ?? .zero
        return history ?? max(.milliseconds(1500), frames)
    }

    /// The most taps that wait for their frames, or for room.
    public static let mostWaiting = 256
}

/// What becomes of a tap for which there is no room.
public enum OverloadPolicy: String, Hashable, Sendable, CaseIterable {
    /// It waits, as long as its frames stay in the history.
    case queue
    /// It fails at once.
    case refuse
}
