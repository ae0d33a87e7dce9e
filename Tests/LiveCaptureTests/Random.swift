// SPDX-License-Identifier: MIT
// The same numbers on every run.

import LiveCapture

/// SplitMix64.
struct Random {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// From 0 to 1, without 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
    /// From 0 to `bound`, without it.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    /// One of the three that take noticeably different times.
    mutating func quality() -> PhotoQuality { [.quality, .balanced, .speed][below(3)] }
}
