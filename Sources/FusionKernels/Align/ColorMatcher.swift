// SPDX-License-Identifier: MIT
// Measures how the light changed between two frames, from means over 16x16 pixels of what both show.

import LivecapFrames

/// Measures colour matches between frames, and whether frames show the same scene. It owns its working memory.
final class ColorMatcher: @unchecked Sendable {
    /// The pyramid level whose samples are means over 16x16 pixels.
    private static let level = 3
    /// The minimum variance of means for a picture to have contrast: a standard deviation of five codes.
    private static let leastContrast: Float = 25
    /// The range of a channel, as a share of white with the knee added, from which gains are measured. Some of the
    /// samples in a brighter mean may be clipped. `bright` is used if there is hardly anything else, such as paper
    /// that fills the picture.
    private static let usual: ClosedRange<Float> = 0...1, bright: ClosedRange<Float> = 0...1.03
    /// The range from which the gain of another exposure is measured: the brighter frame is clipped in more places,
    /// and the knee no longer holds near black.
    private static let middling: ClosedRange<Float> = 0.12...0.6
    /// The minimum share of the means that must be in `middling`. If there are fewer, they are the edges of brighter
    /// or darker areas.
    private static let enough: Float = 0.25
    /// The minimum number of means for a gain.
    private static let fewest: Float = 24
    /// The minimum correlation of frames that show one scene; and of consecutive frames used to measure noise.
    /// Another scene, a flashing light or the missing half of a frame would be mistaken for noise.
    static let asOneScene: Float = 0.5, asFramesInARow: Float = 0.9
    private let space: ColorSpace
    /// How far apart the means are that gains are measured from.
    private let apart: (x: Int, y: Int)
    /// Red, green, blue and 0 at corresponding places of both frames.
    private let own: Scratch<SIMD4<Float>>
    private let other: Scratch<SIMD4<Float>>
    /// The brightness at these places, and their row of means in the other frame.
    private let ownBrightness: Scratch<Float>
    private let otherBrightness: Scratch<Float>
    private let row: Scratch<Float>
    private let rowMeter: RowLightMeter?

    init(_ frame: FusionFrame) {
        space = ColorSpace(frame.format.colorimetry)
        let level = frame.levels[min(Self.level, frame.levels.count - 1)]
        // Large pictures have enough of them to skip some.
        apart = frame.format.size.width < 1024 ? (2, 1) : (4, 1)
        let most = (level.width + apart.x - 1) / apart.x * ((level.height + apart.y - 1) / apart.y)
        own = Scratch(most, filledWith: .zero)
        other = Scratch(most, filledWith: .zero)
        ownBrightness = Scratch(most, filledWith: 0)
        otherBrightness = Scratch(most, filledWith: 0)
        row = Scratch(most, filledWith: 0)
        // Small pictures have no such level.
        rowMeter =
            frame.levels.count > Self.level ? RowLightMeter(rows: level.height, step: 2 << Self.level, space) : nil
    }

