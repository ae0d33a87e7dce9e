// SPDX-License-Identifier: MIT
// Bursts of a wall with posters, with noise that may be stronger at edges.

import Glibc
import LivecapFrames
import LivecapPictureMetrics

/// Posters of soft waves on an even wall, so that edges and flat places have the same brightness.
enum Posters {
    static let (width, height) = (320, 240)

    static func wall(_ x: Double, _ y: Double) -> Double {
        guard Int(x / 40) % 2 == 1 else { return 120 }
        return 120 + 30 * sin(2 * .pi * x / 20) + 30 * sin(2 * .pi * y / 18)
    }

    private static func slope(_ x: Double, _ y: Double) -> Double {
        max(abs(wall(x + 1, y) - wall(x - 1, y)), abs(wall(x, y + 1) - wall(x, y - 1))) / 2
    }

    /// Frames of the wall. `sharpened` is how much stronger their noise is at edges than elsewhere.
    static func burst(
        sharpened: Double, count: Int = 8, moving step: Double = 0, light: (_ frame: Int) -> Double = { _ in 1 },
        painting: (_ frame: Int, _ x: Double, _ y: Double) -> Double? = { _, _, _ in nil }
    ) -> SmallBurst {
        var dice = Dice(seed: 5)
        var burst = SmallBurst(.grey, width: width, height: height, count: count, noise: 0) { frame, x, y in
            let at = x + step * Double(frame)
            let deviation = slope(at, y) > 4 ? 1.5 * sharpened : 1.5
            let picture = painting(frame, x, y) ?? wall(at, y)
            return picture * light(frame) + deviation * dice.normal()
        }
        burst.truth = CodePlane(
            width: width, height: height,
            samples: (0..<width * height).map {
                let (x, y) = (Double($0 % width), Double($0 / width))
                return Float(painting(burst.reference, x, y) ?? wall(x + step * Double(burst.reference), y))
            })
        return burst
    }
}
