// SPDX-License-Identifier: MIT
// One motion for the whole picture: found at the coarsest level, refined down the pyramid.

import CFusionKernels

/// Finds the affine motion from a reference to one other frame. It owns the memory it works in.
final class GlobalAligner: @unchecked Sendable {
    /// Levels with more samples than this tell the motion of the whole no better.
    private static let enoughSamples = 80_000
    private let kernels: UnsafePointer<fusion_kernels>
    /// The finest level looked at.
    let finest: Int
    private let places: Scratch<Int32>
    private let sums: Scratch<Int32>
    private let errors: Scratch<Float>
    private let sorted: Scratch<Float>

    init(_ levels: [LevelPlane], _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        finest = levels.firstIndex { $0.width * $0.height <= Self.enoughSamples } ?? levels.count - 1
        let tiles = levels[finest].tilesAcross * levels[finest].tilesDown
        places = Scratch(3 * tiles, filledWith: 0)
        sums = Scratch(4 * tiles, filledWith: 0)
        errors = Scratch(tiles, filledWith: -1)
        sorted = Scratch(tiles, filledWith: 0)
    }

    /// The motion from `reference`, whose slopes are known, to `other`.
    func align(_ reference: FusionFrame, _ slopes: ReferenceSlopes, _ other: FusionFrame) -> AffineMotion {
        var motion = AffineMotion(width: reference.format.size.width, height: reference.format.size.height)
        let top = max(finest, reference.levels.count - 1)
        let scale = Float(2 << top)
        let (x, y) = reference.levels[top].bestShift(
            to: other.levels[top], reach: max(2, Self.reach >> (top + 1)), kernels)
        (motion.shiftX, motion.shiftY) = (Float(x) * scale, Float(y) * scale)
        for level in Swift.stride(from: top, through: finest, by: -1) {
            if level == top { for _ in 0..<2 { step(reference, slopes, other, level, &motion, isShift: true) } }
            settle(reference, slopes, other, level, &motion)
        }
        return motion
    }

    /// Makes a motion that is nearly right so, at the finest level.
    func refine(_ reference: FusionFrame, _ slopes: ReferenceSlopes, _ other: FusionFrame, _ motion: inout AffineMotion)
    {
        settle(reference, slopes, other, finest, &motion)
    }

    /// As many steps as it takes: strong noise makes every slope look steeper, and so every step too short.
    private func settle(
        _ reference: FusionFrame, _ slopes: ReferenceSlopes, _ other: FusionFrame, _ level: Int,
        _ motion: inout AffineMotion
    ) {
        for _ in 0..<12 {
            let before = motion
            step(reference, slopes, other, level, &motion, isShift: false)
            if motion.farthest(from: before) < 0.03 * Float(2 << level) { break }
        }
    }

    /// The farthest shift looked for, in pixels: 16 frames at 12 pixels a frame need 180.
    private static let reach = 224

    /// One round of Gauss and Newton over the tiles of a level, each weighed by how well it fits already.
    private func step(
        _ reference: FusionFrame, _ slopes: ReferenceSlopes, _ other: FusionFrame, _ level: Int,
        _ motion: inout AffineMotion, isShift: Bool
    ) {
        let (a, b, slopes) = (reference.levels[level], other.levels[level], slopes.sums[level])
        let (across, down) = (a.tilesAcross, a.tilesDown)
        compare(a, b, level, motion)
        var count = 0
        for tile in 0..<across * down where errors[tile] >= 0 {
            sorted[count] = errors[tile]
            count += 1
        }
        guard count >= 3 else { return }
        let median = max(sorted.base.median(of: count), 0.02)
        var system = NormalEquations()
        let reach = max(motion.middleX, motion.middleY)
        for row in 0..<down {
            for column in 0..<across {
                let tile = row * across + column
                guard errors[tile] >= 0 else { continue }
                let ratio = errors[tile] / (3 * median)
                let (x, y) = LevelPlane.middle(ofTile: column, row, level: level)
                let own = slopes.base + 4 * tile, found = sums.base + 4 * tile
                system.add(
                    (x - motion.middleX) / reach, (y - motion.middleY) / reach,
                    slopes: SIMD4(Float(own[0]), Float(own[1]), Float(own[2]), 0),
                    // Differences are in Q4, slopes in Q3.
                    differences: SIMD2(Float(found[0]), Float(found[1])) / 2, weight: 1 / (1 + ratio * ratio * ratio))
            }
        }
        guard let found = isShift ? system.shift() : system.shiftAndMatrix() else { return }
        let scale = Float(2 << level)
        motion.shiftX += found[0] * scale
        motion.shiftY += found[1] * scale
        guard !isShift else { return }
        motion.xx += found[2] * scale / reach
        motion.xy += found[3] * scale / reach
        motion.yx += found[4] * scale / reach
        motion.yy += found[5] * scale / reach
    }

