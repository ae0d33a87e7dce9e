// SPDX-License-Identifier: MIT
// Fits the motion of the whole picture to its steepest tiles, to a small fraction of a pixel.

import LivecapCFusionKernels

/// Improves a motion that is known to a fraction of a pixel. It owns its working memory.
///
/// The kernels compare tiles at sixteenths of a sample, so what they find is corrected by how far off each tile was.
/// Tiles that moved on their own lose their weight: it falls with the distance between a tile's own motion and the
/// whole's, across its edges, compared with that of the median tile.
final class MotionFit: @unchecked Sendable {
    enum Outcome {
        case moved
        /// Noise alone explains the motion.
        case still
        /// Too few tiles show more than noise.
        case unknown
    }

    /// The squared slopes, per squared code of the noise of differences, above which a tile shows something. White
    /// noise by itself has 2400 on average, and more than twice as much in no tile of a frame.
    private static let clear: Float = 5600
    /// Fewer tiles than these may all belong to something that moves on its own.
    private static let fewest = 12
    /// The sum of the squared differences that the motion explains, relative to the noise of a sample, up to which
    /// noise may be all there is. Six parameters explain 6 on average; neighbouring samples share noise, and many
    /// frames are looked at.
    private static let chance: Float = 60
    /// How often the variance that is expected of a tile's differences may be exceeded before it has moved on its own.
    private static let farOff: Float = 2.5
    /// How often differences are measured, and how often weights are.
    private static let rounds = 2, reweightings = 3
    /// The usual distance of tiles, times this, lowers a tile's weight to a fourth; but at least the least and at most
    /// the most distance, in samples. Where most tiles belong to something that moves by itself, the usual one is too
    /// large.
    private static let spread: Float = 2.5, leastSpread: Float = 0.02, mostSpread: Float = 0.3
    private let kernels: UnsafePointer<fusion_kernels>
    private let places: Scratch<Int32>
    private let sums: Scratch<Int32>
    /// For each tile, how strongly it pulls across and down; zero if it shows nothing.
    private let pulls: Scratch<SIMD2<Float>>
    private let isUsed: Scratch<Bool>
    private let distances: Scratch<Float>
    private let weights: Scratch<Float>
    private let sorted: Scratch<Float>

    init(_ frame: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        let set = frame.tileSets.last!, most = set.across * set.down
        places = Scratch(4 * most, filledWith: 0)
        sums = Scratch(4 * most, filledWith: 0)
        pulls = Scratch(most, filledWith: .zero)
        isUsed = Scratch(most, filledWith: false)
        distances = Scratch(most, filledWith: 0)
        weights = Scratch(most, filledWith: 0)
        sorted = Scratch(most, filledWith: 0)
    }

    /// The share of the tiles that show something, with noise of a variance, which a motion explains. 1 if there are
    /// few.
    func support(_ frame: FusionFrame, _ other: FusionFrame, _ motion: AffineMotion, noise: Float) -> Float {
        let set = frame.tileSets.last!
        _ = measure(
            frame.levels[set.level].view, set: set, theirs: other.levels[set.level].view, motion: motion,
            knownNoise: noise)
        var (all, explained) = (0, 0)
        for tile in 0..<set.count where isUsed[tile] {
            let mean = Float(sums[4 * tile + 3]) / 1024, error = Float(sums[4 * tile + 2]) / 1024 - mean * mean
            all += 1
            explained += error < Self.farOff * (noise + GlobalAligner.usualShift * set.slope(tile)) ? 1 : 0
        }
        return all < Self.fewest ? 1 : Float(explained) / Float(all)
    }

    /// The variance of noise, in squared codes, after a motion was fitted or its support counted.
    private(set) var noise = Float.infinity

    /// Improves the motion from `frame` to `other`.
    func fit(_ frame: FusionFrame, _ other: FusionFrame, _ motion: inout AffineMotion) -> Outcome {
        let set = frame.tileSets.last!
        let (own, theirs) = (frame.levels[set.level].view, other.levels[set.level].view)
        for _ in 0..<Self.rounds {
            guard measure(own, set: set, theirs: theirs, motion: motion) >= Self.fewest else { return .unknown }
            motion.add(
                solve(set, motion, noise), scale: Float(2 << set.level), reach: max(motion.middleX, motion.middleY))
        }
        return explained(set, motion) > Self.chance * noise ? .moved : .still
    }

