// SPDX-License-Identifier: MIT
// Lets pressure rise at once and subside slowly.

import LivecapFrames

/// A level with hysteresis. It reads no clock.
struct PressureGauge: Hashable, Sendable {
    /// The level must have been unneeded for this long before it falls by one.
    static let calm = Duration.seconds(10)

    private(set) var level = SystemPressure.Level.nominal
    /// When the present level was last needed, or reached from above.
    private var needed = Timestamp.zero

    /// Takes in what the causes amount to at a time.
    mutating func note(_ raw: SystemPressure.Level, at now: Timestamp) {
        if raw >= level {
            (level, needed) = (raw, now)
        } else if now - needed >= Self.calm {
            (level, needed) = (max(raw, level.relieved), now)
        }
    }
}
