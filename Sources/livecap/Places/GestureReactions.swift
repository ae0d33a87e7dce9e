// SPDX-License-Identifier: MIT
// Gestures that begin reactions, while the effects of a session say so.

import Camera
import Dispatch
import LiveCapture
import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapThreads

/// Looks for hands while gestures are among a session's effects, and has reactions drawn that are asked for so.
final class GestureReactions: Sendable {
    private let session: CaptureSession
    /// Looks at one change of the effects after the other: nets may have to be loaded, and who changes effects does not
    /// wait for that.
    private let changes = DispatchQueue(label: "livecap.gestures")
    private let state = Guarded(State())
    private let hold = Guarded(GestureHold(FrameSize(width: 16, height: 9)))

    private struct State: Sendable {
        /// Ends the look for hands.
        var leave: (@Sendable () -> Void)?
        /// Ends the watch on effects.
        var unobserve: (@Sendable () -> Void)?
        /// Whether hands cannot be looked for. That is tried again once gestures have been off.
        var hasFailed = false
        var isOver = false
    }

    /// Watches the effects of a session.
    init(_ session: CaptureSession) {
        self.session = session
        let unobserve = session.effects.onChange { [weak self] in self?.look() }
        state.withLock { $0.unobserve = unobserve }
        look()
    }

    private func look() {
        changes.async { [weak self] in self?.follow() }
    }

    /// Looks for hands, or no more, as the effects say. On the queue of changes.
    private func follow() {
        let isWanted = session.effects.settings.gestures && !state.withLock { $0.isOver }
        guard isWanted else {
            let leave = state.withLock { state in
                state.hasFailed = false
                return state.leave.take()
            }
            leave?()
            return
        }
        guard state.withLock({ $0.leave == nil && !$0.hasFailed }) else { return }
        hold.withLock { $0 = GestureHold(session.source.format.size) }
        do throws(CameraError) {
            // Without a place that is looked at, nobody has to be seen.
            let leave = try session.followFacts([.hands], keepsOn: false, end: { [weak self] in self?.fail($0) }) {
                [weak self] in self?.take($0)
            }
            state.withLock { $0.leave = leave }
        } catch { fail(error) }
    }

    private func fail(_ error: CameraError?) {
        state.withLock { $0.hasFailed = true }
        if let error { Console.note("note: gestures are not seen: \(error.message); \(error.hint)") }
    }

    private func take(_ facts: FrameFacts) {
        let reaction = hold.withLock { $0.next(facts.hands ?? [], at: facts.time) }
        if let reaction { session.perform(reaction) }
    }

    /// Ends all of it.
    func close() {
        state.withLock { $0.unobserve.take() }?()
        state.withLock { $0.isOver = true }
        changes.sync { follow() }
    }
}
