// SPDX-License-Identifier: MIT
// What is done to pictures of people.

import LivecapDetection

/// Effects, each from 0, which is none, to 1.
public struct EffectSettings: Hashable, Sendable {
    /// How far what is behind people is blurred.
    public private(set) var portrait: Double
    /// How much faces are lit, and what is behind people is dimmed.
    public private(set) var light: Double
    /// What is shown behind people instead of what is there, blurred or not.
    public private(set) var background: Background?
    /// How closely the picture follows faces.
    public private(set) var framing: Double
    /// How much dark pictures are brightened.
    public private(set) var brighten: Double
    /// Whether gestures of hands begin reactions.
    public private(set) var gestures: Bool

    /// What is shown behind people.
    public enum Background: Hashable, Sendable {
        /// A colour: R'G'B' from 0 to 255.
        case colour(red: UInt8, green: UInt8, blue: UInt8)
        /// A JPEG, PNG or HEIC file, which fills the frame: what does not fit is cut off on two sides, equally.
        case picture(path: String)
    }

    /// Effects of these strengths, held within 0 and 1.
    public init(
        portrait: Double = 0, light: Double = 0, background: Background? = nil, framing: Double = 0,
        brighten: Double = 0, gestures: Bool = false
    ) {
        func held(_ strength: Double) -> Double { strength.isNaN ? 0 : min(max(strength, 0), 1) }
        self.portrait = held(portrait)
        self.light = held(light)
        self.background = background
        self.framing = held(framing)
        self.brighten = held(brighten)
        self.gestures = gestures
    }

    /// Whether nothing is drawn, and nothing looked for.
    public var areNone: Bool { leavePictures && !gestures }
    /// Whether pictures stay as they are, but for reactions.
    var leavePictures: Bool { !needMatte && !needFaces && brighten == 0 }
    /// Whether it matters what of a picture is a person.
    var needMatte: Bool { portrait > 0 || light > 0 || background != nil }
    /// The same with the background's path as seen from a folder.
    package func seen(from folder: String) -> EffectSettings {
        guard case .picture(let path) = background, !path.hasPrefix("/") else { return self }
        var settings = self
        settings.background = .picture(path: folder + "/" + path)
        return settings
    }

    /// Whether a picture has to be read.
    package var needFile: Bool { if case .picture = background { true } else { false } }
    /// Whether it matters where faces are.
    var needFaces: Bool { light > 0 || framing > 0 }
    /// What of them is drawn into stills. Which part of the picture a still shows is up to who takes it, and its
    /// exposure was chosen for it.
    package var ofStills: EffectSettings {
        var settings = self
        settings.framing = 0
        settings.brighten = 0
        settings.gestures = false
        return settings
    }
    /// All of them but gestures.
    var withoutGestures: EffectSettings {
        var settings = self
        settings.gestures = false
        return settings
    }
    /// What of them hides what is behind people.
    package var hidingRoom: EffectSettings { EffectSettings(portrait: portrait, background: background) }
    /// The nets that they need. Brightening needs none.
    package var models: [NetModel] {
        (needMatte ? [.matte] : []) + (needFaces ? [.faces] : []) + (gestures ? [.palms, .hand] : [])
    }
}

extension EffectSettings {
    /// The names of effects, as lists have them.
    package static let names = EffectName.allCases.map(\.rawValue)

    /// The effects of a list with commas, such as `portrait=0.6,light`, or `none`; nil if one of them is unknown, comes
    /// twice, or has a strength that is no number from 0 to 1. A background that does not begin with `#` is the path of
    /// a picture, which can have no comma.
    public init?(list: String) {
        self.init()
        if list == "none" { return }
        var names: Set<EffectName> = []
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap({ EffectName(rawValue: String($0)) }), names.insert(name).inserted
            else { return nil }
            let value = parts.count > 1 ? parts[1] : nil
            if name == .background {
                guard let value, let background = Background(value) else { return nil }
                self.background = background
                continue
            }
            if name == .gestures {
                guard value == nil else { return nil }
                gestures = true
                continue
            }
            let strength = value.map { Double($0) } ?? name.usual
            guard let strength, (0...1).contains(strength) else { return nil }
            switch name {
            case .portrait: portrait = strength
            case .light: light = strength
            case .framing: framing = strength
            case .brighten: brighten = strength
            case .background, .gestures: break
            }
        }
    }

    /// The names of those that are on, as lists have them.
    package var names: [Substring] { areNone ? [] : list.split(separator: ",").map { $0.prefix { $0 != "=" } } }

    /// The list that `init(list:)` makes them of: those with a strength, in the order of `names`; `none` without any.
    package var list: String {
        let strengths = ["portrait": portrait, "light": light, "framing": framing, "brighten": brighten]
        let items = Self.names.compactMap { name in
            if name == "gestures" { return gestures ? name : nil }
            if name == "background" { return background.map { "\(name)=\($0.text)" } }
            guard let strength = strengths[name], strength > 0 else { return nil }
            return "\(name)=\(EffectName.text(of: strength))"
        }
        return items.isEmpty ? "none" : items.joined(separator: ",")
    }
}

extension EffectSettings.Background {
    /// A colour such as `#204060`, or the path of a picture; nil if it is neither.
    init?(_ text: Substring) {
        guard text.first == "#" else {
            guard !text.isEmpty else { return nil }
            self = .picture(path: String(text))
            return
        }
        guard text.utf8.count == 7, text.dropFirst().allSatisfy(\.isHexDigit),
            let code = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self = .colour(
            red: UInt8(code >> 16), green: UInt8(code >> 8 & 255), blue: UInt8(code & 255))
    }

    /// The text that it is made of.
    var text: String {
        switch self {
        case .colour(let red, let green, let blue):
            "#"
                + [red, green, blue].map { code in
                    let digits = String(code, radix: 16)
                    return digits.count < 2 ? "0" + digits : digits
                }.joined()
        // Otherwise a name that begins so would be taken for a colour.
        case .picture(let path): path.first == "#" ? "./" + path : path
        }
    }
}
