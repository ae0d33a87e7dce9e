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
final class VideoChannel: Sendable {
    /// Nil for the frames' own width.
    let width: Int?
    private let session: CaptureSession
    private let view: PageView
    /// Makes the frames that viewers see; nil if those are the session's own.
    private let stage: StageHost?
    private let whenFailed: @Sendable (VideoChannel, MovieError) -> Void
    private let state = Guarded(State())
    private let isStopping = Atomic(false)
    /// How many frames were made. Those that its stage left out are not among them.
    private let made = Atomic<UInt32>(0)
    private let call = StreamCall()

    private struct State: Sendable {
        /// Ends the thread's wait for a frame.
        var wake: (@Sendable () -> Void)?
        var viewers: [ObjectIdentifier: (viewer: VideoViewer, stream: HTTPStream)] = [:]
        var hasFailed = false
    }

    /// `whenFailed` is told once why it encodes nothing. Its viewers' streams then end.
    init(
        _ session: CaptureSession, width: Int?, _ view: PageView = PageView(), by stage: StageHost?,
        whenFailed: @escaping @Sendable (VideoChannel, MovieError) -> Void
    ) {
        self.session = session
        self.width = width
        self.view = view
        self.stage = stage
        self.whenFailed = whenFailed
    }

    /// Starts encoding, until `stop`.
    func start() throws(SystemShortage) { try SystemThread(name: "video") { self.run() }.detach() }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        state.withLock { $0.wake }?()
        call.notify()
    }

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
        state.withLock { $0.wake = { output.wake() } }
        var keys = KeyPace()
        while !isOver, session.source.format == format, self.view.pictures(of: session, areUpright: false) == view {
            let picture = output.next(until: lastBeat + Self.beatInterval) { isOver }
            // One in a format from before a change is the last of its stream.
            if let picture, picture.format == pictures, let frame = session.taken(picture.frame, by: stage) {
                let isKey = keys.allowsKey(at: frame.time) && wantsKey(at: frame.time)
                try picture.withBytes { (bytes) throws(MovieError) in
                    try encoder.encode(bytes, of: frame, isKey: isKey) { packet in
                        if packet.isKey { keys.note(packet.frame.time) }
                        let number = made.wrappingAdd(1, ordering: .relaxed).newValue
                        publish(VideoChunk(packet, number: number, size: encoder.size))
                    }
                }
            }
            beat(&lastBeat)
        }
    }

    private func wantsKey(at time: Timestamp) -> Bool {
        state.withLock { Array($0.viewers.values) }.contains { $0.viewer.wantsKey(at: time) }
    }

    private func publish(_ chunk: VideoChunk) {
        for (viewer, stream) in state.withLock({ Array($0.viewers.values) }) {
            viewer.offer(chunk)
            stream.wake()
        }
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
