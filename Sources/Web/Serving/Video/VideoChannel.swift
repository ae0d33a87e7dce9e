// SPDX-License-Identifier: MIT
// H.264 of one size, for all who view that size.

import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapMovies
import LivecapPictures
import LivecapStreams
import LivecapThreads
import Synchronization

/// Encodes each frame in one size, once for all viewers. A viewer that comes, or was too slow, gets a key frame.
///
/// Where a camera gives H.264 of that size, and nothing is done to its pictures, its own frames are passed on as they
/// are while that goes well (`PassageStep`).
final class VideoChannel: Sendable {
    /// Nil for the frames' own width.
    let width: Int?
    private let session: CaptureSession
    private let view: PageView
    /// Makes the frames that viewers see; nil if those are the session's own.
    private let stage: StageHost?
    private let whenFailed: @Sendable (VideoChannel, MovieError) -> Void
    private let whenPassing: @Sendable () -> Void
    private let state = Guarded(State())
    private let isStopping = Atomic(false)
    /// How many frames were made. Those that its stage left out are not among them.
    private let made = Atomic<UInt32>(0)
    private let call = StreamCall()
    private let isPassingFrames = Atomic(false)

    private struct State: Sendable {
        /// Ends the thread's wait for a frame.
        var wake: (@Sendable () -> Void)?
        var viewers: [ObjectIdentifier: (viewer: VideoViewer, stream: HTTPStream)] = [:]
        var hasFailed = false
    }

    /// `whenFailed` is told once why it encodes nothing. Its viewers' streams then end. `whenPassing` is called when
    /// `isPassing` changes.
    init(
        _ session: CaptureSession, width: Int?, _ view: PageView = PageView(), by stage: StageHost?,
        whenPassing: @escaping @Sendable () -> Void,
        whenFailed: @escaping @Sendable (VideoChannel, MovieError) -> Void
    ) {
        self.session = session
        self.width = width
        self.view = view
        self.stage = stage
        self.whenFailed = whenFailed
        self.whenPassing = whenPassing
    }

