// SPDX-License-Identifier: MIT
// Gestures that begin reactions, while the effects of a session say so.

import Camera
import LiveCapture
import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapThreads

/// Looks for hands while gestures are among a session's effects, and has reactions drawn that are asked for so.
final class GestureReactions: Sendable {
    private let session: CaptureSession
    private let state = Guarded(State())

    private struct State: Sendable {
        /// Ends the look for hands.
        var leave: (@Sendable () -> Void)?
        /// Ends the watch on effects.
        var unobserve: (@Sendable () -> Void)?
        var hold = GestureHold(FrameSize(width: 16, height: 9))
        var isOver = false
    }

    /// Watches the effects of a session.
    init(_ session: CaptureSession) {
        self.session = session
        let unobserve = session.effects.onChange { [weak self] in self?.follow() }
        state.withLock { $0.unobserve = unobserve }
        follow()
    }

    /// Looks for hands, or no more, as the effects say.
    private func follow() {
        let isWanted = session.effects.settings.gestures
        let unneeded = state.withLock { state -> (@Sendable () -> Void)? in
            let isWanted = isWanted && !state.isOver
            guard isWanted != (state.leave != nil) else { return nil }
            guard isWanted else { return state.leave.take() }
            state.hold = GestureHold(session.source.format.size)
            do throws(CameraError) {
                state.leave = try session.followFacts([.hands]) { [weak self] in self?.take($0) }
            } catch { Console.note("note: gestures: \(error.message); \(error.hint)") }
            return nil
        }
        unneeded?()
    }

    private func take(_ facts: FrameFacts) {
        let reaction = state.withLock { $0.hold.next(facts.hands ?? [], at: facts.time) }
        if let reaction { session.perform(reaction) }
    }

    /// Ends all of it.
    func close() {
        let (leave, unobserve) = state.withLock { state in
            state.isOver = true
            return (state.leave.take(), state.unobserve.take())
        }
        leave?()
        unobserve?()
    }
}
