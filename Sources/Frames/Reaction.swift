// SPDX-License-Identifier: MIT
// What is drawn around people for a few seconds, because somebody asked for it or made a gesture.

/// A reaction: what is drawn around people for a few seconds.
public enum Reaction: String, Hashable, Sendable, CaseIterable {
    case thumbsUp = "thumbs-up"
    case thumbsDown = "thumbs-down"
    case heart
    case hearts
    case balloons
    case rain
    case confetti
    case lasers
    case fireworks

    /// How long it is drawn.
    public var duration: Duration {
        switch self {
        case .thumbsUp, .thumbsDown, .heart: .milliseconds(2500)
        case .hearts: .seconds(3)
        case .balloons, .rain, .confetti, .lasers, .fireworks: .seconds(4)
        }
    }
}
