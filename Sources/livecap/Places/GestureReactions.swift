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
    /// Begins to look for hands, until the result is called. The first closure is called if that ends by itself, or,
    /// with the reason, if nobody can be looked for any more; the second one with all that is found.
    typealias Follow =
        @Sendable (
            _ end: @escaping @Sendable (CameraError?) -> Void, _ take: @escaping @Sendable (FrameFacts) -> Void
        ) throws(CameraError) -> @Sendable () -> Void

    private let effects: EffectBoard
    private let size: @Sendable () -> FrameSize
    private let followHands: Follow
    private let perform: @Sendable (Reaction) -> Void
    /// Looks at one change of the effects after the other: nets may have to be loaded, and who changes effects does not
    /// wait for that.
    private let changes = DispatchQueue(label: "livecap.gestures")
    private let state = Guarded(State())
    private let hold: Guarded<Hold>

    private struct State: Sendable {
        /// Ends the look for hands.
        var leave: (@Sendable () -> Void)?
        /// Ends the watch on effects.
        var unobserve: (@Sendable () -> Void)?
        /// Whether the look for hands has ended by itself. It begins again once gestures have been off.
        var hasEnded = false
        var isOver = false
    }

    /// Which gestures are held, in frames of one size.
    private struct Hold: Sendable {
        let size: FrameSize
        var gestures: GestureHold

        init(_ size: FrameSize) {
            self.size = size
            gestures = GestureHold(size)
        }
    }

    /// Watches the effects of a session.
    convenience init(_ session: CaptureSession) {
        self.init(
            session.effects, size: { session.source.format.size },
            follow: { (end, take) throws(CameraError) in
                // Without a place that is looked at, nobody has to be seen. What is held for most of a second is seen
                // in every third frame, too, for a third of the work.
                try session.followFacts([.hands], keepsOn: false, maxRate: FrameRate(10), end: end, take)
            }, perform: { session.perform($0) })
    }

    /// Watches effects. `size` is that of frames now. `perform` has a reaction drawn.
    init(
        _ effects: EffectBoard, size: @escaping @Sendable () -> FrameSize, follow: @escaping Follow,
        perform: @escaping @Sendable (Reaction) -> Void
    ) {
        self.effects = effects
        self.size = size
        followHands = follow
        self.perform = perform
        hold = Guarded(Hold(size()))
        let unobserve = effects.onChange { [weak self] in self?.look() }
        state.withLock { $0.unobserve = unobserve }
        look()
    }

    private func look() {
        // That gestures were off counts even if they are on again by then.
        let wereOff = !effects.settings.gestures
        changes.async { [weak self] in
            if wereOff { self?.leave() }
            self?.follow()
        }
    }

    /// Looks for hands no more. On the queue of changes.
    private func leave() {
        let leave = state.withLock { state in
            state.hasEnded = false
            return state.leave.take()
        }
        leave?()
    }

    /// Looks for hands, or no more, as the effects say. On the queue of changes.
    private func follow() {
        let isWanted = effects.settings.gestures && !state.withLock { $0.isOver }
        guard isWanted else { return leave() }
        guard state.withLock({ $0.leave == nil && !$0.hasEnded }) else { return }
        let size = size()
        hold.withLock { $0 = Hold(size) }
        do throws(CameraError) {
            let leave = try followHands({ [weak self] in self?.end($0) }, { [weak self] in self?.take($0) })
            state.withLock { $0.leave = leave }
        } catch { end(error) }
    }

    /// The look for hands has ended: by itself, or because it could not go on. Then gestures go off, for all to see.
    private func end(_ error: CameraError?) {
        state.withLock { $0.hasEnded = true }
        if let error { effects.refuseGestures(error) }
    }

    private func take(_ facts: FrameFacts) {
        let size = size()
        let reaction = hold.withLock { hold in
            // Another camera or format has taken the place of the one before.
            if hold.size != size { hold = Hold(size) }
            return hold.gestures.next(facts.hands ?? [], at: facts.time)
        }
        if let reaction { perform(reaction) }
    }

    /// Ends all of it.
    func close() {
        state.withLock { $0.unobserve.take() }?()
        state.withLock { $0.isOver = true }
        changes.sync { follow() }
    }
}
