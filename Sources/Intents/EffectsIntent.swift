// SPDX-License-Identifier: MIT
// The effects and reactions that are asked for.

import LivecapFrames

/// The effects that pictures of people are to have from now on.
public struct EffectsIntent: Hashable, Sendable {
    /// All of them, as `--effects` takes them: those that are left out are off.
    public var effects = ""

    /// Asks for effects, in a list with commas such as `portrait=0.6,light`, or for `none`.
    public init(_ effects: String) { self.effects = effects }
}

extension EffectsIntent: Intent {
    package init() { self.init("") }

    package static let name = "Effects"
    package static let about = "The effects that pictures of people are to have from now on."
    package static let example = #"{"effects":"portrait=0.6,light"}"#

    package static let fields: [IntentField<Self>] = [
        .required(
            "effects", \.effects, .text(1...1024),
            about: "all of them, such as portrait=0.6,light; those that are left out are off; or none")
    ]
}

/// A reaction that is to begin.
public struct ReactionIntent: Hashable, Sendable {
    /// Which one.
    public var reaction: Reaction

    /// Asks for a reaction.
    public init(_ reaction: Reaction) { self.reaction = reaction }
}

extension ReactionIntent: Intent {
    package init() { self.init(.thumbsUp) }

    package static let name = "Reaction"
    package static let about = "A reaction that is to be drawn around people for a few seconds."
    package static let example = #"{"reaction":"hearts"}"#

    package static let fields: [IntentField<Self>] = [
        .required("reaction", \.reaction, .word, about: "which one")
    ]
}
