// SPDX-License-Identifier: MIT
// One motion for the whole picture: found at the coarsest level, refined down the pyramid.

import CFusionKernels

/// Finds the affine motion from a reference to one other frame. It owns the memory it works in.
final class GlobalAligner: @unchecked Sendable {
    /// Edges differ from themselves when they are read between samples: as much as if the tile were off by a seventh of a
    /// sample. Times a tile's sums of squared slopes (Q3, 64 samples) that is a variance in squared codes.
    private static let usualShift: Float = 0.02 / 4096
    /// Of which what goes another way is suspected of sooner: a quarter.
    private static let outlierShare: Float = 0.25
    /// And off by less than three tenths of a sample of the level is no motion of its own.
    private static let tolerance: Float = 0.08 / 4096
    /// Steps at one level, at most.
    private static let mostRounds = 5
    /// A step so short, in samples of the level, is the last: motion is used in eighths of a pixel.
    private static let shortStep: Float = 0.05
    private let kernels: UnsafePointer<fusion_kernels>
    private let place = Scratch<Int32>(3, filledWith: 0)
    private let sums: Scratch<Int32>
    /// What tiles differ by under the motion found, at the finest level of which all tiles are looked at: the variance of
    /// the differences, in squared codes; -1 outside the other picture.
    private let errors: Scratch<Float>
    private let anchorErrors: Scratch<Float>
    private let sorted: Scratch<Float>

    init(_ frame: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        let most = frame.tileSets.map { $0.across * $0.down }.max() ?? 0
        sums = Scratch(4 * most, filledWith: 0)
        errors = Scratch(most, filledWith: -1)
        anchorErrors = Scratch(most, filledWith: -1)
        sorted = Scratch(most, filledWith: 0)
    }

    /// The motion from `reference` to `other`, to a part of a sample of the finest level of which all tiles are looked at.
    func align(_ reference: FusionFrame, _ other: FusionFrame) -> AffineMotion {
        var motion = AffineMotion(width: reference.format.size.width, height: reference.format.size.height)
        let top = reference.levels.count - 1, scale = Float(2 << top)
        let (x, y) = reference.levels[top].bestShift(
            to: other.levels[top], reach: max(2, max(Self.reach, reference.format.size.width / 6) >> (top + 1)), kernels
        )
        (motion.shiftX, motion.shiftY) = (Float(x) * scale, Float(y) * scale)
        for _ in 0..<2 { step(reference, reference.tileSets[0], other, &motion, isShift: true) }
        for set in reference.tileSets.prefix(reference.levels.count - reference.levels.finest) {
            settle(reference, set, other, &motion)
        }
        return motion
    }

    /// Makes a motion that is nearly right so, to a part of a pixel. Returns what the median tile differs by, in squared
    /// codes.
    @discardableResult
    func refine(_ reference: FusionFrame, _ other: FusionFrame, _ motion: inout AffineMotion) -> Float {
        let sets = reference.tileSets, all = reference.levels.count - reference.levels.finest - 1
        if all == sets.count - 1 {
            for set in sets.suffix(2) { settle(reference, set, other, &motion) }
        } else {
            settle(reference, sets[all + 1], other, &motion)
            // What is suspected of a motion of its own is told by all tiles.
            let level = sets[all].level
            compare(reference.levels[level].view, sets[all], other.levels[level].view, motion, errors)
        }
        return median(of: errors, sets[all].count) ?? .infinity
    }

    /// As many steps as it takes: strong noise makes every slope look steeper, and so every step too short.
    private func settle(_ reference: FusionFrame, _ set: TileSet, _ other: FusionFrame, _ motion: inout AffineMotion) {
        for _ in 0..<Self.mostRounds {
            let before = motion
            step(reference, set, other, &motion, isShift: false)
            if motion.farthest(from: before) < Self.shortStep * Float(2 << set.level) { break }
        }
    }

    /// The farthest shift looked for, in pixels, or a sixth of the width: 16 frames at 12 pixels a frame need 180.
    private static let reach = 224

    /// One round of Gauss and Newton over the tiles, each weighed by how well it fits already.
    private func step(
        _ reference: FusionFrame, _ set: TileSet, _ other: FusionFrame, _ motion: inout AffineMotion, isShift: Bool
    ) {
        let isAnchors = set.level == 0 && reference.levels.finest > 0
        let errors = isAnchors ? anchorErrors : errors
        compare(reference.levels[set.level].view, set, other.levels[set.level].view, motion, errors)
        guard let median = median(of: errors, set.count) else { return }
        let noise = max(median, 0.02)
        var system = NormalEquations()
        let reach = max(motion.middleX, motion.middleY)
        for tile in 0..<set.count where errors[tile] >= 0 {
            let (x, y) = set.middle(tile), slope = set.slope(tile)
            let own = set.slopes.base + 4 * tile, found = sums.base + 4 * tile
            // What is to be expected of the tile: noise, and an edge's difference from itself. It says how far the tile
            // can be believed; and what is more is something else than this motion.
            let expected = noise + Self.usualShift * slope
            let ratio = errors[tile] / (3 * (noise + Self.outlierShare * Self.usualShift * slope))
            system.add(
                (x - motion.middleX) / reach, (y - motion.middleY) / reach,
                slopes: SIMD4(Float(own[0]), Float(own[1]), Float(own[2]), 0),
                // Differences are in Q4, slopes in Q3.
                differences: SIMD2(Float(found[0]), Float(found[1])) / 2,
                weight: noise / (expected * (1 + ratio * ratio * ratio)))
        }
        motion.add(isShift ? system.shift() : system.shiftAndMatrix(), scale: Float(2 << set.level), reach: reach)
    }

