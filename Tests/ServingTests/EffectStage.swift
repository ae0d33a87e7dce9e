// SPDX-License-Identifier: MIT
// Somebody who would draw effects, and notes what is asked.

import LivecapFrames
import LivecapServing
import LivecapThreads

/// A switchboard without a stage behind it.
final class EffectStage: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        var effects = "none"
        var reactions: [Reaction] = []
        var lack: EffectRefusal?
        var fault: EffectRefusal?
        var observers: [Int: @Sendable (EffectSwitchboard.Change) -> Void] = [:]
        var count = 0
    }

    /// How many hear of changes.
    var observerCount: Int { state.withLock { $0.observers.count } }

    /// What is on.
    var effects: String { state.withLock { $0.effects } }

    /// The reactions that were asked for.
    var performed: [Reaction] { state.withLock { $0.reactions } }

    /// Its nets are taken away.
    func lose(_ lack: EffectRefusal) { state.withLock { $0.lack = lack } }

    /// Somebody sets effects: a page, or another program.
    func set(_ effects: String) -> EffectRefusal? {
        change(.effects) { state in
            state.effects = effects
            state.fault = nil
        }
    }

    /// What was set last cannot be drawn after all.
    func fail(_ fault: EffectRefusal) {
        _ = change(.effects) { state in
            state.effects = "none"
            state.fault = fault
        }
    }

    /// Somebody begins a reaction.
    func perform(_ reaction: Reaction) -> EffectRefusal? {
        change(.reaction(reaction)) { $0.reactions.append(reaction) }
    }

    private func change(_ change: EffectSwitchboard.Change, _ body: (inout State) -> Void) -> EffectRefusal? {
        let (lack, observers) = state.withLock { state in
            if state.lack == nil { body(&state) }
            return (state.lack, Array(state.observers.values))
        }
        if lack == nil { for observer in observers { observer(change) } }
        return lack
    }

    private func observe(_ body: @escaping @Sendable (EffectSwitchboard.Change) -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.count += 1
            state.observers[state.count] = body
            return state.count
        }
        return { self.state.withLock { _ = $0.observers.removeValue(forKey: number) } }
    }

    /// What a page sees of it.
    var board: EffectSwitchboard { board(["beach.jpg"]) }

    /// What a page sees of it, with other backgrounds. Lasers cannot be drawn.
    func board(_ backgrounds: [String]) -> EffectSwitchboard {
        var board = EffectSwitchboard(
            effects: [
                .init("portrait", usual: 0.6), .init("light", usual: 0.6), .init("framing", usual: 1),
                .init("gestures", usual: nil),
            ],
            current: { self.effects }, set: { self.set($0) }, perform: { self.perform($0) },
            onChange: { self.observe($0) })
        board.backgrounds = backgrounds
        board.reactions = Reaction.allCases.filter { $0 != .lasers }
        board.inProgress = { self.performed }
        board.lack = { self.state.withLock { $0.lack } }
        board.fault = { self.state.withLock { $0.fault } }
        return board
    }
}

/// Facts that a test tells.
final class FactTeller: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        var streams: [Int: AsyncStream<FrameFacts>.Continuation] = [:]
        var count = 0
        var asked: [Set<FactKind>] = []
    }

    /// The kinds of each stream that was begun.
    var asked: [Set<FactKind>] { state.withLock { $0.asked } }

    /// How many streams are in use.
    var streamCount: Int { state.withLock { $0.streams.count } }

    /// Tells all streams.
    func tell(_ facts: FrameFacts) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(facts) }
    }

    /// Ends all streams, as the end of a session does.
    func end() { for stream in state.withLock({ Array($0.streams.values) }) { stream.finish() } }

    /// What a server looks for.
    func source(_ kinds: Set<FactKind> = [.faces, .hands]) -> FactSource {
        FactSource(kinds) { self.stream($0) }
    }

    /// A stream that it tells.
    func stream(_ kinds: Set<FactKind>) -> AsyncStream<FrameFacts> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: FrameFacts.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.count += 1
            state.streams[state.count] = continuation
            state.asked.append(kinds)
            return state.count
        }
        continuation.onTermination = { _ in self.state.withLock { $0.streams[number] = nil } }
        return stream
    }
}
