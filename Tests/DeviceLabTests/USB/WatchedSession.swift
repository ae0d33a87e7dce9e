// SPDX-License-Identifier: MIT
// A session with a USB camera, whose every frame is read by its marks, so that photos and recordings can be judged.

import Foundation
import FrameRing
import LiveCapture
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

/// A running session, and what was seen of it.
final class WatchedSession: Sendable {
    static let rate: UInt32 = 15
    static let interval = FrameRate(rate).interval
    static let size = FrameSize(width: 320, height: 240)

    /// A published frame: what livecap knows of it, what its pixels say, and when it was found in the ring.
    struct Seen: Sendable {
        let metadata: FrameMetadata
        let marks: LabMarks
        let found: Timestamp
    }

    let session: CaptureSession
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        var frames: [Seen] = []
        var flaws: [String] = []
        /// When the session said that the camera is gone.
        var losses: [Timestamp] = []
    }

    /// Starts a session. Blocks until its first frame has been read.
    init(_ path: String, _ format: PixelFormat = .yuyv, onUnplug policy: UnplugPolicy) throws {
        var options = SessionOptions()
        // As long as the witness may be late: photos are developed by a debug build, on the only processor.
        (options.formats, options.threads, options.history) = ([.png], 1, .seconds(8))
        let request = FormatRequest(pixelFormat: format, size: Self.size, rate: FrameRate(Self.rate))
        session = try CaptureSession(opening: .camera(path, request, onUnplug: policy), options)
        let (ring, joined) = (session.ring, DispatchSemaphore(value: 0))
        try SystemThread(name: "witness") { [self] in
            follow(ring, joined)
            ended.signal()
        }.detach()
        joined.wait()
        let events = session.events
        Task.detached { [weak self] in
            for await event in events {
                switch event {
                case .interrupted, .failed: self?.state.withLock { $0.losses.append(.now) }
                default: break
                }
            }
        }
        session.begin()
        _ = try wait("the first frame") { $0.last }
    }

    /// Stops the session, and waits until its last frame has been read.
    func stop() {
        session.end()
        ended.wait()
    }

    private func follow(_ ring: Ring, _ joined: DispatchSemaphore) {
        var frames = FrameSubscription(to: ring, fromOldest: true)
        let reader = try? MarkReader(ring.format)
        var missed: UInt64 = 0
        joined.signal()
        while true {
            switch frames.next(until: .now + .seconds(60)) {
            case .timedOut: continue
            case .ended: return
            case .frame(let lease):
                let (metadata, found) = (lease.metadata, Timestamp.now)
                if frames.missed > missed {
                    missed = frames.missed
                    state.withLock { $0.flaws.append("the witness was too late for \(missed) frames") }
                }
                do {
                    guard let marks = try reader?.read(lease) else { throw LabStream.Missing("no reader") }
                    state.withLock { state in
                        // As many as any photo or recording of a round can have.
                        if state.frames.count >= 400 { state.frames.removeFirst(200) }
                        state.frames.append(Seen(metadata: metadata, marks: marks, found: found))
                    }
                } catch { state.withLock { $0.flaws.append("frame \(metadata.id): \(error)") } }
            }
        }
    }

    /// The newest frames, oldest first.
    var frames: [Seen] { state.withLock { $0.frames } }
    /// The frames that could not be read.
    var flaws: [String] { state.withLock { $0.flaws } }

    /// Waits for at most 30 s until the frames fulfil a condition.
    func wait<Value>(_ what: String, until value: ([Seen]) -> Value?) throws -> Value {
        for _ in 0..<15_000 {
            if let value = value(frames) { return value }
            usleep(2000)
        }
        throw LabStream.Missing("\(what) did not come: \(String(describing: session.failure)) \(flaws)")
    }

    /// Waits until the session has said for the `count`th time that its camera is gone; returns when it did.
    func loss(_ count: Int) throws -> Timestamp {
        try wait("loss \(count)") { _ in state.withLock { $0.losses.count >= count ? $0.losses[count - 1] : nil } }
    }

    /// Throws unless a condition holds. Rounds run on a thread of their own, where the testing library does not know
    /// whose expectation fails.
    static func require(_ condition: Bool, _ words: @autoclosure () -> String) throws {
        if !condition { throw LabStream.Missing(words()) }
    }

    // MARK: Photos

    /// A shot, and its end once that is known.
    final class Shot: Sendable {
        let moment: Timestamp
        private let result = Mutex<Result<Photo, PhotoError>?>(nil)

        fileprivate init(_ session: CaptureSession, _ settings: PhotoSettings, at moment: Timestamp) {
            self.moment = moment
            let capture = session.photoOutput.capture(settings, at: .at(moment))
            Task.detached { [self] in
                let end: Result<Photo, PhotoError>
                do throws(PhotoError) { end = .success(try await capture.photo()) } catch { end = .failure(error) }
                result.withLock { $0 = end }
            }
        }

        /// Blocks until the shot has ended, for at most 30 s.
        func end() throws -> Result<Photo, PhotoError> {
            var end: Result<Photo, PhotoError>?
            try LabBus.wait("the end of a shot", every: 5) {
                end = result.withLock { $0 }
                return end != nil
            }
            return end!
        }
    }

    /// Takes a photo of a moment.
    func shoot(_ settings: PhotoSettings, at moment: Timestamp) -> Shot { Shot(session, settings, at: moment) }

    /// Waits for a shot, and checks what became of it: a photo that shows the frame nearest its moment, whole, and of
    /// one camera's presence only; or a failure that says that the camera is away. Returns whether it is a photo.
    func judge(_ shot: Shot, _ round: String, in folder: borrowing TemporaryFolder) throws -> Bool {
        let photo: Photo
        switch try shot.end() {
        case .failure(let error):
            try Self.require(["camera-away", "no-frame", "disconnected"].contains(error.code), "\(round): \(error)")
            return false
        case .success(let made): photo = made
        }
        let path = folder.path("seen.png")
        try Data(photo.bytes).write(to: URL(filePath: path))
        guard let marks = LabMarks(try PNGPicture(path)) else {
            throw LabStream.Missing(
                "\(round): the marks of the photo of \(photo.reference.id), \(photo.used.count) frames")
        }
        // The witness may be later than the photo.
        let known = try wait("\(round): frame \(photo.reference.id) of a photo") { frames in
            frames.contains { $0.metadata.id == photo.reference.id } ? frames : nil
        }
        let shown = known.first { $0.metadata.id == photo.reference.id }!
        try Self.require(marks == shown.marks, "\(round): a photo of \(shown.metadata.id)")
        let distance = (shown.metadata.time - shot.moment).magnitude
        let nearest = known.map { ($0.metadata.time - shot.moment).magnitude }.min()!
        // The limit of docs/faults.md: a frame's time, and as much as the frame's own time may be wrong.
        let limit = Self.interval + shown.metadata.uncertainty + .nanoseconds(2)
        try Self.require(
            distance == nearest && distance <= limit, "\(round): \(distance) away, nearest \(nearest), limit \(limit)")
        // The same by the camera's own clock, which the driver's is at most a transfer after.
        let own = (marks.time - shot.moment).magnitude
        try Self.require(own <= limit + .milliseconds(20), "\(round): \(own) by the camera's clock")
        // Each presence of a camera is an epoch of its own.
        let epochs = Set(photo.used.map(\.frame.id.epoch) + [photo.reference.id.epoch])
        try Self.require(epochs.count == 1, "\(round): a photo of the epochs \(epochs)")
        return true
    }
}
