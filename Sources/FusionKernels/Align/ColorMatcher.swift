// SPDX-License-Identifier: MIT
// What light did between two frames, told from means over 16x16 pixels of what both show.

import Frames

/// Measures colour matches. It owns the memory it works in.
final class ColorMatcher: @unchecked Sendable {
    /// The pyramid level that means over 16x16 pixels are.
    private static let level = 3
    /// A standard deviation of five codes.
    private static let leastContrast: Float = 25
    /// What is more of a channel, with the knee, tells no gain: some of the samples behind a mean may be clipped. The latter
    /// where hardly anything is less: paper that fills the picture.
    private static let mostLight: (usual: Float, bright: Float) = (1, 1.03)
    /// The fewest means that tell a gain.
    private static let fewest: Float = 24
    private let space: ColorSpace
    /// The frames' red, green and blue in corresponding places, and 0.
    private let own: Scratch<SIMD4<Float>>
    private let other: Scratch<SIMD4<Float>>

    init(_ frame: FusionFrame) {
        space = ColorSpace(frame.format.colorimetry)
        let level = frame.levels[min(Self.level, frame.levels.count - 1)]
        own = Scratch(level.width * level.height, filledWith: .zero)
        other = Scratch(level.width * level.height, filledWith: .zero)
    }

    /// Whether two frames show the same scene at all, one moved by `motion` to the other: their means go up and down
    /// together. Pictures without contrast are alike as far as can be told.
    func areAlike(_ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion) -> Bool {
        var (count, a, b, aa, ab, bb) = (Float(0), Float(0), Float(0), Float(0), Float(0), Float(0))
        forEachPlace(reference, frame, motion, apart: reference.format.size.width < 640 ? (2, 1) : (4, 2)) { place in
            let (x, y) = (place.own - 128, place.other - 128)
            count += 1
            a += x
            b += y
            aa += x * x
            ab += x * y
            bb += y * y
        }
        guard count >= 8 else { return true }
        let (meanA, meanB) = (a / count, b / count)
        let (varianceA, varianceB) = (aa / count - meanA * meanA, bb / count - meanB * meanB)
        guard min(varianceA, varianceB) > Self.leastContrast else { return true }
        return ab / count - meanA * meanB > 0.5 * (varianceA * varianceB).squareRoot()
    }

    /// The match that makes `frame`, moved by `motion`, look like `reference` wherever it shows the same.
    func match(_ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion) -> ColorMatch {
        let count = gather(reference, frame, motion), (own, other) = (own.base, other.base)
        var most = Self.mostLight.usual
        var (gains, told) = start(count, most)
        if told.max() < Self.fewest {
            most = Self.mostLight.bright
            (gains, told) = start(count, most)
        }
        guard told.max() >= Self.fewest else { return ColorMatch() }
        var scatter: Float = 0.1
        for _ in 0..<4 {
            var (products, squares) = (SIMD4<Float>(repeating: 1e-6), SIMD4<Float>(repeating: 1e-6))
            var (off, weights): (Float, Float) = (0, 1e-6)
            let scale = 1 / (4 * scatter * scatter), mostOther = most / pointwiseMax(gains, .one)
            for index in 0..<count {
                // Where the darker frame says that the brighter one ought to be clipped, it is, in part at least.
                let isClipped = own[index] .> most .| other[index] .> mostOther
                let a = own[index].replacing(with: 0, where: isClipped)
                let b = other[index].replacing(with: 0, where: isClipped)
                let residual = a - b * gains
                let distance = (residual * residual).sum()
                // What moved counts less and less.
                let ratio = distance * scale
                let weight = 1 / (1 + ratio * ratio)
                products += a * b * weight
                squares += b * b * weight
                off += weight * distance
                weights += weight
            }
            gains = products / squares
            scatter = max(0.002, (off / weights).squareRoot())
        }
        // A channel that is clipped nearly everywhere is taken to have gone with the one that is told best.
        let best = (0..<3).max { told[$0] < told[$1] }!
        gains.replace(with: gains[best], where: told .< Self.fewest)
        return ColorMatch(gains: SIMD3(gains.x, gains.y, gains.z), space)
    }

