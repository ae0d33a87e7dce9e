// SPDX-License-Identifier: MIT
// What a sensitivity means.

import Glibc

/// From when on something counts as motion.
struct MotionLimits: Hashable, Sendable {
    /// How many deviations of its noise a cell must differ by to have changed.
    var deviations: Float
    /// How many of 255 steps of brightness it must differ by as well.
    var contrast: Float
    /// How many cells that touch are motion.
    var cells: Int

    /// The limits of a sensitivity, from 0 to 1, in pictures of `count` cells.
    init(sensitivity: Double, of count: Int) {
        // Halfway, 7 deviations, 4 steps and 0.08 % of the picture: a ball of 50 pixels in 1280.
        let coarseness = 1 - 2 * min(max(sensitivity, 0), 1)
        deviations = Float(7 * pow(2, coarseness / 2))
        contrast = Float(4 * pow(2, coarseness * (coarseness > 0 ? 1 : 0.7)))
        cells = max(2, Int((Double(count) * 0.0008 * pow(16, coarseness)).rounded()))
    }

    /// What goes on is motion with less than what begins.
    var ofGoingOn: MotionLimits {
        var limits = self
        limits.deviations *= 0.7
        limits.contrast *= 0.7
        limits.cells = max(2, cells / 2)
        return limits
    }
}
