// SPDX-License-Identifier: MIT
// A hand of 21 points whose fingers can be posed, seen from any side.

import Foundation
import LivecapFrames
import LivecapSeededRandom

/// A right hand, upright, with its palm to the viewer: x is to the right, where the thumb is, y is up, and z towards
/// the viewer. The wrist is at 0, and the root of the middle finger at 1 above it.
struct SkeletonHand {
    /// How a finger is held, in degrees: to the side of the thumb, and bent towards the palm at its three joints.
    struct Finger {
        var splay = 0.0
        var bends: [Double]

        static func straight(_ splay: Double = 0) -> Finger { Finger(splay: splay, bends: [5, 5, 5]) }
        static let curled = Finger(bends: [80, 95, 60])
        static func bent(_ first: Double, _ second: Double, _ third: Double) -> Finger {
            Finger(bends: [first, second, third])
        }
    }

    /// The directions of the thumb's last two bones.
    enum Thumb: CaseIterable {
        /// To the side.
        case out
        /// Up beside the first finger.
        case along
        /// Over the middle and third finger, before a fist.
        case folded
        /// Over the palm, below the fingers.
        case inside
        /// From the palm towards the viewer, and down.
        case ahead
        /// Meets the tip of the first finger.
        case pinching

        var bones: [SIMD3<Double>] {
            switch self {
            case .out: [SIMD3(0.30, 0.10, 0.02), SIMD3(0.28, 0.03, 0)]
            case .along: [SIMD3(0.04, 0.30, 0.05), SIMD3(-0.02, 0.25, 0.02)]
            case .folded: [SIMD3(-0.18, 0.26, 0.15), SIMD3(-0.25, 0.06, 0.08)]
            case .inside: [SIMD3(-0.22, 0.18, 0.15), SIMD3(-0.25, 0.02, 0.05)]
            case .ahead: [SIMD3(-0.02, -0.10, 0.32), SIMD3(0, -0.16, 0.26)]
            case .pinching: [SIMD3(0.02, 0.22, 0.25), SIMD3(-0.08, 0.20, 0.20)]
            }
        }
    }

    var thumb: Thumb
    /// The first, middle, third and little finger.
    var fingers: [Finger]
    /// How it is turned: in degrees about the axis up, about the one across, and then in the picture, clockwise.
    var yaw = 0.0
    var tilt = 0.0
    var roll = 0.0

    private static let roots = [
        SIMD3(0.26, 0.95, 0), SIMD3(0.0, 1.0, 0), SIMD3(-0.22, 0.94, 0), SIMD3(-0.40, 0.82, 0),
    ]
    private static let bones = [[0.45, 0.27, 0.20], [0.50, 0.31, 0.21], [0.46, 0.29, 0.21], [0.36, 0.21, 0.19]]
    private static let thumbRoots = [SIMD3(0.24, 0.18, 0.05), SIMD3(0.46, 0.46, 0.10)]

    init(_ thumb: Thumb, _ fingers: [Finger], yaw: Double = 0, tilt: Double = 0, roll: Double = 0) {
        self.thumb = thumb
        self.fingers = fingers
        self.yaw = yaw
        self.tilt = tilt
        self.roll = roll
    }

    /// All points, in the hand's own place.
    private var points: [SIMD3<Double>] {
        var points = [SIMD3<Double>.zero] + Self.thumbRoots
        for bone in thumb.bones { points.append(points.last! + bone) }
        for (index, finger) in fingers.enumerated() {
            var (place, bend) = (Self.roots[index], 0.0)
            points.append(place)
            for (bone, more) in zip(Self.bones[index], finger.bends) {
                bend += more
                let splay = Self.radians(finger.splay), ahead = Self.radians(bend)
                place += bone * SIMD3(sin(splay) * cos(ahead), cos(splay) * cos(ahead), sin(ahead))
                points.append(place)
            }
        }
        return points
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

    /// The points in a picture of 16:9, in which the palm is a fifth as long as the picture is high, each off by up to
    /// `noise` of the palm's length. `isMirrored`: the other hand.
    func landmarks(isMirrored: Bool, noise: Double, _ random: inout SeededRandom) -> [PicturePoint] {
        points.map { point in
            let (yaw, tilt, roll) = (Self.radians(yaw), Self.radians(tilt), Self.radians(roll))
            let x = point.x * cos(yaw) + point.z * sin(yaw), z = point.z * cos(yaw) - point.x * sin(yaw)
            let y = point.y * cos(tilt) + z * sin(tilt)
            var across = (x * cos(roll) + y * sin(roll)), up = y * cos(roll) - x * sin(roll)
            across += Double.random(in: -noise...noise, using: &random)
            up += Double.random(in: -noise...noise, using: &random)
            if isMirrored { across = -across }
            return PicturePoint(x: Float(0.5 + 0.2 * across * 9 / 16), y: Float(0.5 - 0.2 * up))
        }
    }
}
