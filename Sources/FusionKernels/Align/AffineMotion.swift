// SPDX-License-Identifier: MIT
// The motion of the picture as a whole.

/// The motion from the reference to another frame. What is at `p` in the reference is in the other frame at
/// `p + shift + matrix (p - middle)`. Units are pixels; coordinates refer to pixel centres, and the first pixel is at
/// (0, 0).
package struct AffineMotion: Hashable, Sendable {
    /// The point that the matrix leaves in place.
    package private(set) var middleX: Float
    package private(set) var middleY: Float
    package var shiftX: Float = 0
    package var shiftY: Float = 0
    /// How much the motion changes per pixel: across with x, across with y, down with x, down with y.
    package var xx: Float = 0
    package var xy: Float = 0
    package var yx: Float = 0
    package var yy: Float = 0

    package init(width: Int, height: Int) {
        middleX = Float(width - 1) / 2
        middleY = Float(height - 1) / 2
    }

    /// The motion at a position in the reference.
    package func at(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
        let (x, y) = (x - middleX, y - middleY)
        return (shiftX + xx * x + xy * y, shiftY + yx * x + yy * y)
    }

    /// An upper bound of the distance, along either axis, between this motion and `other` at any place of the
    /// picture.
    func farthest(from other: AffineMotion) -> Float {
        max(abs(shiftX - other.shiftX), abs(shiftY - other.shiftY))
            + middleX * max(abs(xx - other.xx), abs(yx - other.yx))
            + middleY * max(abs(xy - other.xy), abs(yy - other.yy))
    }

    /// Whether nothing moves by more than an eighth of a sample. The camera stands still: edges then differ
    /// between frames by their noise alone.
    var isStill: Bool { farthest(from: still) <= 0.125 }

    /// No motion, in a picture of the same size.
    package var still: AffineMotion { AffineMotion(middleX: middleX, middleY: middleY) }

    /// The same motion in a plane whose samples cover `across` by `down` pixels.
    package func inPlane(_ across: Int, _ down: Int) -> AffineMotion {
        let (sx, sy) = (Float(across), Float(down))
        var motion = self
        motion.middleX = (middleX + 0.5) / sx - 0.5
        motion.middleY = (middleY + 0.5) / sy - 0.5
        (motion.shiftX, motion.shiftY) = (shiftX / sx, shiftY / sy)
        (motion.xy, motion.yx) = (xy * sy / sx, yx * sx / sy)
        return motion
    }

    /// This motion followed by another one of a picture of the same size.
    package func then(_ next: AffineMotion) -> AffineMotion {
        var both = self
        let (mx, my) = (1 + next.xx, 1 + next.yy)
        both.shiftX = next.shiftX + mx * shiftX + next.xy * shiftY
        both.shiftY = next.shiftY + next.yx * shiftX + my * shiftY
        both.xx = mx * (1 + xx) + next.xy * yx - 1
        both.xy = mx * xy + next.xy * (1 + yy)
        both.yx = next.yx * (1 + xx) + my * yx
        both.yy = next.yx * xy + my * (1 + yy) - 1
        return both
    }

    /// The inverse motion; no motion if the matrix is nearly singular.
    package var reversed: AffineMotion {
        var back = self
        // Motions that were found are close to pure shifts, so never singular. The motion of a frame that could not
        // be aligned may be anything.
        let determinant = (1 + xx) * (1 + yy) - xy * yx
        guard abs(determinant) > 0.1 else { return AffineMotion(middleX: middleX, middleY: middleY) }
        (back.xx, back.yy) = ((1 + yy) / determinant - 1, (1 + xx) / determinant - 1)
        (back.xy, back.yx) = (-xy / determinant, -yx / determinant)
        back.shiftX = -((1 + back.xx) * shiftX + back.xy * shiftY)
        back.shiftY = -(back.yx * shiftX + (1 + back.yy) * shiftY)
        return back
    }

    private init(middleX: Float, middleY: Float) { (self.middleX, self.middleY) = (middleX, middleY) }
}
