// SPDX-License-Identifier: MIT
// The benchmarks of what is drawn for people.

import LivecapBenchmarkCommand
import LivecapDetection

extension BenchmarkSuite {
    /// The suite `effects`.
    func effectBenchmarks() -> [any Benchmark] {
        Nets.Backend.allCases.map { EffectFrames(backend: $0) } + [
            EffectsWithHands(areThere: true), EffectsWithHands(areThere: false),
            EffectsLive(name: "effects.live", processors: 2),
            EffectsLive(name: "effects.live.core", processors: 1),
            EffectsLive(name: "effects.live.fused", processors: 2, fusingThreads: 2),
        ]
    }
}
