// SPDX-License-Identifier: MIT
// What effects a host draws now: set by anybody, read by its stages for each picture.

import LivecapDetection
import LivecapFrames
import LivecapThreads

/// The effects and reactions that a host's stages draw. Every change is in force from the next picture on.
package final class EffectBoard: Sendable {
    private let state: Guarded<State>
    private let facesSeen = Guarded<(@Sendable (FrameFacts) -> Void)?>(nil)

    private struct State {
        var settings: EffectSettings
        var calls: [ReactionCall] = []
        var count: UInt64 = 0
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var observerCount: UInt64 = 0
        var fault: EffectFault?
        var faultCount: UInt64 = 0
        var drawers = 0
        var progresses: [ObjectIdentifier: EffectProgress] = [:]
    }

    /// So many reactions are drawn at once. More calls than these need not be remembered.
    package static let mostReactions = 3

    /// Draws these, for now.
    package init(_ settings: EffectSettings = EffectSettings()) { state = Guarded(State(settings: settings)) }

    /// The effects that are drawn.
    package var settings: EffectSettings { state.withLock { $0.settings } }

    /// Draws these from now on. What they need must be there.
    package func set(_ settings: EffectSettings) {
        let hasChanged = state.withLock { state in
            defer {
                state.settings = settings
                state.fault = nil
            }
            return state.settings != settings || state.fault != nil
        }
        if hasChanged { notify() }
    }

    /// Why the effects that were set last are not drawn after all; nil if they are. A change of it notifies observers.
    package var fault: EffectFault? { state.withLock { $0.fault } }

    /// Goes back to what was drawn before, because something that is needed has disappeared.
    func refuse(_ settings: EffectSettings, for earlier: EffectSettings, _ error: NetError) {
        let isPresent = state.withLock { state in
            guard state.settings == settings else { return false }
            Self.refuse(settings, for: earlier, because: .net(error), &state)
            return true
        }
        if isPresent { notify() }
    }

    /// Takes gestures off, because hands cannot be looked for.
    package func refuseGestures(_ error: some ExplainedError) {
        let isPresent = state.withLock { state in
            let settings = state.settings
            guard settings.gestures else { return false }
            Self.refuse(
                settings, for: settings.withoutGestures,
                because: .hands(message: error.message, hint: error.hint), &state)
            return true
        }
        if isPresent { notify() }
    }

    private static func refuse(
        _ wanted: EffectSettings, for others: EffectSettings, because cause: EffectFault.Cause, _ state: inout State
    ) {
        state.settings = others
        state.faultCount += 1
        state.fault = EffectFault(number: state.faultCount, wanted: wanted, cause: cause)
    }

    /// Whether something draws what is on the board.
    package var isDrawn: Bool { state.withLock { $0.drawers > 0 } }

    /// Something begins to draw, or ends.
    func countDrawers(by difference: Int) { state.withLock { $0.drawers += difference } }

    /// How well effects keep up with the frames: where they do it worst, if several stages draw them. Nil while none
    /// are drawn, and for what does not have to keep up.
    package var progress: EffectProgress? { state.withLock { Self.worst($0) } }

    /// Notes how well a drawer keeps up, or that it no longer has to. Observers are told of the effort, and of whether
    /// the rate is lowered, not of every rate.
    func report(_ progress: EffectProgress?, by drawer: ObjectIdentifier) {
        let hasChanged = state.withLock { state in
            guard state.progresses[drawer] != progress else { return false }
            let before = Self.worst(state)
            state.progresses[drawer] = progress
            let after = Self.worst(state)
            return before?.effort != after?.effort || before?.lowersRate != after?.lowersRate
        }
        if hasChanged { notify() }
    }

    private static func worst(_ state: State) -> EffectProgress? {
        state.progresses.values.min { a, b in
            a.lowersRate != b.lowersRate
                ? a.lowersRate
                : a.effort != b.effort
                    ? a.effort < b.effort : (a.rates?.drawn ?? .infinity) < (b.rates?.drawn ?? .infinity)
        }
    }

    /// Begins a reaction with the next picture, unless `mostReactions` are being drawn. `time`: now, on
    /// CLOCK_MONOTONIC.
    package func perform(_ reaction: Reaction, at time: Timestamp = .now) {
        let begins = state.withLock { state in
            state.calls.removeAll { $0.isOver(at: time) }
            guard state.calls.count < Self.mostReactions else { return false }
            state.count += 1
            state.calls.append(ReactionCall(number: state.count, reaction: reaction, time: time))
            return true
        }
        if begins { notify() }
    }

    /// The calls after the one of a number, the oldest first.
    package func calls(after number: UInt64) -> [ReactionCall] {
        state.withLock { state in state.calls.filter { $0.number > number } }
    }

    /// The reactions in progress at a time on CLOCK_MONOTONIC.
    package func inProgress(at time: Timestamp = .now) -> [Reaction] {
        state.withLock { state in
            state.calls.filter { $0.time <= time && !$0.isOver(at: time) }.map(\.reaction)
        }
    }

    /// Has `body` called after each change, by the thread that made it, until the result is called.
    package func onChange(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.observerCount += 1
            state.observers[state.observerCount] = body
            return state.observerCount
        }
        return { [weak self] in self?.state.withLock { _ = $0.observers.removeValue(forKey: number) } }
    }

    // MARK: Faces

    /// Has `body` called with the faces of each picture in which a stage has looked for them, by the stage's thread.
    package func onFaces(_ body: @escaping @Sendable (FrameFacts) -> Void) { facesSeen.withLock { $0 = body } }

    /// Notes the faces that were found in a picture of a frame.
    func note(_ faces: [Face], in frame: FrameMetadata) {
        guard let body = facesSeen.withLock({ $0 }) else { return }
        body(
            FrameFacts(
                frame: frame.id, time: frame.time,
                faces: faces.map { face in
                    let box = PictureBox(origin: face.origin, width: face.width, height: face.height)
                    return FaceFacts(id: 0, box: box, confidence: face.confidence, landmarks: face.landmarks)
                }))
    }

    private func notify() {
        for body in state.withLock({ Array($0.observers.values) }) { body() }
    }
}

/// That a reaction was asked for.
package struct ReactionCall: Hashable, Sendable {
    /// Counts calls.
    package let number: UInt64
    package let reaction: Reaction
    /// When it was asked for.
    package let time: Timestamp

    func isOver(at time: Timestamp) -> Bool { time >= self.time + reaction.duration }
}