    /// Starts encoding, until `stop`.
    func start() throws(SystemShortage) { try SystemThread(name: "video") { self.run() }.detach() }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        state.withLock { $0.wake }?()
        call.notify()
    }

    /// Whether viewers get the camera's own frames now.
    var isPassing: Bool { isPassingFrames.load(ordering: .relaxed) }

    var viewerCount: Int { state.withLock { $0.viewers.count } }

    func add(_ viewer: VideoViewer, _ stream: HTTPStream) {
        let hasFailed = state.withLock { state in
            state.viewers[ObjectIdentifier(viewer)] = (viewer, stream)
            return state.hasFailed
        }
        if hasFailed { viewer.cutOff() }
        stream.wake()
    }

    /// Returns how many viewers are left.
    func remove(_ viewer: VideoViewer) -> Int {
        state.withLock { state in
            state.viewers[ObjectIdentifier(viewer)] = nil
            return state.viewers.count
        }
    }

    // MARK: The thread

    private func run() {
        let leave = session.sinks.attach(call)
        defer { leave() }
        var lastBeat = Timestamp.now
        while !isOver {
            do throws(MovieError) { try encode(&lastBeat) } catch {
                fail(error)
                return
            }
        }
    }

    private var isOver: Bool { isStopping.load(ordering: .acquiring) }

    /// Encodes the frames of the present format, until there are others.
    private func encode(_ lastBeat: inout Timestamp) throws(MovieError) {
        let format = session.source.format
        let view = view.pictures(of: session, areUpright: false)
        let settings = PictureSettings(
            format: .i420, size: VideoSize.size(width: width, of: format.size), view: view)
        let pictures: FrameFormat
        do throws(PictureError) { pictures = try settings.pictures(of: format) } catch {
            throw .unsuitable("\(format.pixelFormat)")
        }
        let rate = session.presentSource.rate
        let encoder = try LiveEncoder(
            LiveEncoder.Settings(
                pictures: pictures, rate: rate, bitsPerSecond: VideoSize.bitsPerSecond(pictures.size, rate)))
        let output = FrameOutput(FrameOutputSettings(pictures: settings))
        do throws(OutputError) {
            if let stage { try stage.sinks.add(output) } else { try session.add(output) }
        } catch {
            // Another stream, or an output that goes, may leave room for it.
            let ring = session.ring
            call.wait(until: lastBeat + Self.beatInterval) { isOver || ring !== session.ring }
            return beat(&lastBeat)
        }
        let use = session.keepCameraOn()
        defer { withExtendedLifetime(use) { (stage?.sinks ?? session.sinks).remove(output) } }
        var work = Work(encoder: encoder, output: output, pictures: pictures)
        while !isOver, session.source.format == format, self.view.pictures(of: session, areUpright: false) == view {
            try step(&work, &lastBeat)
        }
    }

    /// What makes frames of one format.
    private struct Work {
        let encoder: LiveEncoder
        let output: FrameOutput
        let pictures: FrameFormat
        var keys = KeyPace()
        /// Nil where there are no frames to be passed on.
        var camera: CameraFrames?
        /// Whether viewers have the camera's own frames, on which no encoded one builds.
        var isKeyDue = false
    }

    /// Takes the next picture, or passes frames on for as long as that goes well.
    private func step(_ work: inout Work, _ lastBeat: inout Timestamp) throws(MovieError) {
        if let camera = work.camera, camera.isPassing {
            passOn(camera, work, &lastBeat)
            work.isKeyDue = true
            return
        }
        let output = work.output
        state.withLock { $0.wake = { output.wake() } }
        let picture = output.next(until: lastBeat + Self.beatInterval) { isOver }
        // One in a format from before a change is the last of its stream.
        if let picture, picture.format == work.pictures, let frame = session.taken(picture.frame, by: stage),
            isEncoded(frame, &work)
        {
            try encode(picture, of: frame, &work)
        }
        beat(&lastBeat)
    }

    /// Whether viewers are still to get a frame encoded, once what can be passed on up to it was.
    private func isEncoded(_ frame: FrameMetadata, _ work: inout Work) -> Bool {
        // The camera's own frames have no date.
        guard stage == nil, view.date == nil else { return true }
        if work.camera?.pictures !== session.ring {
            work.isKeyDue = work.isKeyDue || work.camera?.lastPassed != nil
            work.camera = CameraFrames(session, size: work.pictures.size)
        }
        guard let camera = work.camera else { return true }
        let before = camera.lastPassed?.id
        pass(camera, to: frame.time, work)
        work.isKeyDue = work.isKeyDue || camera.lastPassed?.id != before
        return !camera.isPassing && camera.lastPassed.map { frame.id > $0.id } ?? true
    }

    private func encode(_ picture: Picture, of frame: FrameMetadata, _ work: inout Work) throws(MovieError) {
        let isAsked = work.keys.allowsKey(at: frame.time) && wantsKey(at: frame.time)
        try picture.withBytes { (bytes) throws(MovieError) in
            try work.encoder.encode(bytes, of: frame, isKey: isAsked || work.isKeyDue) { packet in
                if packet.isKey {
                    work.keys.note(packet.frame.time)
                    work.isKeyDue = false
                }
                guard !work.isKeyDue else { return }
                let number = made.wrappingAdd(1, ordering: .relaxed).newValue
                if publish(VideoChunk(packet, number: number, size: work.encoder.size)) {
                    work.camera?.noteSlowViewer(at: packet.frame.time)
                }
            }
        }
    }

    // MARK: The camera's own frames

    /// Passes on what comes, for as long as that goes well. No pictures are made meanwhile.
    private func passOn(_ camera: CameraFrames, _ work: Work, _ lastBeat: inout Timestamp) {
        let ring = camera.pictures
        let use = session.keepCameraOn()
        state.withLock { $0.wake = { ring.wakeWaiters() } }
        setPassing(true)
        work.output.setWanted(false)
        defer {
            work.output.setWanted(true)
            setPassing(false)
            withExtendedLifetime(use) {}
        }
        var next = FrameSubscription(to: ring)
        while camera.isPassing, !isOver, ring === session.ring {
            switch next.next(until: lastBeat + Self.beatInterval, unless: { isOver }) {
            case .frame(let lease): pass(camera, to: lease.metadata.time, work)
            case .timedOut: break
            case .ended: camera.stop()
            }
            beat(&lastBeat)
        }
    }

    private func setPassing(_ isPassing: Bool) {
        isPassingFrames.store(isPassing, ordering: .relaxed)
        whenPassing()
    }

    private func pass(_ camera: CameraFrames, to time: Timestamp, _ work: Work) {
        camera.advance(to: time) { frame, isKey, bytes in
            let number = made.wrappingAdd(1, ordering: .relaxed).newValue
            return publish(
                VideoChunk(frame, number: number, isKey: isKey, size: work.pictures.size, bytes: bytes))
        }
    }

    private func wantsKey(at time: Timestamp) -> Bool {
        state.withLock { Array($0.viewers.values) }.contains { $0.viewer.wantsKey(at: time) }
    }

    /// Returns whether a viewer was too slow.
    private func publish(_ chunk: VideoChunk) -> Bool {
        var isTooFast = false
        for (viewer, stream) in state.withLock({ Array($0.viewers.values) }) {
            if viewer.offer(chunk) { isTooFast = true }
            stream.wake()
        }
        return isTooFast
    }

    /// Ends the streams of those who view.
    private func fail(_ error: MovieError) {
        whenFailed(self, error)
        let viewers = state.withLock { state in
            state.hasFailed = true
            return Array(state.viewers.values)
        }
        for (viewer, stream) in viewers {
            viewer.cutOff()
            stream.wake()
        }
    }

    private static let beatInterval = Duration.seconds(1)

    /// Shows viewers now and then that the connection lives, and notices those that are gone.
    private func beat(_ last: inout Timestamp) {
        let now = Timestamp.now
        guard now - last >= Self.beatInterval else { return }
        last = now
        for (viewer, stream) in state.withLock({ Array($0.viewers.values) }) {
            viewer.beat()
            stream.wake()
        }
    }
}

/// How often key frames are made on request: each costs all viewers some sharpness.
struct KeyPace {
    static let interval = Duration.milliseconds(300)
    private var last: Timestamp?

    /// Notes that a frame became one.
    mutating func note(_ time: Timestamp) { last = time }

    /// Whether a frame of a time, by the frames' clock, may be one that was asked for.
    func allowsKey(at time: Timestamp) -> Bool {
        guard let last else { return true }
        return (time - last).magnitude >= Self.interval
    }
}

extension CaptureSession {
    /// A frame as the session knows it, so that a shot of what was shown is of that frame. Nil if a stage made it of
    /// one that has left the history.
    func taken(_ frame: FrameMetadata, by stage: StageHost?) -> FrameMetadata? {
        guard stage != nil else { return frame }
        guard let own = ring.lease(nearest: frame.time)?.metadata, own.time == frame.time else { return nil }
        return own
    }
}
