// SPDX-License-Identifier: MIT
// Where the picture as a whole has gone.

/// The motion from the reference to another frame: what is at `p` in the reference is in the other at
/// `p + shift + matrix (p - middle)`. In pixels; a pixel's place is its middle, the first pixel's is (0, 0).
struct AffineMotion: Sendable {
    /// Where the matrix turns about.
    private(set) var middleX: Float
    private(set) var middleY: Float
    var shiftX: Float = 0
    var shiftY: Float = 0
    /// What the motion grows by a pixel: across with x, across with y, down with x, down with y.
    var xx: Float = 0
    var xy: Float = 0
    var yx: Float = 0
    var yy: Float = 0

    init(width: Int, height: Int) {
        middleX = Float(width - 1) / 2
        middleY = Float(height - 1) / 2
    }

    /// The motion at a place of the reference.
    func at(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
        let (x, y) = (x - middleX, y - middleY)
        return (shiftX + xx * x + xy * y, shiftY + yx * x + yy * y)
    }

    /// The most that any place of the picture moves differently by `other`.
    func farthest(from other: AffineMotion) -> Float {
        max(abs(shiftX - other.shiftX), abs(shiftY - other.shiftY))
            + middleX * max(abs(xx - other.xx), abs(yx - other.yx))
            + middleY * max(abs(xy - other.xy), abs(yy - other.yy))
    }

    /// The same motion in a plane with a sample for so many pixels across and down.
    func inPlane(_ across: Int, _ down: Int) -> AffineMotion {
        let (sx, sy) = (Float(across), Float(down))
        var motion = self
        motion.middleX = (middleX + 0.5) / sx - 0.5
        motion.middleY = (middleY + 0.5) / sy - 0.5
        (motion.shiftX, motion.shiftY) = (shiftX / sx, shiftY / sy)
        (motion.xy, motion.yx) = (xy * sy / sx, yx * sx / sy)
        return motion
    }
}
