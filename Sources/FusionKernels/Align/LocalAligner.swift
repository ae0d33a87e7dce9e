// SPDX-License-Identifier: MIT
// What moves on its own: found where the motion of the whole picture does not explain what is seen.

import CFusionKernels

/// Finds the motion of the parts that went another way than the whole. Its bands of rows know nothing of each other, so
/// that threads share the work and any number of them finds the same.
final class LocalAligner: @unchecked Sendable {
    /// How many bands the picture is cut into.
    static let bands = 8
    private let kernels: UnsafePointer<fusion_kernels>
    /// One a level, from the finest on; the first one's tiles are the cells of motion fields.
    private let grids: [TileGrid]
    /// A band each: motions tried at once, and how they fit.
    private let offsets: [Scratch<Int32>]
    private let distances: [Scratch<UInt32>]

    init(_ levels: [LevelPlane], _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        grids = levels.map { TileGrid($0) }
        offsets = (0..<Self.bands).map { _ in Scratch(TileMatch.most, filledWith: 0) }
        distances = (0..<Self.bands).map { _ in Scratch(TileMatch.most, filledWith: 0) }
    }

    /// One frame's alignment within a band.
    struct Job: Sendable {
        var reference: FusionFrame
        var other: FusionFrame
        var whole: AffineMotion
        var suspects: Suspects
        var noise: NoiseModel
        /// Holds the motion of the whole; receives what moved otherwise.
        var field: MotionField
        /// The field of a frame between this one and the reference, and how many times farther this one is.
        var earlier: (field: MotionField, factor: Float)?
    }

    /// Looks for the motion of the suspects in a band.
    func align(_ job: Job, band: Int) {
        guard job.suspects.count > 0 else { return }
        let coarsest = min(job.suspects.level + 1, grids.count - 1)
        // Rows of tiles of the coarsest level are shared out, so that no tile of any level has two bands.
        let first = band * grids[coarsest].down / Self.bands, last = (band + 1) * grids[coarsest].down / Self.bands
        func rows(_ level: Int) -> Range<Int> {
            let end = band == Self.bands - 1 ? grids[level].down : min(grids[level].down, last << (coarsest - level))
            return min(end, first << (coarsest - level))..<end
        }
        for level in 0...coarsest { grids[level].want(job.suspects, level: level, rows: rows(level)) }
        for level in Swift.stride(from: coarsest, through: 0, by: -1) {
            let search = Search(
                job: job, level: level, own: job.reference.levels[level].view, other: job.other.levels[level].view,
                grid: grids[level], known: rows(level), coarser: level == coarsest ? nil : grids[level + 1],
                coarserKnown: rows(min(level + 1, coarsest)), offsets: offsets[band].base,
                distances: distances[band].base,
                kernels: kernels)
            for y in rows(level) {
                for x in 0..<search.grid.across where search.grid.isWanted[y * search.grid.across + x] {
                    if level == 0 {
                        search.settle(x, y)
                    } else {
                        search.find(x, y)
                    }
                }
            }
        }
    }
}

/// The search of one level of one frame in one band.
private struct Search {
    /// What a part that moves on its own must fit better than the whole picture's motion, which is true mostly.
    private static let better: Float = 0.8
    let job: LocalAligner.Job
    let level: Int
    let own: LevelView
    let other: LevelView
    let grid: TileGrid
    /// The band's rows of tiles.
    let known: Range<Int>
    /// The level twice as coarse, where there is one that was searched.
    let coarser: TileGrid?
    let coarserKnown: Range<Int>
    let offsets: UnsafeMutablePointer<Int32>
    let distances: UnsafeMutablePointer<UInt32>
    let kernels: UnsafePointer<fusion_kernels>

    /// The best whole-sample motion of a tile.
    func find(_ x: Int, _ y: Int) {
        var match = TileMatch(Tile(own, other, x, y, kernels), offsets: offsets, distances: distances)
        let (wholeX, wholeY) = wholeMotion(x, y)
        match.try(wholeX.nearest, wholeY.nearest)
        match.favour()
        if let coarser {
            let sideX = x % 2 == 0 ? x / 2 - 1 : x / 2 + 1, sideY = y % 2 == 0 ? y / 2 - 1 : y / 2 + 1
            coarser.tryTwice(x / 2, y / 2, coarserKnown, &match)
            coarser.tryTwice(sideX, y / 2, coarserKnown, &match)
            coarser.tryTwice(x / 2, sideY, coarserKnown, &match)
            coarser.tryTwice(sideX, sideY, coarserKnown, &match)
        } else {
            match.tryAround(wholeX.nearest, wholeY.nearest, reach: 8)
        }
        if let (field, factor) = job.earlier {
            let cell = min(field.down - 1, y << level) * field.across + min(field.across - 1, x << level)
            let scale = factor / Float(16 << level)
            match.try(
                (Float(field.motion[2 * cell]) * scale).nearest, (Float(field.motion[2 * cell + 1]) * scale).nearest)
        }
        if x > 0 { grid.tryOnce(x - 1, y, known, &match) }
        grid.tryOnce(x, y - 1, known, &match)
        match.tryAround(match.x, match.y, reach: 1)
        grid.x[y * grid.across + x] = Int16(clamping: match.x)
        grid.y[y * grid.across + x] = Int16(clamping: match.y)
    }

