// SPDX-License-Identifier: MIT
// Finds where a still is worse than the single frame it was made from: ghosts and lost texture, which averages over
// the whole picture hide.

/// How much worse, in dB, a still is than the single frame, over windows of the picture. Negative values mean that it
/// is better.
public struct LocalDamage: Sendable {
    /// The value that 99.9 % of all windows do not exceed.
    public let quantile999: Double
    /// The value of the worst window.
    public let worst: Double
    /// The left column and top row of the worst window.
    public let worstPlace: (x: Int, y: Int)

    /// Creates a result.
    public init(quantile999: Double, worst: Double, worstPlace: (x: Int, y: Int)) {
        (self.quantile999, self.worst, self.worstPlace) = (quantile999, worst, worstPlace)
    }

    /// The side of a window in pixels.
    public static let side = 32
    /// The distance in pixels from one window to the next.
    public static let step = 8
    /// Mean squared errors below this count as this, in squared codes: they are invisible.
    public static let floor = 0.5
}

extension CodePlane {
    /// The damage done by using this still instead of `single`, in windows of 32x32 pixels (or the whole plane if it
    /// is smaller), 8 apart and at the far edges.
    public func localDamage(insteadOf single: CodePlane, against truth: CodePlane) -> LocalDamage {
        let (still, before) = (ErrorSums(self, truth), ErrorSums(single, truth))
        let (across, down) = (min(LocalDamage.side, width), min(LocalDamage.side, height))
        var damages: [Double] = []
        var (worst, worstPlace) = (-Double.infinity, (x: 0, y: 0))
        for y in Self.starts(of: down, within: height) {
            for x in Self.starts(of: across, within: width) {
                let here = max(LocalDamage.floor, still.mean(x, y, across, down))
                let damage = decibels(here, over: max(LocalDamage.floor, before.mean(x, y, across, down)))
                damages.append(damage)
                if damage > worst { (worst, worstPlace) = (damage, (x, y)) }
            }
        }
        damages.sort()
        let last = Double(damages.count - 1)
        return LocalDamage(
            quantile999: damages[Int((0.999 * last).rounded(.up))], worst: worst, worstPlace: worstPlace)
    }

    private static func starts(of side: Int, within length: Int) -> [Int] {
        let last = length - side
        let all = Array(stride(from: 0, through: last, by: LocalDamage.step))
        return all.last == last ? all : all + [last]
    }
}

/// Squared differences summed from the top left corner (an integral image), so that the mean over any rectangle takes
/// four lookups.
private struct ErrorSums {
    private let across: Int
    private var sums: [Double]

    init(_ picture: CodePlane, _ truth: CodePlane) {
        picture.requireSize(of: truth)
        across = picture.width + 1
        sums = Array(repeating: 0, count: across * (picture.height + 1))
        for y in 0..<picture.height {
            var row = 0.0
            for x in 0..<picture.width {
                let place = y * picture.width + x
                let difference = Double(picture.samples[place]) - Double(truth.samples[place])
                row += difference * difference
                sums[(y + 1) * across + x + 1] = sums[y * across + x + 1] + row
            }
        }
    }

    func mean(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Double {
        let (top, bottom) = (y * across + x, (y + height) * across + x)
        return (sums[bottom + width] - sums[bottom] - sums[top + width] + sums[top]) / Double(width * height)
    }
}
