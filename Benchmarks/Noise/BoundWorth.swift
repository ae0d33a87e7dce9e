// SPDX-License-Identifier: MIT
// What each bound on noise is worth: stills with all bounds, compared with stills without that one.

import Fusion
import LivecapFrames

/// The suite `noise`: each bound, for each method that it affects.
func noiseBenchmarks() -> [any Benchmark] {
    let trials = NoiseTrials()
    return NoiseBound.allCases.flatMap { bound in
        let methods: [FusionMethod] = bound.witness == .pair ? [.balanced] : [.speed, .balanced]
        return methods.map { BoundWorth(bound: bound, method: $0, trials: trials) }
    }
}

/// Measures how stills change when a bound is left out. Negative changes are what leaving it out costs.
struct BoundWorth: FallibleBenchmark {
    let bound: NoiseBound
    let method: FusionMethod
    let trials: NoiseTrials

    var name: String { "noise.\(bound.rawValue).\(method.rawValue)" }

    /// How one scene changes.
    private struct Change {
        let scene: NoiseScene
        var gain = 0.0
        var damage = 0.0
        var isChanged = false
    }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var decided = 0
        let changes = try NoiseScene.all.map { scene in
            let usual = try trials.usual(scene, method)
            decided += usual.bounds.contains(bound) ? 1 : 0
            guard let other = try trials.without(bound, scene, method) else { return Change(scene: scene) }
            return Change(
                scene: scene, gain: other.psnr - usual.psnr, damage: other.worstWindow - usual.worstWindow,
                isChanged: true)
        }
        func mean(_ isHard: Bool) -> Double {
            let gains = changes.filter { $0.scene.isHard == isHard }.map(\.gain)
            return gains.reduce(0, +) / Double(max(1, gains.count))
        }
        let changed = changes.filter(\.isChanged)
        let loss = changed.min { $0.gain < $1.gain }, gain = changed.max { $0.gain < $1.gain }
        let damage = changed.max { $0.damage < $1.damage }
        var result = BenchmarkResult(name, frames: 8)
        result.quality = method.rawValue
        result.figures = [
            ("scenes", Double(changes.count)), ("decided", Double(decided)), ("changed", Double(changed.count)),
            ("meanChange", mean(false)), ("meanChangeHard", mean(true)),
            ("largestLoss", min(0, loss?.gain ?? 0)), ("largestGain", max(0, gain?.gain ?? 0)),
            ("worstWindowChange", damage?.damage ?? 0),
        ]
        result.words = [
            ("losesMost", loss?.scene.name), ("gainsMost", gain?.scene.name), ("worstWindow", damage?.scene.name),
        ].compactMap { key, value in value.map { (key, $0) } }
        result.row = row(result, loss, gain, damage)
        return result
    }

    private func row(_ result: BenchmarkResult, _ loss: Change?, _ gain: Change?, _ damage: Change?) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.utf8.count))
        }
        func part(_ title: String, _ change: Change?, _ value: (Change) -> Double) -> String {
            padded(change.map { "\(title) \(signed(value($0))) \($0.scene.name)" } ?? "\(title) -", 28)
        }
        func figure(_ key: String) -> Double { result.figures.first { $0.key == key }!.value }
        return padded(name, 38)
            + padded("decided \(Int(figure("decided"))), changed \(Int(figure("changed")))", 24)
            + padded("mean \(signed(figure("meanChange"))), hard \(signed(figure("meanChangeHard")))", 26)
            + part("loses", loss, \.gain) + part("gains", gain, \.gain) + part("window", damage, \.damage)
    }

    /// With a sign and two decimals.
    private func signed(_ value: Double) -> String {
        let whole = Int((abs(value) * 100).rounded())
        return (value < 0 ? "-" : "+") + "\(whole / 100)." + (whole % 100 < 10 ? "0" : "") + "\(whole % 100)"
    }
}
