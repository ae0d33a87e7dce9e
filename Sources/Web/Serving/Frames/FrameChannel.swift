// SPDX-License-Identifier: MIT
// The frames of one size, for all who view that size.

import FrameRing
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapPictures
import LivecapStreams
import LivecapThreads
import Synchronization

/// Makes each frame a JPEG of one width, once for all viewers. A camera's own JPEG is passed on untouched.
final class FrameChannel: Sendable {
    /// Nil for the frames' own width.
    let width: Int?
    private let session: CaptureSession
    /// Makes the frames that viewers see; nil if those are the session's own.
    private let stage: StageHost?
    private let wrapping: FrameWrapping
    private let stock = FrameStock()
    private let view: PageView
    private let maxBytes: Int
    private let state = Guarded(State())
    private let isStopping = Atomic(false)
    /// How many frames were made. Those that its stage left out are not among them.
    private let made = Atomic<UInt32>(0)
    private let call = StreamCall()

    private struct State: Sendable {
        var newest: FeedFrame?
        /// Ends the thread's wait for a frame.
        var wake: (@Sendable () -> Void)?
        var viewers: [ObjectIdentifier: (viewer: FrameViewer, stream: HTTPStream)] = [:]
    }

    /// The memory for the frames that all viewers of a channel are being sent. Beyond it, the slowest one is cut off.
    static let maxBytes = 64 << 20

    /// `wrapping` applies to all viewers of the channel. Viewers see the frames that `stage` makes of the session's, if
    /// there is one.
    init(
        _ session: CaptureSession, _ wrapping: FrameWrapping, width: Int?, _ view: PageView = PageView(),
        by stage: StageHost? = nil, maxBytes: Int = FrameChannel.maxBytes
    ) {
        self.session = session
        self.stage = stage
        self.wrapping = wrapping
        self.width = width
        self.view = view
        self.maxBytes = maxBytes
    }

    /// Starts making frames, until `stop`.
    func start() throws(SystemShortage) { try SystemThread(name: "viewers") { self.run() }.detach() }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        state.withLock { $0.wake }?()
        call.notify()
    }

    var newest: FeedFrame? { state.withLock { $0.newest } }
    var viewerCount: Int { state.withLock { $0.viewers.count } }

    func add(_ viewer: FrameViewer, _ stream: HTTPStream) {
        state.withLock { $0.viewers[ObjectIdentifier(viewer)] = (viewer, stream) }
        stream.wake()
    }

    /// Returns how many viewers are left.
    func remove(_ viewer: FrameViewer) -> Int {
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
            if isPassedThrough { passThrough(&lastBeat) } else { convert(&lastBeat) }
        }
    }

    private var isOver: Bool { isStopping.load(ordering: .acquiring) }

    /// Whether viewers get the camera's own bytes.
    private var isPassedThrough: Bool {
        let format = session.source.format
        guard stage == nil, format.pixelFormat.isJPEG, width.map({ $0 >= format.size.width }) ?? true else {
            return false
        }
        return pictureView == .whole
    }

    /// What makes pictures as this channel's viewers want them.
    private var pictureView: PictureView { view.pictures(of: session, areUpright: wrapping.isUpright) }

    /// Passes the frames of the present ring on, until it ends or others are wanted.
    private func passThrough(_ lastBeat: inout Timestamp) {
        let (ring, use) = (session.ring, session.keepCameraOn())
        defer { withExtendedLifetime(use) {} }
        // The source may have changed since the caller looked, so check once more for this ring.
        guard isPassedThrough else { return }
        state.withLock { $0.wake = { ring.wakeWaiters() } }
        var (last, lastLook) = (Timestamp(nanoseconds: .min), Timestamp.now)
        while !isOver, ring === session.ring {
            switch ring.wait(forNewerThan: last, until: lastBeat + Self.beatInterval, unless: { isOver }) {
            case .arrived:
                last = ring.newestTime ?? last
                guard let lease = ring.leaseNewest() else { break }
                last = max(last, lease.metadata.time)
                publish(
                    lease.withBytes {
                        FeedFrame(
                            lease.metadata, number: nextNumber(), size: lease.format.size, jpeg: $0, wrapping: wrapping,
                            stock: stock)
                    })
            case .timedOut: break
            // The session goes on with another ring in a moment, or ends.
            case .ended: call.wait(until: lastBeat + Self.beatInterval) { isOver || ring !== session.ring }
            }
            beat(&lastBeat)
            // The format and the rotation are checked at most ten times per second.
            guard .now - lastLook >= .milliseconds(100) else { continue }
            lastLook = .now
            guard isPassedThrough else { return }
        }
    }

    /// Makes pictures of the frames, until others are wanted.
    private func convert(_ lastBeat: inout Timestamp) {
        let format = session.source.format
        let view = pictureView
        let output = FrameOutput(FrameOutputSettings(pictures: settings(of: format, view)))
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
        while !isOver, !isPassedThrough, session.source.format == format, pictureView == view {
            let picture = output.next(until: lastBeat + Self.beatInterval) { isOver }
            if let picture, let frame = session.taken(picture.frame, by: stage) {
                publish(
                    picture.withBytes {
                        FeedFrame(
                            frame, number: nextNumber(), size: picture.format.size, jpeg: $0, wrapping: wrapping,
                            stock: stock)
                    })
            }
            beat(&lastBeat)
        }
    }

    private func nextNumber() -> UInt32 { made.wrappingAdd(1, ordering: .relaxed).newValue }

    private func settings(of format: FrameFormat, _ view: PictureView) -> PictureSettings {
        let own = PictureView(mount: view.mount).size(of: format.size)
        guard let width, width < own.width else { return PictureSettings(format: .jpeg(quality: 80), view: view) }
        let height = max(2, (own.height * width / own.width + 1) & ~1)
        return PictureSettings(format: .jpeg(quality: 80), size: FrameSize(width: width, height: height), view: view)
    }

    private func publish(_ frame: FeedFrame) {
        let viewers = state.withLock { state in
            state.newest = frame
            return Array(state.viewers.values)
        }
        // Without the lock: a viewer that is being sent something holds its own, and asks for the newest frame.
        if stock.usedBytes > maxBytes { Self.slowest(of: viewers.map(\.viewer))?.cutOff() }
        for (_, stream) in viewers { stream.wake() }
    }

    /// The viewer that has been sent the same frame for longest.
    private static func slowest(of viewers: [FrameViewer]) -> FrameViewer? {
        viewers.compactMap { viewer in viewer.frameTime.map { (viewer, $0) } }.min { $0.1 < $1.1 }?.0
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
