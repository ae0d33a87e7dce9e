// SPDX-License-Identifier: MIT
// Finds one motion for the whole picture: at the coarsest pyramid level first, then refined down the pyramid.

import LivecapCFusionKernels

/// Finds the affine motion from a reference to one other frame. It owns its working memory.
///
/// At each level, tiles of 8x8 samples are compared under the motion found so far, and one Gauss-Newton step after
/// another improves it. The tiles' mean squared differences and slopes also show which of them moved on their own
/// (`findSuspects`).
final class GlobalAligner: @unchecked Sendable {
    /// Interpolation changes edges as much as a displacement of 1/7 of a sample would (squared: 0.02). This factor
    /// converts a tile's sum of squared slopes (Q6, 64 samples) to that variance in squared codes.
    static let usualShift: Float = 0.02 / 4096
    /// The share of it that a tile may differ by before a step reduces its weight, so that outliers lose weight early.
    private static let outlierShare: Float = 0.25
    /// A displacement below 0.3 samples of the level (squared: 0.08) is not a separate motion; the same conversion.
    private static let tolerance: Float = 0.08 / 4096
    /// Fine detail, which interpolation changes more, may reach `detail` times that squared tolerance, unless a
    /// Newton step would remove at least the share `leastGain` of the error.
    private static let detail: Float = 4, leastGain: Float = 0.2
    /// Noise makes pictures look steeper: it adds this much to a tile's sum of squared slopes per squared code of the
    /// variance of the differences. White noise would add 1024, but interpolation removes part of it.
    private static let noiseSlope: Float = 700
    /// The differences may also be due to motion not yet found, so at least this share of a slope is kept.
    private static let leastSlope: Float = 0.8
    /// The maximum number of steps at one level: in the first search, and when the motion is almost known.
    private static let maxRounds = 4
    private static let lastRounds = 3
    /// Fewer tiles than this determine a shift, but not a matrix.
    private static let fewTiles = 12
    /// With at least this many tiles, one in `someTiles` is enough for every step but the last.
    private static let ampleTiles = 600
    private static let someTiles = 3
    /// The approximate number of tiles whose median error is taken.
    private static let medianTiles = 256
    /// A step shorter than this, in samples of the level, ends the search: motion is used in eighths of a pixel.
    private static let shortStep: Float = 0.1
    private let kernels: UnsafePointer<fusion_kernels>
    /// Arguments and results of the kernel: the positions of tiles in both pictures, and four sums per tile.
    private let places: Scratch<Int32>
    private let sums: Scratch<Int32>
    /// The error of each tile under the motion found, at the finest level of which all tiles are examined: the
    /// variance of the differences, in squared codes, or -1 if the tile is outside the other picture.
    private let errors: Scratch<Float>
    /// The same for the tiles of the first level.
    private let anchorErrors: Scratch<Float>
    private let sorted: Scratch<Float>

    init(_ frame: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        let most = frame.tileSets.map { $0.across * $0.down }.max() ?? 0
        places = Scratch(4 * most, filledWith: 0)
        sums = Scratch(4 * most, filledWith: 0)
        errors = Scratch(most, filledWith: -1)
        anchorErrors = Scratch(most, filledWith: -1)
        sorted = Scratch(most, filledWith: 0)
    }

    /// Finds the motion from `reference` to `other`, to a fraction of a sample of the finest level of which all tiles
    /// are examined.
    func align(_ reference: FusionFrame, _ other: FusionFrame) -> AffineMotion {
        var motion = AffineMotion(width: reference.format.size.width, height: reference.format.size.height)
        let top = reference.levels.count - 1, scale = Float(2 << top)
        let (x, y) = reference.levels[top].bestShift(
            to: other.levels[top], reach: max(2, max(Self.reach, reference.format.size.width / 6) >> (top + 1)), kernels
        )
        (motion.shiftX, motion.shiftY) = (Float(x) * scale, Float(y) * scale)
        for _ in 0..<2 {
            step(reference, set: reference.tileSets[0], other: other, motion: &motion, isShift: true, every: 1)
        }
        let all = reference.levels.count - reference.levels.finest - 1
        for set in reference.tileSets.prefix(all) {
            settle(reference, set: set, other: other, motion: &motion, rounds: Self.maxRounds)
        }
        let finest = reference.tileSets[all]
        step(
            reference, set: finest, other: other, motion: &motion,
            every: finest.count >= Self.ampleTiles ? Self.someTiles : 1)
        return motion
    }

    /// Refines a motion that is nearly right to a fraction of a pixel. Returns the error of the median tile, in
    /// squared codes. The errors of the finest level's tiles are kept for `findSuspects`.
    @discardableResult
    func refine(_ reference: FusionFrame, _ other: FusionFrame, _ motion: inout AffineMotion) -> Float {
        let sets = reference.tileSets, all = reference.levels.count - reference.levels.finest - 1
        if all == sets.count - 1 {
            for set in sets.suffix(2) {
                settle(reference, set: set, other: other, motion: &motion, rounds: Self.lastRounds)
            }
        } else {
            settle(reference, set: sets[all + 1], other: other, motion: &motion, rounds: Self.lastRounds)
            // Suspects are found from the errors of all tiles.
            let level = sets[all].level
            compare(
                a: reference.levels[level].view, set: sets[all], b: other.levels[level].view, motion: motion,
                errors: errors)
        }
        return median(of: errors, sets[all].count) ?? .infinity
    }