    /// Measures how far each tile is from a motion, and the noise. Returns the number of tiles that show more than
    /// that.
    private func measure(
        _ own: LevelView, set: TileSet, theirs: LevelView, motion: AffineMotion, knownNoise: Float? = nil
    ) -> Int {
        let motion = motion.inPlane(2 << set.level, 2 << set.level)
        let (placeOf, sumsOf, isUsed, pulls) = (places.base, sums.base, isUsed.base, pulls.base)
        for tile in 0..<set.count {
            let (left, top) = (Int(set.places[2 * tile]), Int(set.places[2 * tile + 1]))
            let (dx, dy) = motion.at(Float(left) + 3.5, Float(top) + 3.5)
            placeOf[4 * tile] = Int32(truncatingIfNeeded: top * own.stride + left)
            isUsed[tile] = theirs.place(x: left, y: top, dx: dx, dy: dy, out: placeOf + 4 * tile + 1)
            pulls[tile] =
                isUsed[tile] ? [Float((dx * 16).nearest) / 16 - dx, Float((dy * 16).nearest) / 16 - dy] : .zero
        }
        kernels.pointee.motion.tile_differences(
            own.base, own.stride, theirs.base, theirs.stride, set.count, placeOf, sumsOf)
        var count = 0
        for tile in 0..<set.count where isUsed[tile] {
            let mean = Float(sumsOf[4 * tile + 3]) / 1024
            sorted[count] = max(0, Float(sumsOf[4 * tile + 2]) / 1024 - mean * mean)
            count += 1
        }
        guard count >= Self.fewest else { return 0 }
        noise = max(sorted.base.median(of: count), 0.02)
        let floor = knownNoise ?? noise
        count = 0
        for tile in 0..<set.count where isUsed[tile] {
            isUsed[tile] = set.slope(tile) > Self.clear * floor
            count += isUsed[tile] ? 1 : 0
            // Differences are in Q4, slopes in Q3.
            let found = SIMD2(Float(sumsOf[4 * tile]), Float(sumsOf[4 * tile + 1])) / 2
            pulls[tile] = set.curvature(tile).times(pulls[tile]) + found
        }
        return count
    }

    /// The step that the tiles' pulls add up to.
    private func solve(_ set: TileSet, _ motion: AffineMotion, _ noise: Float) -> MotionStep? {
        let scale = Float(2 << set.level), reach = max(motion.middleX, motion.middleY)
        var step = MotionStep(shiftX: 0, shiftY: 0)
        for _ in 0..<Self.reweightings {
            var count = 0
            for tile in 0..<set.count where isUsed[tile] {
                let (x, y) = place(of: tile, set, motion, scale / reach)
                let left = pulls[tile] - set.curvature(tile).times(step.at(x, y))
                distances[tile] = (left * left).sum().squareRoot() / set.slope(tile)
                sorted[count] = distances[tile]
                count += 1
            }
            let usual = min(max(Self.spread * sorted.base.median(of: count), Self.leastSpread), Self.mostSpread)
            var system = NormalEquations()
            for tile in 0..<set.count where isUsed[tile] {
                let (x, y) = place(of: tile, set, motion, scale / reach)
                let ratio = distances[tile] / usual, fall = 1 / (1 + ratio * ratio)
                let curvature = set.curvature(tile)
                // Interpolation changes steep tiles by more than noise does.
                let trust = noise / (noise + GlobalAligner.usualShift * set.slope(tile))
                weights[tile] = fall * fall * trust
                system.add(
                    x, y, slopes: SIMD4(curvature.across, curvature.both, curvature.down, 0), differences: pulls[tile],
                    weight: weights[tile])
            }
            guard let next = system.shiftAndMatrix() else { return nil }
            step = next
        }
        return step
    }

    /// The sum of the squared differences, in squared codes, that the motion explains.
    private func explained(_ set: TileSet, _ motion: AffineMotion) -> Float {
        let inLevel = motion.inPlane(2 << set.level, 2 << set.level)
        var sum: Float = 0
        for tile in 0..<set.count where isUsed[tile] {
            let (dx, dy) = inLevel.at(Float(set.places[2 * tile]) + 3.5, Float(set.places[2 * tile + 1]) + 3.5)
            sum += weights[tile] * (set.curvature(tile).times([dx, dy]) * [dx, dy]).sum() / 64
        }
        return sum
    }

    /// The middle of a tile, in the coordinates of a step.
    private func place(of tile: Int, _ set: TileSet, _ motion: AffineMotion, _ unit: Float) -> (x: Float, y: Float) {
        let middle = motion.inPlane(2 << set.level, 2 << set.level)
        return (
            (Float(set.places[2 * tile]) + 3.5 - middle.middleX) * unit,
            (Float(set.places[2 * tile + 1]) + 3.5 - middle.middleY) * unit
        )
    }
}

/// The sums of products of a tile's slopes, Q6.
private struct Curvature {
    let across: Float
    let both: Float
    let down: Float

    func times(_ shift: SIMD2<Float>) -> SIMD2<Float> {
        [across * shift.x + both * shift.y, both * shift.x + down * shift.y]
    }
}

extension TileSet {
    fileprivate func curvature(_ tile: Int) -> Curvature {
        Curvature(
            across: Float(slopes[4 * tile]), both: Float(slopes[4 * tile + 1]), down: Float(slopes[4 * tile + 2]))
    }
}

extension MotionStep {
    fileprivate func at(_ x: Float, _ y: Float) -> SIMD2<Float> {
        [shiftX + xx * x + xy * y, shiftY + yx * x + yy * y]
    }
}
