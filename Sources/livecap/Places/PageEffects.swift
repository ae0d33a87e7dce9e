// SPDX-License-Identifier: MIT
// What pages can ask of the effects of a host.

import Camera
import LiveCapture
import LivecapEffects
import LivecapFacts
import LivecapFrames
import LivecapServing
import LivecapThreads

extension EffectSwitchboard {
    /// What pages can ask of a board. `lack` says why effects cannot be drawn here. The picture of the background that
    /// the program was started with can be chosen again, and the one that is drawn, but no other.
    init(_ board: EffectBoard, lack: @escaping @Sendable (EffectSettings) -> EffectRefusal?) {
        @Sendable func accept(_ list: String) -> EffectRefusal? {
            guard let settings = EffectSettings(list: list) else {
                return EffectRefusal(
                    "'\(list)' is no list of effects", hint: "such as portrait=0.6,light", code: "bad-request")
            }
            if let lack = lack(settings) { return lack }
            board.set(settings)
            return nil
        }
        self.init(
            effects: EffectName.allCases.filter { $0 != .background }.map { Effect($0.rawValue, usual: $0.usual) },
            current: { board.settings.list }, set: accept,
            perform: { reaction in
                board.perform(reaction)
                return nil
            },
            onChange: { told in Self.follow(board, told) })
        inProgress = { board.inProgress() }
        pace = {
            board.progress.map { Pace(effort: $0.effort.rawValue, fps: $0.fps, framesFps: $0.framesFps) }
        }
        fault = { board.fault.map { EffectRefusal($0.message, hint: $0.hint, code: $0.code) } }
        if case .picture(let path) = board.settings.background { backgrounds = [path] }
    }

    /// A board says that something has changed, not what.
    private static func follow(
        _ board: EffectBoard, _ told: @escaping @Sendable (Change) -> Void
    ) -> @Sendable () -> Void {
        let last = Guarded(
            (
                settings: board.settings, call: board.calls(after: 0).last?.number ?? 0, effort: EffectEffort?.none,
                fault: board.fault
            ))
        return board.onChange {
            // Read with the lock, so that no older state follows a newer one.
            let (isOther, calls) = last.withLock { last in
                let settings = board.settings, effort = board.progress?.effort, fault = board.fault
                let calls = board.calls(after: last.call)
                defer { last = (settings, calls.last?.number ?? last.call, effort, fault) }
                return (last.settings != settings || last.effort != effort || last.fault != fault, calls)
            }
            if isOther { told(.effects) }
            for call in calls { told(.reaction(call.reaction)) }
        }
    }
}

extension FactSource {
    /// What a session can know of people, if the nets are installed: nothing is loaded before somebody asks.
    init(_ session: CaptureSession) {
        self.init(
            Set(FactKind.allCases),
            lack: { kind in
                FactKind.lack([kind]).map {
                    let lack = EffectError.nets($0)
                    return EffectRefusal(lack.message, hint: lack.hint, code: lack.code)
                }
            }, { try? session.facts($0) })
    }
}
