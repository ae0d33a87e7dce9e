// SPDX-License-Identifier: MIT
// A shot in progress, from the tap to the photo.

import Developing
import Frames
import Synchronization

/// A shot. Until a worker takes it, the desk's lock guards its mutable state; then it belongs to the worker, and after
/// that to the store. Only `isCancelled` may be accessed by any thread at any time.
final class Shot: @unchecked Sendable {
    let id: ShotID
    let settings: PhotoSettings
    let tap: Tap
    /// How wrong the tap's time may be.
    let tapError: TimeSpan
    /// When it was asked for, on CLOCK_MONOTONIC.
    let requested: Timestamp
    /// Where its file goes; nil if the caller wants the bytes, or it goes to the library.
    let files: PhotoFiles?
    /// The number in its file's name.
    let number: Int
    /// Where it goes if no file was named; nil without a library.
    let archive: Archive?
    private let events: AsyncStream<PhotoEvent>.Continuation

    /// The output's switches at the time of the request.
    var hasPast = true, isResponsive = true

    /// The moment on the source's clock, once known.
    var moment: Timestamp?
    /// The latest time to wait for frames once the moment is due, on CLOCK_MONOTONIC.
    var deadline: Timestamp?
    /// Whether its frames are there, but no room for them.
    var isShortOfRoom = false
    var resolved: ResolvedPhotoSettings?
    /// Whether `willBeginCapture` was sent.
    private var hasBegun = false

    // Set when its frames are held.
    var captured: CapturedFrames?
    var frames: [ShelvedFrame] = []
    /// The frames kept for its final, if that is made later (`frames` then has the reference only), or for developing
    /// it again.
    var kept: [ShelvedFrame] = []
    /// Other frames around them, kept so that it can be developed again for another moment or with other settings.
    var around: [ShelvedFrame] = []
    var spares: [HeldFrame] = []
    var damaged: [FrameMetadata] = []
    /// The number of frames it was to have and does not.
    var shortage: FrameShortage?
    /// The form its frames will be needed in, unless its quality is stepped down.
    var expectedForm = FrameForm.prepared
    /// How many of its frames have not been read yet.
    var missing = 0
    var isExposureSettled = false
    /// When its frames were held, and when a worker took it.
    var held = Timestamp.zero, taken = Timestamp.zero
    /// When its frames were fused, and when its bytes were complete. Guarded by the lock even while a worker has the
    /// shot.
    var fused: Timestamp?, developed: Timestamp?
    /// Likewise guarded: the finished part of its fusion, in seconds of one worker without help.
    var effort = 0.0
    /// The duration of reading its frames, by stage.
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

    /// The form its frames are needed in, or will be once they are chosen.
    var form: FrameForm { frames.first?.form ?? expectedForm }

    /// Whether it delivers a proxy, and its photo is made later.
    var isDeferred: Bool { resolved?.isDeferred ?? false }

    /// Whether its frames are kept in the library.
    var keepsFrames: Bool { isDeferred || keepsAround }
    /// Whether the settings ask to keep them, which only applies to a photo that goes to the library.
    var keepsAround: Bool { settings.keepsFrames && archive != nil }

    /// Whether it is written to disk.
    var isStored: Bool { files != nil || archive != nil }

    /// The frame nearest the tap.
    var nearest: FrameMetadata? { captured?.nearest }

    /// Releases the neighbours if the frame to be shown is usable: while they are held, the camera lacks their slots.
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

    func announce(_ captured: CapturedFrames) {
        self.captured = captured
        events.yield(.didFinishCapture(captured))
    }

    func end(_ last: PhotoEvent) {
        events.yield(last)
        events.finish()
    }
}
