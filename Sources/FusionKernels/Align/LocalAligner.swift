// SPDX-License-Identifier: MIT
// Finds what moved on its own, where the motion of the whole picture does not explain the differences.

import Glibc
import LivecapCFusionKernels

/// Finds the motion of the parts that moved differently from the whole. Bands of rows are independent of each other,
/// so the result does not depend on how many threads share the work.
///
/// The search goes from coarse to fine, and only over suspects. At the coarsest level, `begin` tries motions up to 8
/// samples from that of the whole. At each level, `find` starts from the results of the coarser level and of
/// neighbouring tiles. At the finest one, `settle` first checks that a tile did move on its own, then refines its
/// motion by Newton's method, and keeps it if the error is clearly smaller than under the motion of the whole.
final class LocalAligner: @unchecked Sendable {
    /// The number of bands the picture is divided into.
    static let bands = 8
    private let kernels: UnsafePointer<fusion_kernels>
    /// One per level, the finest first. The tiles of the first one are the cells of motion fields.
    private let grids: [TileGrid]
    /// The level at which the search starts.
    private let coarsest: Int
    /// For each band: the motions tried at once, and how well they fit.
    private let offsets: [Scratch<Int32>]
    private let distances: [Scratch<UInt32>]

    init(_ levels: [LevelPlane], _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        grids = levels.map { TileGrid($0) }
        coarsest = min(levels.finest + 1, levels.count - 1)
        offsets = (0..<Self.bands).map { _ in Scratch(TileMatch.most, filledWith: 0) }
        distances = (0..<Self.bands).map { _ in Scratch(TileMatch.most, filledWith: 0) }
    }

    /// A band's rows of cells in a field, which may have one row more than there are tiles.
    func cells(_ field: MotionField, band: Int) -> Range<Int> {
        let rows = rows(band, level: 0)
        return band == Self.bands - 1 ? rows.lowerBound..<field.down : rows
    }

    /// A band's rows of tiles at a level. The rows of the coarsest level are divided among the bands, so that at no
    /// level a tile belongs to two bands.
    private func rows(_ band: Int, level: Int) -> Range<Int> {
        let first = band * grids[coarsest].down / Self.bands, last = (band + 1) * grids[coarsest].down / Self.bands
        let down = grids[level].down
        let end = band == Self.bands - 1 ? down : min(down, last << (coarsest - level))
        return min(end, first << (coarsest - level))..<end
    }

    /// The alignment of one frame within a band.
    struct Job: Sendable {
        var reference: FusionFrame
        var other: FusionFrame
        var whole: AffineMotion
        var suspects: Suspects
        var noise: NoiseModel
        /// Checks whether what moved has taken its colour along.
        var colors: TileColors
        /// Holds the motion of the whole; receives the motion of the parts.
        var field: MotionField
        /// The field of a frame between this one and the reference, if any, and how many times farther away this one
        /// is.
        var earlier: (field: MotionField, factor: Float)?
    }

    /// Finds the motion of the suspects in a band.
    func align(_ job: Job, band: Int) {
        guard job.suspects.count > 0 else { return }
        for level in 0...coarsest { grids[level].want(job.suspects, level: level, rows: rows(band, level: level)) }
        for level in Swift.stride(from: coarsest, through: 0, by: -1) {
            let search = Search(
                job: job, level: level, own: job.reference.levels[level].view, other: job.other.levels[level].view,
                grid: grids[level].view, known: rows(band, level: level),
                coarser: level == coarsest ? nil : grids[level + 1].view,
                coarserKnown: rows(band, level: min(level + 1, coarsest)), offsets: offsets[band].base,
                distances: distances[band].base,
                kernels: kernels)
            if level == coarsest { search.forEachWanted(by: 2) { search.begin($0, $1) } }
            search.forEachWanted {
                if level == 0 { search.settle($0, $1) } else { search.find($0, $1) }
            }
        }
    }
}

