// SPDX-License-Identifier: MIT
// Which effects and reactions there are, in words and as JSON.

import LivecapEffects
import LivecapFrames
import LivecapIntents

/// All effects and reactions, and what a run draws.
struct EffectsReport {
    /// Nil if there is no run that draws effects.
    let drawn: DrawnEffects?

    /// Prints it.
    func print(to console: inout Console) throws(Failure) {
        if console.writesJSON { return try console.print(json) }
        for line in lines { try console.print(line) }
    }

    /// One line for each effect, one for the reactions, and what is drawn, or why it is not.
    var lines: [String] {
        let examples = EffectName.allCases.map(\.example), width = examples.map(\.count).max() ?? 0
        let effects = zip(EffectName.allCases, examples).map { name, example in
            let isLacking = drawn.map { !$0.available.contains(name.rawValue) } ?? false
            return example + String(repeating: " ", count: width - example.count) + "  \(name.about)"
                + (isLacking ? " (what it needs is not installed)" : "")
        }
        let reactions = Reaction.allCases.map(\.rawValue).joined(separator: ", ")
        guard let drawn else { return effects + ["reactions: \(reactions)"] }
        let running = drawn.inProgress.isEmpty ? "" : "; \(drawn.inProgress.joined(separator: ", "))"
        let fault = drawn.fault.map { ["\($0.message); \($0.hint)"] } ?? []
        return effects + ["reactions: \(reactions)", "drawn now: \(drawn.list)\(running)\(drawn.pace)"] + fault
    }

    /// One object for all of it.
    var json: JSON {
        .object([
            (
                "effects",
                .array(
                    EffectName.allCases.map { name in
                        .object([
                            ("name", .string(name.rawValue)), ("example", .string(name.example)),
                            ("about", .string(name.about)),
                        ])
                    })
            ),
            (
                "reactions",
                .array(
                    Reaction.allCases.map { reaction in
                        .object([
                            ("name", .string(reaction.rawValue)),
                            ("durationMs", JSON(milliseconds: reaction.duration)),
                        ])
                    })
            ), ("drawn", drawn?.json ?? .null),
        ])
    }
}

extension DrawnEffects {
    /// Such as ", 24 of 30 frames per second, with less effort"; empty if nothing is known of it.
    fileprivate var pace: String {
        var words = ""
        if let fps, let framesFps { words += ", \(fixed(fps, 0)) of \(fixed(framesFps, 0)) frames per second" }
        if let effort, effort != EffectEffort.full.rawValue { words += ", with less effort (\(effort))" }
        return words
    }
}