    /// Whether two frames show the same scene, where `motion` leads from one to the other: whether the correlation of
    /// their means exceeds `least`. Pictures without contrast count as alike, since nothing shows otherwise.
    func areAlike(
        _ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion, by least: Float = asOneScene
    ) -> Bool {
        var (count, a, b, aa, ab, bb) = (Float(0), Float(0), Float(0), Float(0), Float(0), Float(0))
        forEachPlace(
            reference, frame: frame, motion: motion, apart: reference.format.size.width < 640 ? (2, 1) : (4, 2)
        ) { place in
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

    /// The match that makes `frame`, moved by `motion`, look like `reference` wherever both show the same.
    /// `isExposure` says that their exposures are known to differ, and the motion is known well; then the gains are
    /// measured in `middling` light if there is enough of it.
    func match(
        _ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion, isExposure: Bool = false
    ) -> ColorMatch {
        let count = gather(reference, frame, motion)
        var (gains, support) = gains(count, Self.usual)
        if support.max() < Self.fewest { (gains, support) = self.gains(count, Self.bright) }
        guard support.max() >= Self.fewest else { return ColorMatch() }
        // A channel that is clipped nearly everywhere gets the gain of the channel with the most means.
        let best = (0..<3).max { support[$0] < support[$1] }!
        gains.replace(with: gains[best], where: support .< Self.fewest)
        if isExposure {
            let middling = self.gains(count, Self.middling)
            let isEnough = middling.support .>= pointwiseMax(Self.enough * support, SIMD4(repeating: Self.fewest))
            gains.replace(with: middling.gains, where: isEnough)
        }
        return ColorMatch(
            gains: SIMD3(gains.x, gains.y, gains.z), space, rows: rowLight(count, besides: gains))
    }

    /// What the light of rows changed besides the gains of the whole frame.
    private func rowLight(_ count: Int, besides gains: SIMD4<Float>) -> RowLight? {
        guard let rowMeter else { return nil }
        let (own, other, a, b, space) = (own.base, other.base, ownBrightness.base, otherBrightness.base, space)
        for index in 0..<count {
            a[index] = space.brightness(own[index])
            b[index] = space.brightness(other[index] * gains)
        }
        return rowMeter.measure(RowLightMeter.Pairs(own: a, other: b, row: row.base, count: count))
    }

    /// The gains measured from the means within a range of light, and the number of means that each channel's is
    /// based on.
    private func gains(_ count: Int, _ light: ClosedRange<Float>) -> (gains: SIMD4<Float>, support: SIMD4<Float>) {
        var (gains, support) = start(count, light), scatter: Float = 0.1
        guard support.max() >= Self.fewest else { return (gains, support) }
        let (own, other, least) = (own.base, other.base, light.lowerBound)
        for _ in 0..<4 {
            var (products, squares) = (SIMD4<Float>(repeating: 1e-6), SIMD4<Float>(repeating: 1e-6))
            var (off, weights): (Float, Float) = (0, 1e-6)
            let scale = 1 / (4 * scatter * scatter), maxOther = light.upperBound / pointwiseMax(gains, .one)
            for index in 0..<count {
                let (a, b) = (own[index], other[index])
                // If the darker frame shows that the brighter one should be clipped here, the brighter one is, at
                // least in part.
                let isOut = a .> light.upperBound .| b .> maxOther .| a .< least .| b .< least
                let (seenA, seenB) = (a.replacing(with: 0, where: isOut), b.replacing(with: 0, where: isOut))
                let residual = seenA - seenB * gains
                let distance = (residual * residual).sum()
                // Places where something moved get less and less weight.
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
        return (gains, support)
    }

    /// Initial gains, from the sums: a better start than 1. Also the number of means for each channel.
    private func start(_ count: Int, _ light: ClosedRange<Float>) -> (gains: SIMD4<Float>, support: SIMD4<Float>) {
        var (sum, otherSum) = (SIMD4<Float>(repeating: 1e-6), SIMD4<Float>(repeating: 1e-6)),
            support = SIMD4<Float>.zero
        let (least, most) = (light.lowerBound, light.upperBound)
        for index in 0..<count {
            let (a, b) = (own.base[index], other.base[index])
            let isOut = a .> most .| b .> most .| a .< least .| b .< least
            sum += a.replacing(with: 0, where: isOut)
            otherSum += b.replacing(with: 0, where: isOut)
            support += SIMD4(1, 1, 1, 0).replacing(with: 0, where: isOut)
        }
        return (sum / otherSum, support)
    }

    /// Collects pairs of means; of brightness alone if chroma has no such means.
    private func gather(_ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion) -> Int {
        let (space, own, other, row) = (space, own.base, other.base, row.base)
        let hasChroma = !reference.tints.isEmpty && reference.levels.count > Self.level
        let tints = hasChroma ? (reference.tints[0].view, reference.tints[1].view) : nil
        let theirTints = hasChroma ? (frame.tints[0].view, frame.tints[1].view) : nil
        var count = 0
        forEachPlace(reference, frame: frame, motion: motion, apart: apart) { place in
            // Clipped samples do not show a gain. Black ones are left out here, and bright ones later, for each
            // channel separately.
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
            row[count] = place.down
            count += 1
        }
        return count
    }

    /// Corresponding positions in the means of the reference (`x`, `y`) and of the other frame (`across`, `down`),
    /// and the brightness of both in codes.
    private struct Place {
        var x: Float
        var y: Float
        var across: Float
        var down: Float
        var own: Float
        var other: Float
    }

    /// Calls `body` for the means that both frames show, in a chessboard pattern with steps of `apart`.
    @inline(__always)
    private func forEachPlace(
        _ reference: FusionFrame, frame: FusionFrame, motion: AffineMotion, apart: (x: Int, y: Int),
        body: (Place) -> Void
    ) {
        let level = min(Self.level, reference.levels.count - 1), scale = 2 << level
        let (own, other, motion) = (
            reference.levels[level].view, frame.levels[level].view, motion.inPlane(scale, scale)
        )
        let (right, bottom) = (Float(other.width - 1), Float(other.height - 1))
        for y in Swift.stride(from: 0, to: own.height, by: apart.y) {
            for x in Swift.stride(from: y / apart.y % 2 * apart.x / 2, to: own.width, by: apart.x) {
                let (dx, dy) = motion.at(Float(x), Float(y))
                // Interpolating between means reduces contrast. So that both frames lose the same, each is read half
                // of the fraction away from its samples.
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
    /// The value, in codes, at a position between samples inside the picture.
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
