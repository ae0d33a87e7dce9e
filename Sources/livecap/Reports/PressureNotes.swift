// SPDX-License-Identifier: MIT
// Notes about the pressure that the machine is under: one per change of its level, and one when it is over.

import LiveCapture

/// What was said of the pressure so far. Its causes change all the time; only levels that have an effect are noted.
struct PressureNotes {
    private var noted = SystemPressure.Level.nominal

    /// What to say of the present pressure; nil if that was said before.
    mutating func words(_ pressure: SystemPressure) -> String? {
        let level = pressure.level >= .serious ? pressure.level : .nominal
        guard level != noted else { return nil }
        noted = level
        return level == .nominal
            ? "the machine is no longer under pressure" : "the machine is under pressure, \(pressure.words)"
    }
}
