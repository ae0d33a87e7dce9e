// SPDX-License-Identifier: MIT
// A shot on its way from the tap to the photo.

import Frames
import Synchronization

/// A shot. The desk's lock guards what can change until a worker takes it; from then on it is the worker's, and after
/// that the store's. Only `isCancelled` may be touched by anybody at any time.
final class Shot: @unchecked Sendable {
    let id: ShotID
    let settings: PhotoSettings
    let tap: Tap
    /// How wrong the tap's time may be.
    let tapError: TimeSpan
    /// When it was asked for, on CLOCK_MONOTONIC.
    let requested: Timestamp
    /// Where its file goes; nil where the caller wants the bytes.
    let files: PhotoFiles?
    /// What its file is numbered with.
    let number: Int
    /// Where it goes where no file was named; nil where the session has no library.
    let archive: Archive?
    private let events: AsyncStream<PhotoEvent>.Continuation

    /// The output's switches as they were when it was asked for.
    var hasPast = true, isResponsive = true

    /// The moment on the source's clock, as soon as that is known.
    var moment: Timestamp?
    /// From the moment being due on, no longer than until then are frames waited for: on CLOCK_MONOTONIC.
    var deadline: Timestamp?
    /// Whether its frames are there, but no room for them.
    var isShortOfRoom = false
    var resolved: ResolvedPhotoSettings?
    /// Whether `willBeginCapture` was told.
    private var hasBegun = false

    // Set when its frames are held.
    var captured: CapturedFrames?
    var frames: [ShelvedFrame] = []
    /// Those that are kept, for its final where that is made later (`frames` has the reference only then), or to develop it again.
    var kept: [ShelvedFrame] = []
    /// Others around them that are kept so that it can be developed again otherwise.
    var around: [ShelvedFrame] = []
    var spares: [HeldFrame] = []
    var damaged: [FrameMetadata] = []
    /// What it lacks of the frames it was to have.
    var shortage: FrameShortage?
    /// What they will be needed as, unless its quality is stepped down.
    var expectedForm = FrameForm.prepared
    /// How many of its frames nobody has read yet.
    var missing = 0
    var isExposureSettled = false
    /// When its frames were held, when a worker took it up.
    var held = Timestamp.zero, taken = Timestamp.zero
    /// Under the lock also while a worker has it: when its frames were fused, and when its bytes were there.
    var fused: Timestamp?, developed: Timestamp?
    /// Likewise: what of its fusion is done, in seconds of one worker that nobody helps.
    var effort = 0.0
    /// What its reading took, by stage.
    var readingTimes: [(name: String, time: TimeSpan)] = []

    let isCancelled = Atomic<Bool>(false)

    init(
        _ id: ShotID, _ settings: PhotoSettings, _ tap: Tap, within tapError: TimeSpan, _ files: PhotoFiles?,
        _ archive: Archive?, number: Int, requested: Timestamp, _ events: AsyncStream<PhotoEvent>.Continuation
    ) {
        self.tapError = tapError
        (self.id, self.settings, self.tap, self.files, self.number) = (id, settings, tap, files, number)
        (self.requested, self.events) = (requested, events)
        self.archive = files == nil ? archive : nil
    }

    /// What its frames are needed as, or will be when they are chosen.
    var form: FrameForm { frames.first?.form ?? expectedForm }

    /// Whether it gives a proxy, and its photo is made later.
    var isDeferred: Bool { resolved?.isDeferred ?? false }

    /// Whether its frames are kept in the library.
    var keepsFrames: Bool { isDeferred || keepsAround }
    /// Whether it was asked that they are, which is of a photo that goes to the library.
    var keepsAround: Bool { settings.keepsFrames && archive != nil }

    /// Whether somebody has to wait for the disk.
    var isStored: Bool { files != nil || archive != nil }

    /// The frame nearest the tap.
    var nearest: FrameMetadata? { captured?.nearest }

    /// Lets go of the neighbours where the frame that is to be shown will do: while they are held, the camera lacks their slots.
    func dropNeedlessSpares() {
        let isAnyShown = settings.reference == .sharpest
        if frames.contains(where: { $0.isUsable && (isAnyShown || $0.metadata.id == nearest?.id) }) { spares = [] }
    }

    func begin(_ resolved: ResolvedPhotoSettings) {
        self.resolved = resolved
        guard !hasBegun else { return }
        hasBegun = true
        events.yield(.willBeginCapture(resolved))
    }

    func tell(_ captured: CapturedFrames) {
        self.captured = captured
        events.yield(.didFinishCapture(captured))
    }

    func end(_ last: PhotoEvent) {
        events.yield(last)
        events.finish()
    }
}
