// SPDX-License-Identifier: MIT
// How frames are fused with their past.

import Fusion
import LivecapCommandTable

enum LiveOptions {
    /// For options that say how many frames the past is worth.
    static let strengthKind = ValueKind<Int>.integer(2...32)
    static let usualStrength = 16
    /// One per processor, at most 2.
    static var usualThreads: Int { min(2, ThreadPool.processors) }
}
