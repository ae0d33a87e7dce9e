// SPDX-License-Identifier: MIT
// A sink that takes every picture of a stage.

import Camera
import FrameRing
import LivecapFrames
import LivecapStreams
import LivecapThreads

/// Wants every picture of one stream, and has them taken by the thread that calls `take`.
final class PictureTaker: FrameSink {
    private let state = Guarded(State())
    private let signal = OwnedSignal()

    private struct State: Sendable {
        var input: StageInput?
        /// Has the stage work, and keeps the camera on.
        var use: (any AnyObject & Sendable)?
        var isOver = false
        var failure: CameraError?
    }

    /// There are no more pictures.
    struct Ended: Error, CustomStringConvertible {
        let failure: CameraError?
        var description: String { failure.map { "\($0.message); \($0.hint)" } ?? "there were no more pictures" }
    }

    func streamBegins(_ stream: SinkStream) {
        let input = StageInput(
            stream.ring, stream.source, planes: stream.planes, gate: stream.gate, keepOn: stream.keepOn,
            attend: stream.attend)
        let use = input.use()
        state.withLock { state in
            state.input = input
            state.use = use
        }
        signal.notify()
    }

    func hostEnds() { end(nil) }

    /// Ends the wait for pictures.
    func end(_ failure: CameraError?) {
        let input = state.withLock { state in
            state.isOver = true
            state.failure = state.failure ?? failure
            return state.input
        }
        input?.end()
        signal.notify()
    }

    /// Wants no more pictures.
    func leave() {
        // Released without the lock.
        let use = state.withLock { $0.use.take() }
        _ = use
    }

    /// Takes every picture of the stream until `body`, which gets its frame, returns false. Returns how many left the
    /// stage's history before they were taken. Only once.
    /// - Throws: `Ended` if the stream ends before that.
    func take(_ body: (FrameMetadata) -> Bool) throws(Ended) -> Int {
        var input: StageInput?
        _ = signal.wait(until: .distantFuture) {
            state.withLock { state in
                input = state.input
                return input != nil || state.isOver
            }
        }
        guard let input, var pictures = input.takeBeginning() else { throw ended }
        while true {
            switch pictures.poll(.every) {
            case .ended: throw ended
            case .timedOut:
                guard !input.isOver else { throw ended }
                input.wait(forCounter: pictures.nextCounter) { false }
            case .frame(let lease):
                guard body(lease.metadata) else { return Int(clamping: pictures.missed) }
            }
        }
    }

    private var ended: Ended { Ended(failure: state.withLock { $0.failure }) }
}
