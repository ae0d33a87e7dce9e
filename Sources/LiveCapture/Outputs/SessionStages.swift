// SPDX-License-Identifier: MIT
// The stages whose frames the outputs and movies of a session ask for.

import Camera
import Fusion
import LivecapEffects
import LivecapFrames
import LivecapLiveFusion
import LivecapStreams
import LivecapThreads

/// Makes a stage for the first that asks for its frames, and ends it after the last.
final class SessionStages: Sendable {
    private let source: HostSinks
    private let effects: EffectBoard
    private let whenFailed: @Sendable (FrameTreatment, CameraError) -> Void
    private let state = Guarded<[FrameTreatment: Entry]>([:])

    private struct Entry: Sendable {
        let stage: StageHost
        /// Takes it out of what it takes frames of.
        let leave: @Sendable () -> Void
        /// How many take its frames: outputs, movies, other stages.
        var users = 1
    }

    /// Stages of the frames that `source` serves, which draw what is on `effects`. `whenFailed` hears of streams that
    /// cannot be treated.
    init(
        _ source: HostSinks, _ effects: EffectBoard,
        whenFailed: @escaping @Sendable (FrameTreatment, CameraError) -> Void
    ) {
        self.source = source
        self.effects = effects
        self.whenFailed = whenFailed
    }

    /// The stages there are, in an order that depends on what they do.
    var all: [StageHost] {
        state.withLock { entries in entries.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value.stage) }
    }

    /// The stage of frames that are treated so; nil if nothing asks for them.
    func stage(_ treatment: FrameTreatment) -> StageHost? { state.withLock { $0[treatment]?.stage } }

    /// The same for something more that asks for them, until `release`.
    func use(_ treatment: FrameTreatment) throws(SystemShortage) -> StageHost {
        try state.withLock { (entries) throws(SystemShortage) in try use(treatment, &entries) }
    }

    /// Ends what was made for a call of `use` alone. Returns at once.
    func release(_ treatment: FrameTreatment) {
        close(state.withLock { release(treatment, &$0) })
    }

    /// Removes an output that takes frames of a stage. Returns at once.
    func remove(_ output: FrameOutput) {
        let unused = state.withLock { entries -> [Entry] in
            let own = entries.first { _, entry in entry.stage.sinks.outputs.contains { $0 === output } }
            guard let (treatment, entry) = own else { return [] }
            entry.stage.sinks.remove(output)
            return release(treatment, &entries)
        }
        close(unused)
    }

    /// Ends all of them. Returns at once.
    func end() {
        let entries = state.withLock { entries in
            defer { entries = [:] }
            return entries.sorted { $0.key.beginnings.count > $1.key.beginnings.count }.map(\.value)
        }
        close(entries)
    }

    private func use(
        _ treatment: FrameTreatment, _ entries: inout [FrameTreatment: Entry]
    ) throws(SystemShortage) -> StageHost {
        if let entry = entries[treatment] {
            entries[treatment]?.users += 1
            return entry.stage
        }
        let step = treatment.last ?? treatment, earlier = treatment.subtracting(step)
        let before = earlier.isEmpty ? source : try use(earlier, &entries).sinks
        let stage: StageHost
        do throws(SystemShortage) { stage = try make(step, after: earlier) } catch {
            close(release(earlier, &entries))
            throw error
        }
        entries[treatment] = Entry(stage: stage, leave: before.attach(stage))
        return stage
    }

    /// The entries that nothing uses any more, each before those whose frames it takes.
    private func release(_ treatment: FrameTreatment, _ entries: inout [FrameTreatment: Entry]) -> [Entry] {
        guard let entry = entries[treatment] else { return [] }
        guard entry.users == 1 else {
            entries[treatment]?.users -= 1
            return []
        }
        entries[treatment] = nil
        return [entry] + release(treatment.subtracting(treatment.last ?? treatment), &entries)
    }

    private func make(_ step: FrameTreatment, after earlier: FrameTreatment) throws(SystemShortage) -> StageHost {
        let whenFailed: @Sendable (CameraError) -> Void = { [whenFailed] in whenFailed(earlier.union(step), $0) }
        return step == .fused
            ? try .fusing(threads: min(2, ThreadPool.processors), whenFailed: whenFailed)
            : try .drawing(effects, after: earlier, whenFailed: whenFailed)
    }

    /// Ends stages by a thread of its own: they may be in the middle of a frame.
    private func close(_ entries: [Entry]) {
        guard !entries.isEmpty else { return }
        let end: @Sendable () -> Void = {
            for entry in entries {
                entry.leave()
                entry.stage.close()
            }
        }
        do throws(SystemShortage) { try SystemThread(name: "stop", end).detach() } catch { end() }
    }
}
