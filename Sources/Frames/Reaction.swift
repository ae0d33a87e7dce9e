// SPDX-License-Identifier: MIT
// Reactions: short animations around people, begun by a gesture or on request.

/// A reaction: what is drawn around people for a few seconds.
public enum Reaction: String, Hashable, Sendable, CaseIterable {
    /// A bubble with a thumb up, beside a face.
    case thumbsUp = "thumbs-up"
    /// A bubble with a thumb down, beside a face.
    case thumbsDown = "thumbs-down"
    /// A large heart, beside a face.
    case heart
    /// Hearts that rise.
    case hearts
    /// Balloons that rise.
    case balloons
    /// It becomes darker, and rains.
    case rain
    /// Pieces of paper that fall.
    case confetti
    /// Beams that sweep behind people.
    case lasers
    /// Rockets that burst behind people.
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