    private func median(of errors: Scratch<Float>, _ tiles: Int) -> Float? {
        var count = 0
        for tile in 0..<tiles where errors[tile] >= 0 {
            sorted[count] = errors[tile]
            count += 1
        }
        return count < 3 ? nil : sorted.base.median(of: count)
    }

    /// Every tile's sums and error.
    private func compare(
        _ a: LevelView, _ set: TileSet, _ b: LevelView, _ motion: AffineMotion, _ errors: Scratch<Float>
    ) {
        let scale = Float(2 << set.level)
        for tile in 0..<set.count {
            let (x, y) = set.middle(tile), (left, top) = (Int(set.places[2 * tile]), Int(set.places[2 * tile + 1]))
            let (dx, dy) = motion.at(x, y)
            guard b.place(left, top, dx / scale, dy / scale, place.base) else {
                errors[tile] = -1
                continue
            }
            let found = sums.base + 4 * tile
            kernels.pointee.tile_differences(
                a.base + top * a.stride + left, a.stride, b.base, b.stride, 1, 0, place.base, found)
            // The mean difference of a tile is no motion: brightness may have changed.
            let mean = Float(found[3]) / 1024
            errors[tile] = max(0, Float(found[2]) / 1024 - mean * mean)
        }
    }

    /// Marks the tiles of the finest level which the motion found does not explain: where something moved on its own.
    func findSuspects(
        _ reference: FusionFrame, _ other: FusionFrame, _ motion: AffineMotion, _ noise: NoiseModel,
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
        // The median shows how much of the noise is left at this size: most of the scene is still, and where it is not,
        // this can only be too lenient by what most of it differs.
        let usual = sorted.base.median(of: count)
        for tile in 0..<set.count where errors[tile] >= 0 {
            let expected = usual * noise.variance(at: set.brightness(tile))
            guard errors[tile] > Self.limit(expected, slope: set.slope(tile)) else { continue }
            suspects.isSuspect[tile] = true
            suspects.count += 1
        }
        if suspects.count > 0 {
            suspects.usual = usualAtHalfSize(reference, other, motion, noise, set, besides: suspects)
        }
    }

    /// What a tile may differ by, of which noise explains `expected`, and still be where it was looked for.
    static func limit(_ expected: Float, slope: Float) -> Float { 2.5 * expected + 0.15 + tolerance * slope }

    /// How much of the noise is left at half the size, seen where nothing is suspected.
    private func usualAtHalfSize(
        _ reference: FusionFrame, _ other: FusionFrame, _ motion: AffineMotion, _ noise: NoiseModel, _ set: TileSet,
        besides suspects: Suspects
    ) -> Float {
        let (own, theirs) = (reference.levels[0].view, other.levels[0].view)
        var count = 0
        for tile in Swift.stride(from: 0, to: set.count, by: max(1, set.count / 97))
        where errors[tile] >= 0 && !suspects.isSuspect[tile] {
            let (x, y) = set.middle(tile)
            var part = TileDifference(Tile(own, theirs, Int(x / 8), Int(y / 8), kernels))
            let (dx, dy) = motion.at(x, y)
            let error = part.error(dx / 2, dy / 2)
            guard error.isFinite else { continue }
            sorted[count] = error / noise.variance(at: set.brightness(tile))
            count += 1
        }
        return count < 3 ? .infinity : sorted.base.median(of: count)
    }
}

extension AffineMotion {
    /// Adds a step: a shift, and perhaps a matrix, in samples that are `scale` pixels wide, over places from -1 to 1 for
    /// `reach` pixels either way.
    fileprivate mutating func add(_ step: MotionStep?, scale: Float, reach: Float) {
        guard let step else { return }
        shiftX += step.shiftX * scale
        shiftY += step.shiftY * scale
        xx += step.xx * scale / reach
        xy += step.xy * scale / reach
        yx += step.yx * scale / reach
        yy += step.yy * scale / reach
    }
}

/// Which tiles of 8x8 samples of a level are suspected of a motion of their own.
final class Suspects: @unchecked Sendable {
    /// Which of the frames' tile sets.
    let set: Int
    let level: Int
    let across: Int
    let down: Int
    let isSuspect: Scratch<Bool>
    var count = 0
    /// The variance of differences at half the size, relative to a full-size sample's noise, where all is well.
    var usual: Float = .infinity

    init(_ frame: FusionFrame) {
        level = frame.levels.finest
        set = frame.levels.count - 1 - level
        (across, down) = (frame.levels[level].tilesAcross, frame.levels[level].tilesDown)
        isSuspect = Scratch(across * down, filledWith: false)
    }
}
