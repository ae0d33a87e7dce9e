// SPDX-License-Identifier: MIT
// Whether a virtual camera is watched, has failed or is closed.

import LivecapStreams
import LivecapThreads

/// Tracks whether anybody takes a virtual camera's pictures. Its output makes them only while somebody does; its thread
/// is woken when the camera ends.
final class CameraAudience: Sendable {
    private let output: FrameOutput
    private let state = Guarded(State())

    private struct State: Sendable {
        var demand = PictureDemand.none
        var isClosed = false
        var isReported = false
        var report: (@Sendable (VirtualCameraError) -> Void)?
        var whenWatchedChanges: (@Sendable () -> Void)?

        var failure: VirtualCameraError? { if case .never(let error) = demand { error } else { nil } }
    }

    init(_ output: FrameOutput) { self.output = output }

    var failure: VirtualCameraError? { state.withLock { $0.failure } }
    var isWatched: Bool { state.withLock { $0.demand == .some } }
    /// Whether no picture is to be shown any more.
    var isOver: Bool { state.withLock { $0.isClosed || $0.failure != nil } }

    /// Notes what programs want now. A failure is for good.
    func note(_ demand: PictureDemand) {
        let (isNew, listener) = state.withLock { state in
            guard state.failure == nil else { return (false, nil as (@Sendable () -> Void)?) }
            state.demand = demand
            return (true, state.whenWatchedChanges)
        }
        guard isNew else { return }
        listener?()
        output.setWanted(demand == .some)
        output.wake()
    }

    /// Notes that the camera is removed.
    func close() {
        state.withLock { $0.isClosed = true }
        output.wake()
    }

    func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenWatchedChanges = body } }

    func onFailure(_ body: @escaping @Sendable (VirtualCameraError) -> Void) {
        state.withLock { $0.report = body }
        reportFailure()
    }

    /// Reports a failure to whom it concerns, once.
    func reportFailure() {
        let report = state.withLock { state -> (@Sendable () -> Void)? in
            guard let failure = state.failure, let report = state.report, !state.isReported else { return nil }
            state.isReported = true
            return { report(failure) }
        }
        report?()
    }
}