    /// Takes steps until they are short, but at most `rounds`; the last one uses all tiles.
    private func settle(
        _ reference: FusionFrame, set: TileSet, other: FusionFrame, motion: inout AffineMotion, rounds: Int
    ) {
        var every = set.count >= Self.ampleTiles ? Self.someTiles : 1
        for round in 1...rounds {
            if round == rounds { every = 1 }
            let before = motion
            step(reference, set: set, other: other, motion: &motion, every: every)
            guard motion.farthest(from: before) < Self.shortStep * Float(2 << set.level) else { continue }
            if every == 1 { break }
            every = 1
        }
    }

    /// The farthest shift searched for, in pixels, unless a sixth of the width is more: 16 frames at 12 pixels per
    /// frame need 180.
    private static let reach = 224

    /// One Gauss-Newton step over one in `every` tiles, each weighted by how well it already fits.
    private func step(
        _ reference: FusionFrame, set: TileSet, other: FusionFrame, motion: inout AffineMotion,
        isShift: Bool = false, every: Int
    ) {
        let isAnchors = set.level == 0 && reference.levels.finest > 0
        let errors = isAnchors ? anchorErrors : errors
        compare(
            a: reference.levels[set.level].view, set: set, b: other.levels[set.level].view, motion: motion,
            errors: errors, every: every)
        let count = (set.count + every - 1) / every
        guard let median = median(of: errors, count) else { return }
        let noise = max(median, 0.02), scale = Float(2 << set.level), reach = max(motion.middleX, motion.middleY)
        let inLevel = motion.inPlane(2 << set.level, 2 << set.level), steep = Self.noiseSlope * noise
        var system = NormalEquations()
        let (errorOf, placeOf, slopesOf, sumsOf) = (errors.base, set.places.base, set.slopes.base, sums.base)
        for index in 0..<count where errorOf[index] >= 0 {
            let tile = index * every, (own, found) = (slopesOf + 4 * tile, sumsOf + 4 * index)
            let (across, down) = (Float(own[0]), Float(own[2])), slope = across + down
            // The error to expect of the tile: noise, and what interpolation does to its edges. It decides how much
            // the tile can be trusted; an error beyond it (`ratio`) is something other than this motion.
            let expected = noise + Self.usualShift * slope
            let ratio = errorOf[index] / (3 * (noise + Self.outlierShare * Self.usualShift * slope))
            system.add(
                (Float(placeOf[2 * tile]) + 3.5 - inLevel.middleX) * scale / reach,
                (Float(placeOf[2 * tile + 1]) + 3.5 - inLevel.middleY) * scale / reach,
                slopes: SIMD4(
                    max(Self.leastSlope * across, across - steep), Float(own[1]),
                    max(Self.leastSlope * down, down - steep), 0),
                // Differences are in Q4, slopes in Q3.
                differences: SIMD2(Float(found[0]), Float(found[1])) / 2,
                weight: noise / (expected * (1 + ratio * ratio * ratio)))
        }
        motion.add(
            isShift || set.count < Self.fewTiles ? system.shift() : system.shiftAndMatrix(), scale: scale, reach: reach)
    }

    private func median(of errors: Scratch<Float>, _ tiles: Int) -> Float? {
        var count = 0
        let (errorOf, sorted) = (errors.base, sorted.base)
        // If there are very many tiles, a sample of them is enough, provided enough of these are inside the picture.
        for apart in [max(1, tiles / Self.medianTiles), 1] where count < Self.medianTiles / 4 {
            count = 0
            for tile in stride(from: 0, to: tiles, by: apart) where errorOf[tile] >= 0 {
                sorted[count] = errorOf[tile]
                count += 1
            }
        }
        return count < 3 ? nil : sorted.median(of: count)
    }

    /// Computes the sums and the error of one in `every` tiles, stored without gaps.
    private func compare(
        a: LevelView, set: TileSet, b: LevelView, motion: AffineMotion, errors: Scratch<Float>,
        every: Int = 1
    ) {
        let motion = motion.inPlane(2 << set.level, 2 << set.level)
        let (placeOf, errorOf, sumsOf, tiles) = (places.base, errors.base, sums.base, set.places.base)
        let count = (set.count + every - 1) / every
        for tile in 0..<count {
            let (left, top) = (Int(tiles[2 * tile * every]), Int(tiles[2 * tile * every + 1]))
            let (dx, dy) = motion.at(Float(left) + 3.5, Float(top) + 3.5)
            placeOf[4 * tile] = Int32(truncatingIfNeeded: top * a.stride + left)
            errorOf[tile] = b.place(x: left, y: top, dx: dx, dy: dy, out: placeOf + 4 * tile + 1) ? 0 : -1
        }
        kernels.pointee.motion.tile_differences(a.base, a.stride, b.base, b.stride, count, placeOf, sumsOf)
        for tile in 0..<count where errorOf[tile] >= 0 {
            // The mean difference of a tile is not due to motion: brightness may have changed.
            let mean = Float(sumsOf[4 * tile + 3]) / 1024
            errorOf[tile] = max(0, Float(sumsOf[4 * tile + 2]) / 1024 - mean * mean)
        }
    }

