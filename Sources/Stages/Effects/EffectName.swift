// SPDX-License-Identifier: MIT
// The names of effects, and what each does.

/// An effect as it is named in lists.
public enum EffectName: String, Hashable, Sendable, CaseIterable {
    /// What is behind people is blurred.
    case portrait
    /// Faces are lit, and what is behind people is dimmed.
    case light
    /// Something else is shown behind people.
    case background
    /// The picture follows faces.
    case framing
    /// Dark pictures are lifted.
    case brighten
    /// Hands begin reactions.
    case gestures

    /// What it does, as a part of a sentence.
    public var about: String {
        switch self {
        case .portrait: "blurs what is behind people"
        case .light: "lights faces, and dims what is behind people"
        case .background: "shows a colour or a picture behind people"
        case .framing: "shows the part with the faces, and follows them"
        case .brighten: "lifts dark pictures"
        case .gestures: "begins reactions when hands ask for them"
        }
    }

    /// Its strength in lists that name it alone; nil if it has none.
    public var usual: Double? {
        switch self {
        case .portrait, .light, .brighten: 0.6
        case .framing: 1
        case .background, .gestures: nil
        }
    }

    /// How it is written, with a value if it has one.
    public var example: String {
        switch self {
        case .portrait, .light, .framing, .brighten: usual.map { "\(rawValue)=\(Self.text(of: $0))" } ?? rawValue
        case .background: "background=#204060"
        case .gestures: "gestures"
        }
    }

    /// A strength as lists have it.
    static func text(of strength: Double) -> String { strength == 1 ? "1" : "\(strength)" }
}
