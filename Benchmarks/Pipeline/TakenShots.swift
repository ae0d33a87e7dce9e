// SPDX-License-Identifier: MIT
// The shots of a run: what was requested when, and what became of it.

import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Synchronization

/// One shot, as seen by the caller.
struct TakenShot: Sendable {
    let id: ShotID
    /// When the tap was planned, and the times right before and after it.
    let planned: Timestamp
    let tapped: Timestamp
    let accepted: Timestamp
    /// Its captured frames; nil until they are leased.
    var captured: CapturedFrames?
    /// How it ended; nil while it has not.
    var outcome: Result<PhotoNote, PhotoError>?
    /// How many endings were reported; one is correct.
    var endings = 0
    /// When its ending was reported.
    var ended = Timestamp.zero

    var photo: PhotoNote? { if case .success(let photo) = outcome { photo } else { nil } }

    /// When its file was complete and on the disk.
    var filed: Timestamp? { stage("total").map { tapped + $0 } }

    func stage(_ name: String) -> Duration? { photo?.stages.first { $0.name == name }?.time }
}

/// What is kept of a photo: everything except its bytes.
struct PhotoNote: Sendable {
    let shot: ShotID
    let tap: Timestamp
    let reference: FrameMetadata
    let used: Int
    let stages: [Photo.Stage]

    init(_ photo: Photo) {
        (shot, tap, reference, used, stages) = (
            photo.shot, photo.tap, photo.reference, photo.used.count, photo.stages
        )
    }
}

/// Follows shots until they end.
final class TakenShots: Sendable {
    private struct State: Sendable {
        var shots: [TakenShot] = []
        var places: [ShotID: Int] = [:]
        var faults: [String] = []
        var tally = Tally()
    }

    /// The outcomes of shots of which nothing else is kept.
    struct Tally: Sendable {
        var photos = 0
        /// The number of failures, by error code.
        var failures: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let open = Atomic<Int>(0)
    private let bell = Doorbell(spinNanoseconds: 0)
    /// Examines a photo's bytes before they are released.
    private let inspect: (@Sendable (Photo) -> String?)?

    /// Creates a list of shots. `inspect` examines each photo, and describes what is wrong with it.
    init(_ inspect: (@Sendable (Photo) -> String?)? = nil) { self.inspect = inspect }

    /// The number of shots that have not ended.
    var openCount: Int { open.load(ordering: .acquiring) }

    /// Takes a tap and follows its shot.
    @discardableResult
    func tap(
        _ output: PhotoOutput, _ settings: PhotoSettings, at tap: Tap = .now, planned: Timestamp? = nil,
        into files: PhotoFiles? = nil
    ) -> ShotID {
        open.wrappingAdd(1, ordering: .relaxed)
        let tapped = Timestamp.now
        let capture = output.capture(settings, at: tap, into: files)
        let shot = TakenShot(id: capture.id, planned: planned ?? tapped, tapped: tapped, accepted: .now)
        let place = state.withLock { state in
            if state.places[capture.id] != nil { state.faults.append("two shots are number \(capture.id)") }
            state.places[capture.id] = state.shots.count
            state.shots.append(shot)
            return state.shots.count - 1
        }
        Task.detached { [self] in
            for await event in capture { note(event, place) }
            // Pairs with the acquiring load in `openCount`.
            open.wrappingSubtract(1, ordering: .releasing)
            bell.ring()
        }
        return capture.id
    }

    /// Takes a tap, and only counts how its shot ended.
    func tapAndForget(_ output: PhotoOutput, _ settings: PhotoSettings, into files: PhotoFiles?) {
        open.wrappingAdd(1, ordering: .relaxed)
        let capture = output.capture(settings, into: files)
        Task.detached { [self] in
            for await event in capture {
                switch event.withProxiesAsPhotos {
                case .photo(let photo):
                    let complaint = complaint(photo)
                    state.withLock { state in
                        state.tally.photos += 1
                        if let complaint { state.faults.append(complaint) }
                    }
                case .failed(let error): state.withLock { $0.tally.failures[error.code, default: 0] += 1 }
                case .willBeginCapture, .didFinishCapture, .framesNotKept, .proxy: break
                }
            }
            // Pairs with the acquiring load in `openCount`.
            open.wrappingSubtract(1, ordering: .releasing)
            bell.ring()
        }
    }

    var tally: Tally { state.withLock { $0.tally } }

    /// Waits until all shots have ended; returns them in the order of their taps.
    func finish() -> [TakenShot] {
        bell.wait { openCount == 0 }
        return state.withLock { $0.shots }
    }

    /// What is wrong whatever the photos should be: shots that ended twice or never, and missing files.
    var faults: [String] {
        state.withLock { state in
            state.faults + state.shots.filter { $0.endings != 1 }.map { "shot \($0.id) ended \($0.endings) times" }
        }
    }

    private func note(_ event: PhotoEvent, _ place: Int) {
        let now = Timestamp.now
        switch event.withProxiesAsPhotos {
        case .willBeginCapture, .framesNotKept, .proxy: break
        case .didFinishCapture(let captured): state.withLock { $0.shots[place].captured = captured }
        case .photo(let photo):
            let complaint = complaint(photo)
            state.withLock { state in
                state.shots[place].outcome = .success(PhotoNote(photo))
                state.shots[place].endings += 1
                state.shots[place].ended = now
                if let complaint { state.faults.append(complaint) }
                if photo.shot != state.shots[place].id {
                    state.faults.append("shot \(state.shots[place].id) got the photo of \(photo.shot)")
                }
            }
        case .failed(let error):
            state.withLock { state in
                state.shots[place].outcome = .failure(error)
                state.shots[place].endings += 1
                state.shots[place].ended = now
            }
        }
    }

    /// Examines a photo, and removes its file.
    private func complaint(_ photo: Photo) -> String? {
        if let path = photo.file {
            var status = stat()
            let isThere = stat(path, &status) == 0
            unlink(path)
            guard isThere else { return "shot \(photo.shot)'s file is not there" }
            guard Int(status.st_size) == photo.byteCount else { return "shot \(photo.shot)'s file is not whole" }
        }
        return inspect?(photo)
    }
}

/// Sleeps until `time` on CLOCK_MONOTONIC.
func sleep(until time: Timestamp) {
    var moment = timespec(
        tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
}

extension PhotoEvent {
    /// Treats a proxy, which is delivered instead of a photo and ends a shot too, as a photo.
    fileprivate var withProxiesAsPhotos: PhotoEvent {
        if case .proxy(let proxy) = self { .photo(proxy.photo) } else { self }
    }
}