/// The search at one level, for one frame and band.
private struct Search {
    /// The largest error of a separate motion relative to that of the whole picture's motion, which is usually right.
    private static let better: Float = 0.8
    /// The range of the search at the coarsest level, in steps of two samples: at that size pictures are smooth, so
    /// every other sample is enough.
    private static let reach = 4
    let job: LocalAligner.Job
    let level: Int
    let own: LevelView
    let other: LevelView
    let grid: TileGridView
    /// The rows of tiles of the band.
    let known: Range<Int>
    /// The next coarser level, if it was searched.
    let coarser: TileGridView?
    let coarserKnown: Range<Int>
    let offsets: UnsafeMutablePointer<Int32>
    let distances: UnsafeMutablePointer<UInt32>
    let kernels: UnsafePointer<fusion_kernels>

    /// Calls `body` for the wanted tiles of the band, row by row; or only for those in every `step`th column and row.
    @inline(__always)
    func forEachWanted(by step: Int = 1, _ body: (Int, Int) -> Void) {
        for y in Swift.stride(from: (known.lowerBound + step - 1) / step * step, to: known.upperBound, by: step) {
            let row = grid.isWanted + y * grid.across
            var x = 0
            // Most of a picture moves with the whole, so wanted tiles are rare.
            while x < grid.across, let found = memchr(row + x, 1, grid.across - x) {
                x = UnsafePointer(found.assumingMemoryBound(to: Bool.self)) - UnsafePointer(row)
                if x % step == 0 { body(x, y) }
                x += 1
            }
        }
    }

    /// Finds the best whole-sample motion of a tile at the coarsest level, near or far. Tiles overlap by half, so
    /// this is done for one in each two by two; the others start with its result.
    func begin(_ x: Int, _ y: Int) {
        var match = TileMatch(
            Tile(own, other: other, x: x, y: y, kernels: kernels), offsets: offsets, distances: distances)
        let (wholeX, wholeY) = wholeMotion(x, y)
        match.try(wholeX.nearest, wholeY.nearest)
        match.favour()
        match.tryAround(wholeX.nearest, wholeY.nearest, reach: Self.reach, step: 2)
        grid.set(x, y, match)
    }

    /// Finds the best whole-sample motion of a tile.
    func find(_ x: Int, _ y: Int) {
        let isBegun = coarser == nil && x % 2 == 0 && y % 2 == 0
        var match = TileMatch(
            Tile(own, other: other, x: x, y: y, kernels: kernels), offsets: offsets, distances: distances)
        let (wholeX, wholeY) = wholeMotion(x, y)
        match.try(wholeX.nearest, wholeY.nearest)
        match.favour()
        if let coarser {
            let sideX = x % 2 == 0 ? x / 2 - 1 : x / 2 + 1, sideY = y % 2 == 0 ? y / 2 - 1 : y / 2 + 1
            coarser.tryTwice(u: x / 2, v: y / 2, known: coarserKnown, match: &match)
            coarser.tryTwice(u: sideX, v: y / 2, known: coarserKnown, match: &match)
            coarser.tryTwice(u: x / 2, v: sideY, known: coarserKnown, match: &match)
            coarser.tryTwice(u: sideX, v: sideY, known: coarserKnown, match: &match)
        } else if isBegun {
            _ = grid.tryOnce(u: x, v: y, known: known, match: &match)
        } else if !tryBegun(x, y, &match) {
            match.tryAround(wholeX.nearest, wholeY.nearest, reach: Self.reach, step: 2)
        }
        if let (field, factor) = job.earlier {
            let cell = min(field.down - 1, y << level) * field.across + min(field.across - 1, x << level)
            let scale = factor / Float(16 << level)
            match.try(
                (Float(field.motion[2 * cell]) * scale).nearest, (Float(field.motion[2 * cell + 1]) * scale).nearest)
        }
        if x > 0 { grid.tryOnce(u: x - 1, v: y, known: known, match: &match) }
        grid.tryOnce(u: x, v: y - 1, known: known, match: &match)
        match.tryAround(match.x, match.y, reach: 1)
        grid.set(x, y, match)
    }

    /// Tries the motions that `begin` found for overlapping tiles; returns whether there were any.
    private func tryBegun(_ x: Int, _ y: Int, _ match: inout TileMatch) -> Bool {
        var isAny = false
        for v in Swift.stride(from: y - y % 2, through: y + y % 2, by: 2) {
            for u in Swift.stride(from: x - x % 2, through: min(grid.across - 1, x + x % 2), by: 2) {
                if grid.tryOnce(u: u, v: v, known: known, match: &match) { isAny = true }
            }
        }
        return isAny
    }

