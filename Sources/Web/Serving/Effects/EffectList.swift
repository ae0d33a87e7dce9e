// SPDX-License-Identifier: MIT
// A list of effects, as clients write it: what is wrong with it, and how strong each effect is.

import LivecapIntents

/// The effects of a list such as `portrait=0.6,light,background=#204060`.
struct EffectList {
    /// Names and values in order; nil where there is no value.
    private var items: [(name: String, value: String?)]

    init(_ text: String) {
        let parts = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        items = parts.map { part in
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (words.first ?? "", words.count > 1 ? words[1] : nil)
        }
    }

    /// The list as it is written.
    var text: String {
        items.isEmpty ? "none" : items.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }.joined(separator: ",")
    }

    /// The same with another name for a background that is no colour.
    func replacingBackground(_ name: (String) -> String) -> EffectList {
        var list = self
        for (index, item) in items.enumerated() where item.name == "background" {
            guard let value = item.value, !Self.isColour(value) else { continue }
            list.items[index].value = name(value)
        }
        return list
    }

    /// What is shown behind people instead of what is there; nil if nothing is.
    var background: String? { items.first { $0.name == "background" }?.value }

    /// Whether they hide what is behind people.
    var hidesRoom: Bool {
        items.contains { name, value in
            name == "background" || name == "portrait" && value.flatMap { Double($0) } != 0
        }
    }

    /// How strong an effect is; 0 if it is off, and 1 if it is on and has no strength.
    func strength(of effect: EffectSwitchboard.Effect) -> Double {
        guard let item = items.first(where: { $0.name == effect.name }) else { return 0 }
        return item.value.flatMap { Double($0) } ?? effect.usual ?? 1
    }

    /// What is wrong with it; nil if a switchboard has all of its effects, and its background is one of `backgrounds`.
    func fault(_ board: EffectSwitchboard, backgrounds: [String]) -> IntentFault? {
        var names: Set<String> = []
        for (name, value) in items {
            guard names.insert(name).inserted else {
                return IntentFault("'\(name)' is named twice", hint: "name each effect once")
            }
            if name == "background" {
                if let fault = Self.fault(ofBackground: value, backgrounds) { return fault }
                continue
            }
            guard let effect = board.effects.first(where: { $0.name == name }) else {
                let known = board.effects.map(\.name).joined(separator: ", ")
                return IntentFault(
                    name.isEmpty ? "an effect has no name" : "'\(name)' is no effect",
                    hint: "known are \(known) and background; none for none")
            }
            guard let value else { continue }
            guard effect.usual != nil else {
                return IntentFault("'\(name)' has no strength", hint: "name it alone")
            }
            guard let strength = Double(value), (0...1).contains(strength) else {
                return IntentFault("the strength of '\(name)' is no number from 0 to 1", hint: "such as \(name)=0.6")
            }
        }
        return nil
    }

    private static func fault(ofBackground value: String?, _ offered: [String]) -> IntentFault? {
        guard let value else { return IntentFault("'background' has no colour", hint: "such as background=#204060") }
        // Others name files of this machine, which are not for everybody who views.
        guard !isColour(value), !offered.contains(value) else { return nil }
        let others = offered.isEmpty ? "" : ", or one of \(offered.joined(separator: ", "))"
        return IntentFault("'\(value)' is no background", hint: "give a colour such as #204060\(others)")
    }

    /// Whether a background is a colour, such as `#204060`.
    static func isColour(_ background: String) -> Bool {
        background.utf8.count == 7 && background.first == "#" && background.dropFirst().allSatisfy(\.isHexDigit)
    }
}
