// SPDX-License-Identifier: MIT
// A stage: it takes the streams of a host, and is a host of the streams that it makes of them.

import Camera
import FrameRing
import LivecapFrames
import LivecapThreads

/// What a stage makes of one stream.
package struct StageStream: Sendable {
    /// Fills the ring of what it makes. Not started.
    package let loop: CaptureLoop
    /// What readers join to miss nothing, if the stage's source waits for its own.
    package let gate: FollowerGate?
    /// For the counter of a frame it makes, that of the first frame of the same epoch in the stream it takes: enough to
    /// tell the camera, because another one begins an epoch.
    package let origin: @Sendable (UInt64) -> UInt64

    /// A stream that `loop` fills.
    package init(loop: CaptureLoop, gate: FollowerGate?, origin: @escaping @Sendable (UInt64) -> UInt64) {
        self.loop = loop
        self.gate = gate
        self.origin = origin
    }
}

/// Follows a host's streams, one after the other, and makes a stream of each for sinks of its own, which cannot tell it
/// from a host with a camera. It works only while one of them wants frames.
package final class StageHost: FrameSink {
    /// What takes the frames that the stage makes.
    package let sinks = HostSinks()
    /// What has been done to the frames by then.
    package let treatment: FrameTreatment
    /// How much of what it makes it is to keep for those who begin in the past. It works for them while the camera is
    /// on.
    package let past: Duration
    private let make: @Sendable (StageInput) throws(CameraError) -> StageStream?
    private let whenFailed: @Sendable (CameraError) -> Void
    private let state: Guarded<State>
    private let signal = OwnedSignal()

    private struct State: Sendable {
        /// The streams that the thread has not taken yet: the newest.
        var waiting: Stage?
        /// The one it works on.
        var present: Stage?
        /// What it makes of that.
        var made: Made?
        /// Whether it has made a stream, and whether it is done with one of the host's.
        var hasMadeOne = false
        var isDoneWithOne = false
        var isHeld: Bool
        var maxRate: FrameRate?
        var thread: SystemThread?
        var isOver = false
    }

    /// What the stage makes of a stream: for what is added to it, and for sinks.
    private struct Made: Sendable {
        let view: StreamView
        let stream: SinkStream
        let kept: Duration
    }

    /// A stream of the host's, and the stage's place in it.
    private struct Stage: Sendable {
        let input: StageInput
        let stream: SinkStream
        /// Has it work for the sake of a past.
        let attendance: (any AnyObject & Sendable)?
    }

    /// Has `make` make a stream of each, which may wait for its first frame to do so, until the input's `isOver`: nil
    /// if it has none. `whenFailed` hears of streams it cannot make anything of, or not to their ends. With `isHeld`,
    /// which is for hosts of one stream, no frame is made before `release`. `past`: how much the rings that are made
    /// keep for those who begin in the past.
    package init(
        _ treatment: FrameTreatment, past: Duration = .zero, isHeld: Bool = false,
        _ make: @escaping @Sendable (StageInput) throws(CameraError) -> StageStream?,
        whenFailed: @escaping @Sendable (CameraError) -> Void
    ) throws(SystemShortage) {
        self.treatment = treatment
        self.past = past
        self.make = make
        self.whenFailed = whenFailed
        state = Guarded(State(isHeld: isHeld))
        let thread = try SystemThread(name: "stage") { self.run() }
        state.withLock { $0.thread = thread }
    }

    /// How much it keeps: less than `past` if there is no memory for more.
    package var keptPast: Duration { min(past, state.withLock { $0.made?.kept } ?? past) }

    /// The stream that the stage makes now; nil while there is none.
    package var present: StreamView? { state.withLock { $0.made?.view } }

    /// Waits until the stage has made a stream, or makes none of the host's first one. Returns whether it has.
    package func waitForStream() -> Bool {
        var hasMadeOne = false
        _ = signal.wait(until: .distantFuture) {
            state.withLock { state in
                hasMadeOne = state.hasMadeOne
                return hasMadeOne || state.isDoneWithOne || state.isOver
            }
        }
        return hasMadeOne
    }

    /// Waits for the stream of a stage that is held, for what has to be opened before its first frame. Nil if it makes
    /// none of the host's first one.
    package func firstStream() -> SinkStream? {
        waitForStream() ? state.withLock { $0.made?.stream } : nil
    }

    /// Lets frames be made.
    package func release() {
        state.withLock { $0.isHeld = false }
        signal.notify()
    }

    package func streamBegins(_ stream: SinkStream) {
        let input = StageInput(
            stream.ring, stream.source, planes: stream.planes, gate: stream.gate, keepOn: stream.keepOn,
            attend: stream.attend)
        input.hold()
        let next = Stage(input: input, stream: stream, attendance: past > .zero ? input.attend() : nil)
        let unneeded = state.withLock { state -> [Stage] in
            guard !state.isOver else { return [next] }
            input.limit(to: state.maxRate)
            defer { state.waiting = next }
            // The stream before has ended, and what is left of it is still made, unless that may have to wait for
            // readers.
            return [state.waiting, state.present?.input.gate == nil ? nil : state.present].compactMap { $0 }
        }
        for stage in unneeded { stage.input.end() }
        signal.notify()
    }

    package func limit(to rate: FrameRate?) {
        state.withLock { state in
            state.maxRate = rate
            for stage in [state.waiting, state.present] { stage?.input.limit(to: rate) }
        }
        sinks.limit(to: rate)
    }

    package func hostEnds() { stop() }

    /// Ends its work, and removes its sinks.
    package func close() {
        stop()
        state.withLock { $0.thread.take() }?.join()
    }

    private func stop() {
        let stages = state.withLock { state in
            state.isOver = true
            return [state.waiting.take(), state.present].compactMap { $0 }
        }
        for stage in stages { stage.input.end() }
        signal.notify()
    }

    // MARK: The thread

    private func run() {
        while let stage = next() {
            do throws(CameraError) { try work(on: stage) } catch {
                sinks.streamIsMissing()
                if !stage.input.isOver { whenFailed(error) }
            }
            // Released without the lock.
            let done = state.withLock { state in
                state.isDoneWithOne = true
                return (state.present.take(), state.made.take())
            }
            _ = done
            signal.notify()
        }
        sinks.removeAll()
    }

    /// Waits for a stream; nil if there will be none.
    private func next() -> Stage? {
        var stage: Stage?
        _ = signal.wait(until: .distantFuture) {
            state.withLock { state in
                stage = state.isOver ? nil : state.waiting.take()
                state.present = stage
                return stage != nil || state.isOver
            }
        }
        return stage
    }

    /// Makes a stream of one of the host's, until that has ended.
    private func work(on stage: Stage) throws(CameraError) {
        let (input, stream) = (stage.input, stage.stream)
        defer { input.letGo() }
        guard let made = try make(input) else { return }
        let hub = FrameHub(
            made.loop.ring, made.loop.description, gate: made.gate, mount: stream.mount,
            camera: { stream.camera(made.origin($0)) }, hasSuccessor: stream.hasSuccessor, keepOn: { input.use() },
            attend: { input.attend() }, holdCamera: stream.holdCamera)
        let view = StreamView(
            source: made.loop.description, ring: made.loop.ring, mount: stream.mount, sinks: sinks,
            treatment: treatment)
        state.withLock { state in
            state.made = Made(view: view, stream: hub.stream, kept: made.loop.granted.usualDuration)
            state.hasMadeOne = true
        }
        signal.notify()
        _ = signal.wait(until: .distantFuture) {
            state.withLock { !$0.isHeld || $0.waiting != nil || $0.isOver }
        }
        guard state.withLock({ !$0.isHeld }) else { return made.loop.stop() }
        sinks.begin(hub)
        made.loop.start()
        input.letGo()
        _ = made.loop.ring.wait(forCounter: .max)
        if case .failed(let error) = made.loop.state { whenFailed(error) }
        // Who takes every frame may take the last ones until then.
        _ = signal.wait(until: .distantFuture) { state.withLock { $0.waiting != nil || $0.isOver } }
        state.withLock { $0.made = nil }
        sinks.stop(hub)
        made.loop.stop()
        sinks.end(hub, isLast: !stream.hasSuccessor())
    }
}
