// SPDX-License-Identifier: MIT
// What light did between two frames, told from means over 16x16 pixels of what both show.

import Frames

/// Measures colour matches. It owns the memory it works in.
final class ColorMatcher: @unchecked Sendable {
    /// The pyramid level that means over 16x16 pixels are.
    private static let level = 3
    /// A standard deviation of five codes.
    private static let leastContrast: Float = 25
    /// The light of a channel, with the knee, that tells a gain: some of the samples behind a brighter mean may be clipped.
    /// The latter where there is hardly anything else: paper that fills the picture.
    private static let usual: ClosedRange<Float> = 0...1, bright: ClosedRange<Float> = 0...1.03
    /// What tells the gain of another exposure: the brighter frame has clipped more, and no knee is left near black.
    private static let middling: ClosedRange<Float> = 0.12...0.6
    /// Of the means that tell a gain so many have to be middling: fewer are those at the edges of what is brighter or darker.
    private static let enough: Float = 0.25
    /// The fewest means that tell a gain.
    private static let fewest: Float = 24
    /// How alike frames are that show one scene at all; and those that noise is told from, which another scene, a light that
    /// flashes, or half of a frame that is missing would be taken for.
    static let asOneScene: Float = 0.5, asFramesInARow: Float = 0.9
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

    /// Whether two frames show the same scene, one moved by `motion` to the other: their means go up and down together, and
    /// by `least` of what they could at most. Pictures without contrast are alike as far as can be told.
    func areAlike(
        _ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion, by least: Float = asOneScene
    ) -> Bool {
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
        return ab / count - meanA * meanB > least * (varianceA * varianceB).squareRoot()
    }

    /// The match that makes `frame`, moved by `motion`, look like `reference` wherever it shows the same. Where it is known
    /// that exposures differ, and the motion well, it is told by middling light where that can be.
    func match(
        _ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion, isExposure: Bool = false
    ) -> ColorMatch {
        let count = gather(reference, frame, motion)
        var (gains, told) = gains(count, Self.usual)
        if told.max() < Self.fewest { (gains, told) = self.gains(count, Self.bright) }
        guard told.max() >= Self.fewest else { return ColorMatch() }
        // A channel that is clipped nearly everywhere is taken to have gone with the one that is told best.
        let best = (0..<3).max { told[$0] < told[$1] }!
        gains.replace(with: gains[best], where: told .< Self.fewest)
        if isExposure {
            let middling = self.gains(count, Self.middling)
            let isEnough = middling.told .>= pointwiseMax(Self.enough * told, SIMD4(repeating: Self.fewest))
            gains.replace(with: middling.gains, where: isEnough)
        }
        return ColorMatch(gains: SIMD3(gains.x, gains.y, gains.z), space)
    }

    /// The gains told by the means of some light, and of how many each channel's is told.
    private func gains(_ count: Int, _ light: ClosedRange<Float>) -> (gains: SIMD4<Float>, told: SIMD4<Float>) {
        var (gains, told) = start(count, light), scatter: Float = 0.1
        guard told.max() >= Self.fewest else { return (gains, told) }
        let (own, other, least) = (own.base, other.base, light.lowerBound)
        for _ in 0..<4 {
            var (products, squares) = (SIMD4<Float>(repeating: 1e-6), SIMD4<Float>(repeating: 1e-6))
            var (off, weights): (Float, Float) = (0, 1e-6)
            let scale = 1 / (4 * scatter * scatter), mostOther = light.upperBound / pointwiseMax(gains, .one)
            for index in 0..<count {
                let (a, b) = (own[index], other[index])
                // Where the darker frame says that the brighter one ought to be clipped, it is, in part at least.
                let isOut = a .> light.upperBound .| b .> mostOther .| a .< least .| b .< least
                let (seenA, seenB) = (a.replacing(with: 0, where: isOut), b.replacing(with: 0, where: isOut))
                let residual = seenA - seenB * gains
                let distance = (residual * residual).sum()
                // What moved counts less and less.
                let ratio = distance * scale
                let weight = 1 / (1 + ratio * ratio)
                products += seenA * seenB * weight
                squares += seenB * seenB * weight
                off += weight * distance
                weights += weight
            }
            gains = products / squares
            scatter = max(0.002, (off / weights).squareRoot())
        }
        return (gains, told)
    }

    /// The gains of the sums, which are nearer than none, and of how many means each channel is told.
    private func start(_ count: Int, _ light: ClosedRange<Float>) -> (gains: SIMD4<Float>, told: SIMD4<Float>) {
        var (sum, otherSum) = (SIMD4<Float>(repeating: 1e-6), SIMD4<Float>(repeating: 1e-6)), told = SIMD4<Float>.zero
        let (least, most) = (light.lowerBound, light.upperBound)
        for index in 0..<count {
            let (a, b) = (own.base[index], other.base[index])
            let isOut = a .> most .| b .> most .| a .< least .| b .< least
            sum += a.replacing(with: 0, where: isOut)
            otherSum += b.replacing(with: 0, where: isOut)
            told += SIMD4(1, 1, 1, 0).replacing(with: 0, where: isOut)
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
