// SPDX-License-Identifier: MIT
// Which facts about people a client wants.

import LivecapFrames

/// Which facts about people to report, for each frame that is examined from now on.
public struct FactsIntent: Hashable, Sendable {
    /// The kinds of facts to report; empty to report no more.
    public var follow: Set<FactKind>

    /// Asks for reports of these kinds.
    public init(follow: Set<FactKind>) { self.follow = follow }
}

extension FactsIntent: Intent {
    package init() { self.init(follow: []) }

    package static let name = "Facts"
    package static let about =
        "Which facts about people to report, for each frame that is examined from now on."
    package static let example = #"{"follow":["faces","hands"]}"#

    package static let fields: [IntentField<Self>] = [
        .required("follow", \.follow, .wordList(), about: "the kinds of facts to report; an empty list ends it")
    ]
}
