// SPDX-License-Identifier: MIT
// A shot in progress, from the tap to the photo.

import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage
import Synchronization

/// A shot. The desk's lock guards its phase. All other properties are constant, except `isCancelled`, which any thread
/// may access at any time.
final class Shot: @unchecked Sendable {
    let id: ShotID
    let settings: PhotoSettings
    let tap: Tap
    /// How wrong the tap's time may be.
    let tapError: Duration
    /// When it was asked for, on CLOCK_MONOTONIC.
    let requested: Timestamp
    /// Where its file goes; nil if the caller wants the bytes, or it goes to the library.
    let files: PhotoFiles?
    /// The number in its file's name.
    let number: Int
    /// Where it goes if no file was named; nil without a library.
    let archive: Archive?
    /// The output's switches at the time of the request.
    let hasPast: Bool, isResponsive: Bool
    let isCancelled = Atomic<Bool>(false)
    /// Changes its metadata once it has its frames.
    let edit: MetadataEdit?
    private let events: EventLog<PhotoEvent>

    private(set) var phase: Phase

    init(
        _ id: ShotID, settings: PhotoSettings, tap: Tap, within tapError: Duration, files: PhotoFiles?,
        archive: Archive?, number: Int, requested: Timestamp, switches: Switches, expected form: FrameForm,
        edit: MetadataEdit?, events: EventLog<PhotoEvent>
    ) {
        self.id = id
        self.settings = settings
        self.files = files
        self.number = number
        self.tap = tap
        self.tapError = tapError
        self.requested = requested
        self.edit = edit
        self.events = events
        hasPast = switches.hasPast
        isResponsive = switches.isResponsive
        self.archive = files == nil ? archive : nil
        phase = .waiting(Waiting(form: form))
    }

    /// Whether the settings ask to keep frames around it, which only applies to a photo that goes to the library.
    /// What is drawn is taken back by making the photo again.
    var keepsAround: Bool { (settings.keepsFrames || settings.hasDrawing) && archive != nil }

    /// Whether it is written to disk.
    var isStored: Bool { files != nil || archive != nil }
}

extension Shot {
    /// What a shot is doing, and what belongs to that.
    enum Phase {
        /// It waits for its moment, its frames, or room.
        case waiting(Waiting)
        /// Its frames are held, and wait to be read or for a worker.
        case captured(Captured)
        /// It is being developed or stored.
        case inWork(Captured, Work)
        case ended
    }

    struct Waiting {
        /// The moment on the source's clock; nil until the first frame determines it.
        var moment: Timestamp?
        /// The latest time to wait for frames once the moment is due, on CLOCK_MONOTONIC.
        var deadline: Timestamp?
        /// The moment that its frames are chosen for instead, because the camera was off at its own.
        var aim: Timestamp?
        /// What its settings resolved to, once its moment is due.
        var resolved: ResolvedPhotoSettings?
        /// Whether it was announced that its capture begins.
        var isAnnounced = false
        /// The form its frames will be needed in, unless its quality is stepped down.
        let form: FrameForm
    }

    struct Captured {
        let moment: Timestamp
        let resolved: ResolvedPhotoSettings
        /// The form its frames are needed in.
        let form: FrameForm
        let report: CapturedFrames
        var frames: [ShelvedFrame]
        /// The frames kept for its final, if that is made later (`frames` then has the reference only), or for
        /// developing it again.
        var kept: [ShelvedFrame]
        /// Other frames around them, kept so that it can be developed again for another moment or with other settings.
        var around: [ShelvedFrame]
        var spares: [HeldFrame]
        let damaged: [FrameMetadata]
        /// The number of frames it was to have and does not.
        let shortage: FrameShortage?
        let isExposureSettled: Bool
        /// Whether the camera was off at its moment, and was switched on for it.
        let wasCameraOff: Bool
        /// How many of its frames have not been read yet.
        var missing = 0
        /// The duration of reading its frames, by stage.
        var readingTimes: [(name: String, time: Duration)] = []