    /// Marks the tiles of the finest level that the motion does not explain, because something moved on its own.
    func findSuspects(
        _ reference: FusionFrame, other: FusionFrame, motion: AffineMotion, noise: NoiseModel,
        into suspects: Suspects
    ) {
        let set = reference.tileSets[suspects.set]
        suspects.count = 0
        suspects.isSuspect.fill(false)
        var count = 0
        for tile in 0..<set.count where errors[tile] >= 0 {
            sorted[count] = errors[tile] / noise.variance(at: set.brightness(tile))
            count += 1
        }
        guard count > 8 else { return }
        // The median shows how much noise remains at this size. It is right as long as most of the scene is still;
        // otherwise it only makes the test more lenient, by as much as most of the scene differs.
        let usual = sorted.base.median(of: count)
        for tile in 0..<set.count where errors[tile] >= 0 {
            let expected = usual * noise.variance(at: set.brightness(tile))
            let error = errors[tile], slope = set.slope(tile)
            guard error > Self.limit(expected, slope: slope) else { continue }
            let gain = set.slopes(tile).step(sums[4 * tile], sums[4 * tile + 1]).gain
            guard Self.isMotion(error, expected, slope: slope, gain: gain) else { continue }
            suspects.isSuspect[tile] = true
            suspects.count += 1
        }
        if suspects.count > 0 {
            suspects.usual = usualAtHalfSize(
                reference, other: other, motion: motion, noise: noise, set: set, besides: suspects)
        }
    }

    /// The largest error of a tile that is still where it was looked for, given that noise explains `expected`.
    static func limit(_ expected: Float, slope: Float) -> Float { 2.5 * expected + 0.15 + tolerance * slope }

    /// Whether a tile whose error exceeds the limit may have moved differently. Either its error is too large even
    /// for fine detail, which interpolation changes, or a Newton step would remove a good part of it.
    static func isMotion(_ error: Float, _ expected: Float, slope: Float, gain: Float) -> Bool {
        error > limit(expected, slope: detail * slope) || gain > leastGain * error
    }

    /// How much noise remains at half the size, measured where nothing is suspected.
    private func usualAtHalfSize(
        _ reference: FusionFrame, other: FusionFrame, motion: AffineMotion, noise: NoiseModel, set: TileSet,
        besides suspects: Suspects
    ) -> Float {
        let (own, theirs) = (reference.levels[0].view, other.levels[0].view)
        var count = 0
        for tile in Swift.stride(from: 0, to: set.count, by: max(1, set.count / 97))
        where errors[tile] >= 0 && !suspects.isSuspect[tile] {
            let (x, y) = set.middle(tile), place = places.base + 4 * count
            let (left, top) = (4 * Int(x / 8) - 2, 4 * Int(y / 8) - 2), (dx, dy) = motion.at(x, y)
            place[0] = Int32(truncatingIfNeeded: top * own.stride + left)
            guard theirs.place(x: left, y: top, dx: dx / 2, dy: dy / 2, out: place + 1) else { continue }
            sorted[count] = noise.variance(at: set.brightness(tile))
            count += 1
        }
        kernels.pointee.motion.tile_differences(
            own.base, own.stride, theirs.base, theirs.stride, count, places.base, sums.base)
        for index in 0..<count { sorted[index] = Float(sums[4 * index + 2]) / 1024 / sorted[index] }
        return count < 3 ? .infinity : sorted.base.median(of: count)
    }
}

extension AffineMotion {
    /// Adds a step: a shift, and possibly a matrix. It is in samples that are `scale` pixels wide, over coordinates
    /// from -1 to 1 that stand for `reach` pixels either way.
    mutating func add(_ step: MotionStep?, scale: Float, reach: Float) {
        guard let step else { return }
        shiftX += step.shiftX * scale
        shiftY += step.shiftY * scale
        xx += step.xx * scale / reach
        xy += step.xy * scale / reach
        yx += step.yx * scale / reach
        yy += step.yy * scale / reach
    }
}

/// The tiles of 8x8 samples of one level that are suspected of a motion of their own.
final class Suspects: @unchecked Sendable {
    /// The index of the level's tile set in the frame.
    let set: Int
    let level: Int
    let across: Int
    let down: Int
    let isSuspect: Scratch<Bool>
    var count = 0
    /// The variance of differences at half the size, relative to the noise of a full-size sample, where nothing is
    /// suspected.
    var usual: Float = .infinity

    init(_ frame: FusionFrame) {
        level = frame.levels.finest
        set = frame.levels.count - 1 - level
        across = frame.levels[level].tilesAcross
        down = frame.levels[level].tilesDown
        isSuspect = Scratch(across * down, filledWith: false)
    }
}
