// SPDX-License-Identifier: MIT
// Which effects are to be drawn into pictures of people.

/// Effects to be drawn from now on, or a question about those that are.
public struct EffectsIntent: Hashable, Sendable {
    /// The effects as a list with commas, such as `portrait=0.6,light`, or `none`; nil leaves them as they are.
    public var set: String?

    /// Asks which effects are drawn or, with a list, has those drawn.
    public init(_ set: String? = nil) { self.set = set }
}

extension EffectsIntent: Intent {
    package init() { self.init(nil) }

    package static let name = "Effects"
    package static let about = "Effects to be drawn from now on, or a question about those that are."
    package static let example = #"{"set":"portrait=0.6,light"}"#

    package static let fields: [IntentField<Self>] = [
        .optional(
            "set", \.set, .text(1...2048),
            about: "the effects with commas between, or none; left out, they stay as they are")
    ]
}
