// SPDX-License-Identifier: MIT
// A reaction that is to be drawn around people.

import LivecapFrames

/// A reaction to be drawn for its few seconds.
public struct ReactionIntent: Hashable, Sendable {
    /// Which one.
    public var perform: Reaction

    /// Asks for a reaction.
    public init(_ perform: Reaction) { self.perform = perform }
}

extension ReactionIntent: Intent {
    package init() { self.init(.thumbsUp) }

    package static let name = "Reaction"
    package static let about = "A reaction to be drawn for its few seconds."
    package static let example = #"{"perform":"hearts"}"#

    package static let fields: [IntentField<Self>] = [
        .required("perform", \.perform, .word, about: "which reaction")
    ]
}