        /// When its frames were held.
        var held: Timestamp { report.held }
        /// Everything it has on the shelf.
        var shelved: [ShelvedFrame] { frames + kept + around }
    }

    /// The progress of a shot that a worker has taken.
    struct Work {
        let taken: Timestamp
        /// When its frames were fused, and when its bytes were complete.
        var fused: Timestamp?, developed: Timestamp?
        /// The finished part of its fusion, in seconds of one worker without help.
        var effort = 0.0

        /// Whether its frames are being fused.
        var isFusing: Bool { fused == nil && developed == nil }
    }
}

extension Shot {
    /// For a shot that waits.
    var waiting: Waiting {
        get {
            guard case .waiting(let waiting) = phase else { preconditionFailure("shot \(id) does not wait") }
            return waiting
        }
        set { phase = .waiting(newValue) }
    }

    /// For a shot whose frames were held.
    var captured: Captured {
        get {
            switch phase {
            case .captured(let captured), .inWork(let captured, _): return captured
            case .waiting, .ended: preconditionFailure("shot \(id) has no frames")
            }
        }
        set {
            if case .inWork(_, let work) = phase {
                phase = .inWork(newValue, work)
            } else {
                phase = .captured(newValue)
            }
        }
    }

    /// For a shot that a worker has taken.
    var work: Work {
        get {
            guard case .inWork(_, let work) = phase else { preconditionFailure("shot \(id) is not in work") }
            return work
        }
        set { phase = .inWork(captured, newValue) }
    }

    var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    /// What its settings resolved to; nil before its moment is due.
    var resolved: ResolvedPhotoSettings? {
        switch phase {
        case .waiting(let waiting): waiting.resolved
        case .captured(let captured), .inWork(let captured, _): captured.resolved
        case .ended: nil
        }
    }

    /// The form its frames are needed in, or will be once they are chosen.
    var form: FrameForm {
        switch phase {
        case .waiting(let waiting): waiting.form
        case .captured(let captured), .inWork(let captured, _): captured.form
        case .ended: preconditionFailure("shot \(id) has ended")
        }
    }

    /// Whether it delivers a proxy, and its photo is made later.
    var isDeferred: Bool { resolved?.isDeferred ?? false }

    /// Whether its frames are kept in the library.
    var keepsFrames: Bool { isDeferred || keepsAround }

    /// Announces that the capture of a waiting shot, whose settings are resolved, begins. Done when its frames are
    /// there or can still come: a shot that cannot be served is refused without it.
    func announce() {
        guard !waiting.isAnnounced, let resolved = waiting.resolved else { return }
        waiting.isAnnounced = true
        events.add(.willBeginCapture(resolved))
    }

    /// Holds the frames of a waiting shot, and announces them.
    func capture(_ captured: Captured) {
        precondition(isWaiting, "a shot is captured once")
        announce()
        phase = .captured(captured)
        events.add(.didFinishCapture(captured.report))
    }

    /// Announces that the frames that were to be kept for it are not.
    func noteNotKept(_ error: LibraryError) { events.add(.framesNotKept(error)) }

    /// Gives a captured shot to a worker.
    func take(at now: Timestamp) { phase = .inWork(captured, Work(taken: now)) }

    /// Releases the neighbours if the frame to be shown is usable: while they are held, the camera lacks their slots.
    func dropNeedlessSpares() {
        let isAnyShown = settings.reference.comparesFrames, nearest = captured.report.nearest.id
        if captured.frames.contains(where: { $0.isUsable && (isAnyShown || $0.metadata.id == nearest) }) {
            captured.spares = []
        }
    }

    /// Takes from the shot everything it holds, and returns its frames on the shelf.
    func releaseFrames() -> [ShelvedFrame] {
        switch phase {
        case .waiting, .ended: return []
        case .captured, .inWork:
            let shelved = captured.shelved
            (captured.frames, captured.kept, captured.around, captured.spares) = ([], [], [], [])
            return shelved
        }
    }

    /// Ends the shot with its last event.
    func end(_ last: PhotoEvent) {
        phase = .ended
        events.add(last)
        events.finish()
    }
}