    /// The gains of the sums, which are nearer than none, and of how many means each channel is told: those up to `most`.
    private func start(_ count: Int, _ most: Float) -> (gains: SIMD4<Float>, told: SIMD4<Float>) {
        var (sum, otherSum) = (SIMD4<Float>(repeating: 1e-6), SIMD4<Float>(repeating: 1e-6)), told = SIMD4<Float>.zero
        for index in 0..<count {
            let (a, b) = (own.base[index], other.base[index])
            let isClipped = a .> most .| b .> most
            sum += a.replacing(with: 0, where: isClipped)
            otherSum += b.replacing(with: 0, where: isClipped)
            told += SIMD4(1, 1, 1, 0).replacing(with: 0, where: isClipped)
        }
        return (sum / otherSum, told)
    }

    /// Pairs of means; where chroma has no such means, of brightness alone.
    private func gather(_ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion) -> Int {
        let (space, own, other) = (space, own.base, other.base)
        let hasChroma = !reference.tints.isEmpty && reference.levels.count > Self.level
        let tints = hasChroma ? (reference.tints[0].view, reference.tints[1].view) : nil
        let theirTints = hasChroma ? (frame.tints[0].view, frame.tints[1].view) : nil
        var count = 0
        // Large pictures have enough of them.
        forEachPlace(reference, frame, motion, apart: reference.format.size.width < 1024 ? (2, 1) : (4, 1)) { place in
            // Clipped samples tell no gain; those that are too bright are left out channel by channel.
            guard place.own > 18 && place.other > 18 else { return }
            var (ownTint, otherTint) = ((Float(0), Float(0)), (Float(0), Float(0)))
            if let tints, let theirTints {
                ownTint = (
                    tints.0.code(between: place.x, place.y) - 128, tints.1.code(between: place.x, place.y) - 128
                )
                otherTint = (
                    theirTints.0.code(between: place.across, place.down) - 128,
                    theirTints.1.code(between: place.across, place.down) - 128
                )
            }
            own[count] = space.light(place.own, ownTint.0, ownTint.1)
            other[count] = space.light(place.other, otherTint.0, otherTint.1)
            count += 1
        }
        return count
    }

    /// Where the reference shows what the other frame does, among the means of each, and the brightness of both in codes.
    private struct Place {
        var x: Float
        var y: Float
        var across: Float
        var down: Float
        var own: Float
        var other: Float
    }

    /// Calls for the means that the other frame shows, as on a chessboard: every so many of a row, and of rows.
    @inline(__always)
    private func forEachPlace(
        _ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion, apart: (x: Int, y: Int),
        _ body: (Place) -> Void
    ) {
        let level = min(Self.level, reference.levels.count - 1), scale = 2 << level
        let (own, other, motion) = (
            reference.levels[level].view, frame.levels[level].view, motion.inPlane(scale, scale)
        )
        let (right, bottom) = (Float(other.width - 1), Float(other.height - 1))
        for y in Swift.stride(from: 0, to: own.height, by: apart.y) {
            for x in Swift.stride(from: y / apart.y % 2 * apart.x / 2, to: own.width, by: apart.x) {
                let (dx, dy) = motion.at(Float(x), Float(y))
                // What is read between means has less contrast than a mean; so both are, half of the way each.
                let half = ((dx - dx.rounded()) / 2, (dy - dy.rounded()) / 2)
                let place = (x: Float(x) - half.0, y: Float(y) - half.1)
                let (across, down) = (place.x + dx, place.y + dy)
                guard min(place.x, place.y, across, down) >= 0, max(place.x, across) <= right,
                    max(place.y, down) <= bottom
                else { continue }
                body(
                    Place(
                        x: place.x, y: place.y, across: across, down: down, own: own.code(between: place.x, place.y),
                        other: other.code(between: across, down)))
            }
        }
    }
}

extension LevelView {
    /// The value in codes at a place between samples, within the picture.
    @inline(__always)
    fileprivate func code(between x: Float, _ y: Float) -> Float {
        let (left, top) = (Int(x), Int(y))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let a = base + top * stride + left, b = a + stride
        let upper = Float(a[0]) + (Float(a[1]) - Float(a[0])) * fx
        let lower = Float(b[0]) + (Float(b[1]) - Float(b[0])) * fx
        return (upper + (lower - upper) * fy) / 16
    }
}