    /// Between samples, and into the field if it is worth it.
    func settle(_ x: Int, _ y: Int) {
        let at = y * grid.across + x
        let (wholeX, wholeY) = wholeMotion(x, y)
        var tile = TileDifference(Tile(own, other, x, y, kernels))
        let whole = tile.error(wholeX, wholeY)
        let slopes = tile.slopes()
        let expected = job.suspects.usual * job.noise.variance(at: slopes.brightness)
        // A suspect is larger than what moves in it.
        guard whole > GlobalAligner.limit(expected, slope: slopes.sum) else {
            grid.isWanted[at] = false
            return
        }
        find(x, y)
        let found = (x: Float(grid.x[at]), y: Float(grid.y[at]))
        // Near the whole picture's motion start from there: it knows the fraction best.
        let isNear = abs(found.x - wholeX) < 1 && abs(found.y - wholeY) < 1
        let refined = isNear ? tile.refined(wholeX, wholeY, slopes) : tile.refined(found.x, found.y, slopes)
        guard refined.error < Self.better * whole else { return }
        job.field.set(x, y, 2 * refined.x, 2 * refined.y)
    }

    /// The whole picture's motion at a tile, in samples of the level.
    private func wholeMotion(_ x: Int, _ y: Int) -> (Float, Float) {
        let scale = Float(2 << level)
        let (dx, dy) = job.whole.at((Float(4 * x) + 2) * scale - 0.5, (Float(4 * y) + 2) * scale - 0.5)
        return (max(-8000, min(8000, dx / scale)), max(-8000, min(8000, dy / scale)))
    }
}

/// Tiles of 8x8 samples of a level, every 4 samples, and the whole-sample motion found for each that was looked at.
final class TileGrid: @unchecked Sendable {
    let across: Int
    let down: Int
    let isWanted: Scratch<Bool>
    let x: Scratch<Int16>
    let y: Scratch<Int16>

    init(_ level: LevelPlane) {
        (across, down) = ((level.width + 3) / 4, (level.height + 3) / 4)
        isWanted = Scratch(across * down, filledWith: false)
        x = Scratch(across * down, filledWith: 0)
        y = Scratch(across * down, filledWith: 0)
    }

    /// Marks the tiles of `rows` that lie over a suspect, or a quarter of it beside.
    func want(_ suspects: Suspects, level: Int, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        (isWanted.base + rows.lowerBound * across).update(repeating: false, count: rows.count * across)
        func tile(_ sample: Int) -> Int {
            (level <= suspects.level ? sample << (suspects.level - level) : sample >> (level - suspects.level)) >> 2
        }
        for v in 0..<suspects.down {
            let from = max(rows.lowerBound, tile(8 * v - 2)), to = min(rows.upperBound - 1, tile(8 * v + 9))
            guard from <= to else { continue }
            for u in 0..<suspects.across where suspects.isSuspect[v * suspects.across + u] {
                let left = max(0, tile(8 * u - 2)), right = min(across - 1, tile(8 * u + 9))
                guard left <= right else { continue }
                for row in from...to {
                    (isWanted.base + row * across + left).update(repeating: true, count: right - left + 1)
                }
            }
        }
    }

    /// Tries the motion found for a tile.
    func tryOnce(_ u: Int, _ v: Int, _ known: Range<Int>, _ match: inout TileMatch) {
        guard known.contains(v), isWanted[v * across + u] else { return }
        match.try(Int(x[v * across + u]), Int(y[v * across + u]))
    }

    /// Tries the motion found for a tile for one of a level twice as fine.
    func tryTwice(_ u: Int, _ v: Int, _ known: Range<Int>, _ match: inout TileMatch) {
        guard known.contains(v), u >= 0, u < across, isWanted[v * across + u] else { return }
        match.try(2 * Int(x[v * across + u]), 2 * Int(y[v * across + u]))
    }
}
