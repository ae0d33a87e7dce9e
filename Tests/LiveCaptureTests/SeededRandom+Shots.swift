// SPDX-License-Identifier: MIT
// Random values for shots, the same on every run.

import LiveCapture
import LivecapSeededRandom

extension SeededRandom {
    /// A number from 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
    /// A number from 0 up to, but not including, `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    /// One of the three qualities that take noticeably different times.
    mutating func quality() -> PhotoQuality { [.quality, .balanced, .speed][below(3)] }
}
