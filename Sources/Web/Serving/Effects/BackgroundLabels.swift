// SPDX-License-Identifier: MIT
// What pages call the pictures that may be behind people: where they are on this machine is for its owner alone.

/// Names for backgrounds: the last parts of their paths.
struct BackgroundLabels {
    /// In the order in which they are offered.
    private let pairs: [(label: String, background: String)]

    /// Names for these, each another one.
    init(_ backgrounds: [String]) {
        var pairs: [(label: String, background: String)] = []
        for background in backgrounds {
            let name = background.split(separator: "/").last.map(String.init) ?? "picture"
            // Nobody takes it for a colour.
            let base = name.hasPrefix("#") ? "picture \(name)" : name
            var (label, count) = (base, 1)
            while pairs.contains(where: { $0.label == label }) {
                count += 1
                label = "\(base) (\(count))"
            }
            pairs.append((label, background))
        }
        self.pairs = pairs
    }

    /// All of them.
    var all: [String] { pairs.map(\.label) }

    /// The list as pages see it.
    func shown(_ list: EffectList) -> EffectList {
        list.replacingBackground { name in pairs.first { $0.background == name }?.label ?? name }
    }

    /// The list that a page means.
    func meant(_ list: EffectList) -> EffectList {
        list.replacingBackground { name in pairs.first { $0.label == name }?.background ?? name }
    }

    /// A refusal as pages see it.
    func shown(_ refusal: EffectRefusal) -> EffectRefusal {
        EffectRefusal(shown(refusal.message), hint: shown(refusal.hint), code: refusal.code)
    }

    private func shown(_ words: String) -> String {
        pairs.reduce(words) { words, pair in words.replacing(pair.background, with: pair.label) }
    }
}
