// SPDX-License-Identifier: MIT
// What pages can ask of whoever draws effects.

import LivecapFrames

/// Who draws effects, as pages see it. All closures may be called from any thread, and only `set` may take long.
package struct EffectSwitchboard: Sendable {
    /// An effect with a strength, from 0 to 1, or one that is on or off.
    package struct Effect: Hashable, Sendable {
        /// Its name in lists.
        package let name: String
        /// Its strength in lists that name it alone; nil if it has none, but is on or off.
        package let usual: Double?

        package init(_ name: String, usual: Double?) {
            self.name = name
            self.usual = usual
        }
    }

    /// What has changed.
    package enum Change: Hashable, Sendable {
        /// The effects that are on, how well they keep up, or why they are not drawn after all.
        case effects
        /// A reaction has begun.
        case reaction(Reaction)
    }

    /// How well effects keep up with the frames.
    package struct Pace: Hashable, Sendable {
        /// How much work goes into drawing: `full`, `lean` or `least`.
        package let effort: String
        /// Pictures a second, and frames a second that they are made of; nil if that is not known yet.
        package let fps: Double?
        package let framesFps: Double?

        package init(effort: String, fps: Double?, framesFps: Double?) {
            self.effort = effort
            self.fps = fps
            self.framesFps = framesFps
        }
    }

    /// The effects with a strength, and those that are on or off. Besides there is `background`, which is a colour, or
    /// one of `backgrounds`.
    package var effects: [Effect]
    /// What may be shown behind people beside a colour. A page can ask for nothing else but what is shown now: it opens
    /// no files.
    package var backgrounds: [String] = []
    /// The reactions that can be drawn.
    package var reactions: [Reaction] = Reaction.allCases
    /// What is on, as a list with commas such as `portrait=0.6,light`, or `none`.
    package var current: @Sendable () -> String
    /// The reactions in progress.
    package var inProgress: @Sendable () -> [Reaction] = { [] }
    /// How well effects keep up; nil while none are drawn.
    package var pace: @Sendable () -> Pace? = { nil }
    /// Why nothing can be drawn; nil if it can.
    package var lack: @Sendable () -> EffectRefusal? = { nil }
    /// Why what was set last is not drawn after all; nil if it is.
    package var fault: @Sendable () -> EffectRefusal? = { nil }
    /// Whether what is behind people is hidden now. The camera's own frames are for nobody who views then.
    package var hidesRoom: @Sendable () -> Bool
    /// Draws the effects of a list from now on. Returns why not; nil if it does.
    package var set: @Sendable (String) -> EffectRefusal?
    /// Begins a reaction. Returns why not; nil if it does.
    package var perform: @Sendable (Reaction) -> EffectRefusal?
    /// Has a closure called after each change, whoever makes it, until the result is called.
    package var onChange: @Sendable (@escaping @Sendable (Change) -> Void) -> @Sendable () -> Void

    /// A switchboard; what is left out has its default.
    package init(
        effects: [Effect], current: @escaping @Sendable () -> String,
        set: @escaping @Sendable (String) -> EffectRefusal?,
        perform: @escaping @Sendable (Reaction) -> EffectRefusal?,
        onChange: @escaping @Sendable (@escaping @Sendable (Change) -> Void) -> @Sendable () -> Void
    ) {
        self.effects = effects
        self.current = current
        hidesRoom = { EffectList(current()).hidesRoom }
        self.set = set
        self.perform = perform
        self.onChange = onChange
    }
}

extension EffectSwitchboard {
    /// What pages can ask for behind people beside a colour: also what is there now, whoever has chosen it.
    var offered: [String] {
        guard let present = EffectList(current()).background, !EffectList.isColour(present) else { return backgrounds }
        return backgrounds.contains(present) ? backgrounds : backgrounds + [present]
    }
}

/// Why effects are not drawn.
package struct EffectRefusal: Error, Hashable, Sendable {
    /// The problem.
    package let message: String
    /// What to do about it.
    package let hint: String
    /// Its name for programs.
    package let code: String

    package init(_ message: String, hint: String, code: String) {
        self.message = message
        self.hint = hint
        self.code = code
    }

    /// Nobody draws effects into the frames of the page.
    package static func noStage(hint: String = "start it with effects") -> EffectRefusal {
        EffectRefusal("this server draws no effects", hint: hint, code: "no-effects")
    }
}

/// Where facts about the people in frames come from.
package struct FactSource: Sendable {
    /// What it can know, if nothing is missing for it.
    package let kinds: Set<FactKind>
    /// Why it cannot know something after all; nil if it can. May take long. Without it, it can know everything.
    package let lack: (@Sendable (FactKind) -> EffectRefusal?)?
    /// Begins to look for some of that, until the stream is no longer used; nil if it cannot. May take long.
    package let stream: @Sendable (Set<FactKind>) -> AsyncStream<FrameFacts>?

    package init(
        _ kinds: Set<FactKind>, lack: (@Sendable (FactKind) -> EffectRefusal?)? = nil,
        _ stream: @escaping @Sendable (Set<FactKind>) -> AsyncStream<FrameFacts>?
    ) {
        self.kinds = kinds
        self.lack = lack
        self.stream = stream
    }
}
