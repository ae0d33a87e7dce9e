// SPDX-License-Identifier: MIT
// What is to be told of the people in frames.

import LivecapFrames

/// What is to be looked for in frames from now on, and told of each frame that is looked at.
public struct FactsIntent: Hashable, Sendable {
    /// What is to be looked for. Without any, nothing is told any more.
    public var follow: Set<FactKind>

    /// Asks to be told of these.
    public init(follow: Set<FactKind>) { self.follow = follow }
}

extension FactsIntent: Intent {
    package init() { self.init(follow: []) }

    package static let name = "Facts"
    package static let about =
        "What is to be looked for in frames from now on, and told of each frame that is looked at."
    package static let example = #"{"follow":["faces","hands"]}"#

    package static let fields: [IntentField<Self>] = [
        .required("follow", \.follow, .wordList(), about: "what is to be looked for; an empty list ends it")
    ]
}
