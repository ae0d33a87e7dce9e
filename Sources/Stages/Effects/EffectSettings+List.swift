// SPDX-License-Identifier: MIT
// Effects as the list that people and programs write, and what each is called.

/// An effect as it is named in lists.
public enum EffectName: String, Hashable, Sendable, CaseIterable {
    case portrait, background, light, framing

    /// What it does, as a part of a sentence.
    public var about: String {
        switch self {
        case .portrait: "blurs what is behind people"
        case .background: "shows a colour there instead"
        case .light: "lights faces, and dims what is behind people"
        case .framing: "shows the part with the faces, and follows them"
        }
    }

    /// How it is written with a value.
    public var example: String {
        switch self {
        case .portrait: "portrait=0.6"
        case .background: "background=#204060"
        case .light: "light=0.6"
        case .framing: "framing=1"
        }
    }
}

extension EffectSettings {
    /// The effects as a list with commas, such as `portrait=0.6,light=0.6`, or `none`: what `init(list:)` reads.
    public var list: String {
        var items: [String] = []
        func add(_ name: EffectName, _ strength: Double) {
            guard strength > 0 else { return }
            items.append("\(name.rawValue)=\(strength == 1 ? "1" : "\(strength)")")
        }
        add(.portrait, portrait)
        if let background { items.append("\(EffectName.background.rawValue)=\(background.text)") }
        add(.light, light)
        add(.framing, framing)
        return items.isEmpty ? "none" : items.joined(separator: ",")
    }
}

extension EffectSettings.Background {
    /// Such as `#204060`.
    fileprivate var text: String {
        switch self {
        case .colour(let red, let green, let blue):
            "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
