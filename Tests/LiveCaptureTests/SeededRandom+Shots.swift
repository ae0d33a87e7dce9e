// SPDX-License-Identifier: MIT
// The same numbers on every run.

import LiveCapture
import SeededRandom

extension SeededRandom {
    /// From 0 to 1, without 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
    /// From 0 to `bound`, without it.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    /// One of the three that take noticeably different times.
    mutating func quality() -> PhotoQuality { [.quality, .balanced, .speed][below(3)] }
}