    /// Refines a tile's motion to fractions of a sample, and writes it to the field if it is good enough.
    func settle(_ x: Int, _ y: Int) {
        let at = y * grid.across + x
        let (wholeX, wholeY) = wholeMotion(x, y)
        var tile = TileDifference(Tile(own, other: other, x: x, y: y, kernels: kernels))
        let whole = tile.error(wholeX, wholeY)
        let slopes = tile.slopes()
        let expected = job.suspects.usual * job.noise.variance(at: slopes.brightness)
        // A suspect tile is larger than the part of it that moved.
        guard whole > GlobalAligner.limit(expected, slope: slopes.sum),
            GlobalAligner.isMotion(whole, expected, slope: slopes.sum, gain: tile.gain(slopes))
        else {
            grid.isWanted[at] = false
            return
        }
        find(x, y)
        let found = (x: Float(grid.x[at]), y: Float(grid.y[at]))
        // Close to the motion of the whole, start from that, as its fraction is the most accurate.
        let isNear = abs(found.x - wholeX) < 1 && abs(found.y - wholeY) < 1
        let refined = isNear ? tile.refined(wholeX, wholeY, slopes) : tile.refined(found.x, found.y, slopes)
        guard refined.error < Self.better * whole else { return }
        job.field.set(x: x, y: y, dx: 2 * refined.x, dy: 2 * refined.y)
        if !job.colors.agree(x: x, y: y, dx: 2 * refined.x, dy: 2 * refined.y, brightness: slopes.brightness) {
            job.field.keepColorOut(x, y)
        }
    }

    /// The motion of the whole picture at a tile, in samples of the level.
    private func wholeMotion(_ x: Int, _ y: Int) -> (Float, Float) {
        let scale = Float(2 << level)
        let (dx, dy) = job.whole.at((Float(4 * x) + 2) * scale - 0.5, (Float(4 * y) + 2) * scale - 0.5)
        return (max(-8000, min(8000, dx / scale)), max(-8000, min(8000, dy / scale)))
    }
}

/// Tiles of 8x8 samples of a level, one every 4 samples, and the whole-sample motion found for each that was
/// searched.
final class TileGrid: @unchecked Sendable {
    let across: Int
    let down: Int
    let isWanted: Scratch<Bool>
    let x: Scratch<Int16>
    let y: Scratch<Int16>

    init(_ level: LevelPlane) {
        across = (level.width + 3) / 4
        down = (level.height + 3) / 4
        isWanted = Scratch(across * down, filledWith: false)
        x = Scratch(across * down, filledWith: 0)
        y = Scratch(across * down, filledWith: 0)
    }

    /// Marks the tiles in `rows` that overlap a suspect, or are within a quarter of a tile of one.
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

    /// Pointers and sizes of the grid, for loops that cannot afford reference counting. Valid as long as the grid
    /// exists.
    var view: TileGridView {
        TileGridView(across: across, down: down, isWanted: isWanted.base, x: x.base, y: y.base)
    }
}

/// Pointers and sizes of a grid of tiles.
struct TileGridView {
    let across: Int
    let down: Int
    let isWanted: UnsafeMutablePointer<Bool>
    let x: UnsafeMutablePointer<Int16>
    let y: UnsafeMutablePointer<Int16>

    func set(_ u: Int, _ v: Int, _ match: TileMatch) {
        x[v * across + u] = Int16(clamping: match.x)
        y[v * across + u] = Int16(clamping: match.y)
    }

    /// Tries the motion found for a tile; returns whether there is one.
    @discardableResult
    func tryOnce(u: Int, v: Int, known: Range<Int>, match: inout TileMatch) -> Bool {
        guard known.contains(v), isWanted[v * across + u] else { return false }
        match.try(Int(x[v * across + u]), Int(y[v * across + u]))
        return true
    }

    /// Tries the motion found for a tile, doubled, for a tile of the next finer level.
    func tryTwice(u: Int, v: Int, known: Range<Int>, match: inout TileMatch) {
        guard known.contains(v), u >= 0, u < across, isWanted[v * across + u] else { return }
        match.try(2 * Int(x[v * across + u]), 2 * Int(y[v * across + u]))
    }
}
