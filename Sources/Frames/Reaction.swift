// SPDX-License-Identifier: MIT
// Reactions: short animations around people, begun by a gesture or on request.

/// Reactions that are drawn into a frame: a plain value.
public struct ReactionSet: Hashable, Codable, Sendable {
    /// A bit for each, in the order of `Reaction.allCases`.
    private var bits: UInt16 = 0

    /// None.
    public init() {}

    /// Whether there is none.
    public var isEmpty: Bool { bits == 0 }

    /// Whether a reaction is among them.
    public func contains(_ reaction: Reaction) -> Bool { bits & reaction.bit != 0 }

    /// Adds a reaction.
    public mutating func insert(_ reaction: Reaction) { bits |= reaction.bit }

    /// All of them, in the order of `Reaction.allCases`.
    public var all: [Reaction] { Reaction.allCases.filter(contains) }
}

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

    fileprivate var bit: UInt16 {
        let place: UInt16 =
            switch self {
            case .thumbsUp: 0
            case .thumbsDown: 1
            case .heart: 2
            case .hearts: 3
            case .balloons: 4
            case .rain: 5
            case .confetti: 6
            case .lasers: 7
            case .fireworks: 8
            }
        return 1 << place
    }
}