    /// Every tile's sums and its error: the variance of the differences, in squared codes; -1 outside the other picture.
    private func compare(_ a: LevelPlane, _ b: LevelPlane, _ level: Int, _ motion: AffineMotion) {
        let (across, down, scale, view) = (a.tilesAcross, a.tilesDown, Float(2 << level), b.view)
        for row in 0..<down {
            for column in 0..<across {
                let tile = row * across + column
                let (x, y) = LevelPlane.middle(ofTile: column, row, level: level)
                let (dx, dy) = motion.at(x, y)
                let isInside = view.place(8 * column, 8 * row, dx / scale, dy / scale, places.base + 3 * tile)
                errors[tile] = isInside ? 0 : -1
            }
            kernels.pointee.tile_differences(
                a.row(8 * row), a.stride, b.base, b.stride, across, 8, places.base + 3 * row * across,
                sums.base + 4 * row * across)
        }
        for tile in 0..<across * down where errors[tile] >= 0 {
            // The mean difference of a tile is no motion: brightness may have changed.
            let mean = Float(sums[4 * tile + 3]) / 1024
            errors[tile] = max(0, Float(sums[4 * tile + 2]) / 1024 - mean * mean)
        }
    }

    /// Marks the tiles of the finest level which the motion found does not explain: where something moved on its own.
    func findSuspects(_ slopes: ReferenceSlopes, _ noise: NoiseModel, into suspects: Suspects) {
        let own = slopes.sums[finest], tiles = suspects.across * suspects.down
        var count = 0
        for tile in 0..<tiles where errors[tile] >= 0 {
            sorted[count] = errors[tile] / noise.variance(at: Float(own[4 * tile + 3]) / 1024)
            count += 1
        }
        suspects.count = 0
        suspects.isSuspect.fill(false)
        guard count > 8 else { return }
        // The median shows how much of the noise is left at this size: most of the scene is still, and where it is not,
        // this can only be too lenient by what most of it differs.
        let usual = sorted.base.median(of: count)
        for tile in 0..<tiles where errors[tile] >= 0 {
            let expected = usual * noise.variance(at: Float(own[4 * tile + 3]) / 1024)
            guard errors[tile] > 2.5 * expected + 0.15 else { continue }
            suspects.isSuspect[tile] = true
            suspects.count += 1
        }
    }
}

/// Which tiles of 8x8 samples of a level are suspected of a motion of their own.
final class Suspects: @unchecked Sendable {
    let level: Int
    let across: Int
    let down: Int
    let isSuspect: Scratch<Bool>
    var count = 0

    init(_ levels: [LevelPlane], level: Int) {
        self.level = level
        (across, down) = (levels[level].tilesAcross, levels[level].tilesDown)
        isSuspect = Scratch(across * down, filledWith: false)
    }
}

/// How the reference slopes, tile by tile, at every level from the finest one needed.
final class ReferenceSlopes: @unchecked Sendable {
    /// Four numbers a tile; empty for levels finer than needed.
    let sums: [Scratch<Int32>]
    private let finest: Int

    init(_ levels: [LevelPlane], finest: Int) {
        self.finest = finest
        sums = levels.enumerated().map { index, level in
            Scratch(index < finest ? 0 : 4 * level.tilesAcross * level.tilesDown, filledWith: 0)
        }
    }

    func update(_ reference: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>) {
        for index in finest..<reference.levels.count {
            let level = reference.levels[index]
            for row in 0..<level.tilesDown {
                kernels.pointee.tile_slopes(
                    level.row(8 * row), level.stride, level.tilesAcross, 8,
                    sums[index].base + 4 * row * level.tilesAcross)
            }
        }
    }
}
