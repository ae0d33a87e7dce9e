// SPDX-License-Identifier: MIT
// A motion as numbers of pixels, which can be added, compared and limited.

import Fusion

/// A motion's six parts, each as the pixels by which it moves what is in the middle of an edge: shifts across and down,
/// then what the distance from the middle adds across (with x, with y) and down (with x, with y). Motions of a hand are
/// small enough that their points may be added.
typealias PathPoint = SIMD8<Double>

extension AffineMotion {
    /// The motion's parts.
    var point: PathPoint {
        let (x, y) = (Double(middleX), Double(middleY))
        return [
            Double(shiftX), Double(shiftY), Double(xx) * x, Double(xy) * y, Double(yx) * x, Double(yy) * y, 0, 0,
        ]
    }

    /// The motion of these parts, in the same picture.
    func with(_ point: PathPoint) -> AffineMotion {
        let (x, y) = (Double(middleX), Double(middleY))
        var motion = self
        (motion.shiftX, motion.shiftY) = (Float(point[0]), Float(point[1]))
        (motion.xx, motion.xy) = (Float(point[2] / x), Float(point[3] / y))
        (motion.yx, motion.yy) = (Float(point[4] / x), Float(point[5] / y))
        return motion
    }
}
