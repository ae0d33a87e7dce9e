// SPDX-License-Identifier: MIT
// The effects of a run, as clients of its socket and keys of its terminal change them.

import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapIntents
import LivecapLiveFusion
import LivecapStreams

/// Does what is asked of effects. Used by the run's thread alone.
final class RunEffects {
    /// Nil if the run draws no effects.
    private let board: EffectBoard?
    /// Whether frames get effects, and reactions with them; otherwise photos alone do.
    private let hasFrames: Bool
    private let camera: () -> String
    private let lack: (EffectSettings) -> EffectError?
    /// The nets that are known to be there: looking takes a while.
    private var known: Set<NetModel>
    /// What was last found to be gone.
    private var fault: EffectFault?
    /// What the key that switches effects off has switched off.
    private var setAside: EffectSettings?

    /// `camera`: the id of the camera that delivers now. `lack`: why effects cannot be drawn here.
    init(
        _ board: EffectBoard?, hasFrames: Bool = true, camera: @escaping () -> String,
        lack: @escaping (EffectSettings) -> EffectError? = { StageHost.lack(of: $0) }
    ) {
        self.board = board
        self.hasFrames = hasFrames
        self.camera = camera
        self.lack = lack
        // The run would not have begun without these.
        known = Set(board?.settings.models ?? [])
    }

    /// Draws other effects, or says which are drawn.
    func obey(_ intent: EffectsIntent, telling replies: SocketReplies) {
        do throws(Failure) { replies.send(effects: try members(after: intent)) } catch { replies.refuse(error) }
    }

    /// Draws a reaction.
    func obey(_ intent: ReactionIntent, telling replies: SocketReplies) {
        do throws(Failure) { replies.send(reaction: try members(after: intent)) } catch { replies.refuse(error) }
    }

    /// Does what an intent asks for. Returns what is then drawn, for programs.
    func members(after intent: EffectsIntent) throws(Failure) -> [(String, JSON)] {
        let board = try present()
        if let fault = board.fault, fault != self.fault {
            self.fault = fault
            known = []
        }
        if let list = intent.set {
            guard let settings = EffectSettings(list: list) else { throw .effectsList(list) }
            if let lack = missing(settings) { throw .effects(lack) }
            board.set(settings)
        }
        let available = EffectName.allCases.filter { name in
            EffectSettings(list: name.example).map { missing($0) == nil } ?? false
        }
        let progress = board.progress, fault = board.fault
        return [
            ("set", .string(board.settings.list)),
            ("inProgress", .array(board.inProgress().map { .string($0.rawValue) })),
            ("available", .array(available.map { .string($0.rawValue) })), ("camera", .string(camera())),
            ("effort", progress.map { .string($0.effort.rawValue) } ?? .null), ("fps", JSON(progress?.fps)),
            ("framesFps", JSON(progress?.framesFps)),
            ("fault", fault.map { RunRefusal(message: $0.message, code: $0.code, hint: $0.hint).json } ?? .null),
        ]
    }

    /// Does what an intent asks for. Returns what begins, for programs.
    func members(after intent: ReactionIntent) throws(Failure) -> [(String, JSON)] {
        try begin(intent.perform)
        return [
            ("perform", .string(intent.perform.rawValue)), ("durationMs", JSON(milliseconds: intent.perform.duration)),
        ]
    }

    private func begin(_ reaction: Reaction) throws(Failure) {
        let board = try present()
        guard hasFrames else {
            throw .pictures(
                "this run draws effects into photos only, and reactions are not for photos",
                hint: "start it with another place in --effects-in, such as page")
        }
        board.perform(reaction)
    }

    private func present() throws(Failure) -> EffectBoard {
        guard let board else {
            throw .pictures(
                "this run draws no effects",
                hint: "start it with --effects, or with --effects-in PLACES to switch them on later")
        }
        return board
    }

    /// Why effects cannot be drawn; nil if they can be. Nets that were found once are not looked for again.
    private func missing(_ settings: EffectSettings) -> EffectError? {
        guard settings.needFile || !settings.models.allSatisfy(known.contains) else { return nil }
        if let lack = lack(settings) { return lack }
        known.formUnion(settings.models)
        return nil
    }
}

extension RunEffects {
    /// The key that switches effects off and on again.
    private static let switchKey: Character = "e"

    /// What its keys do, for people; nil if the run draws no effects.
    var keysInWords: String? {
        guard board != nil else { return nil }
        guard hasFrames else { return "\(Self.switchKey) switches effects off and on" }
        return "\(Self.switchKey) switches effects off and on, 1 to \(Reaction.allCases.count) perform reactions"
    }

    /// Does what a key is for. Returns what is to be said of it; nil if it is none of these keys.
    func obey(_ key: Character) -> String? {
        let number = key.isASCII ? key.wholeNumberValue.map { $0 - 1 } : nil
        let reaction = number.flatMap { Reaction.allCases.indices.contains($0) ? Reaction.allCases[$0] : nil }
        guard key == Self.switchKey || reaction != nil else { return nil }
        do throws(Failure) {
            guard let reaction else { return flip(try present()) }
            try begin(reaction)
            return "reaction: \(reaction.rawValue)"
        } catch { return "note: \(error.message): \(error.hint)" }
    }

    /// Switches effects off, or on again as they were.
    private func flip(_ board: EffectBoard) -> String {
        let present = board.settings
        if !present.areNone {
            setAside = present
            board.set(EffectSettings())
            return "effects are off; \(Self.switchKey) draws them again"
        }
        guard let earlier = setAside else {
            return "note: no effects were drawn before; 'livecap effects set portrait' draws some"
        }
        board.set(earlier)
        return "effects: \(earlier.list)"
    }
}

extension Failure {
    /// A list of effects that is none.
    static func effectsList(_ list: String) -> Failure {
        .pictures(
            "'\(list)' is no list of effects",
            hint: "none, or with commas between: " + EffectName.allCases.map(\.example).joined(separator: ", "))
    }
}
