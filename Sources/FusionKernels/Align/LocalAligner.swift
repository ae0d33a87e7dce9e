// SPDX-License-Identifier: MIT
// What moves on its own: found where the motion of the whole picture does not explain what is seen.

import CFusionKernels
import Glibc

/// Finds the motion of the parts that went another way than the whole. Its bands of rows know nothing of each other, so
/// that threads share the work and any number of them finds the same.
final class LocalAligner: @unchecked Sendable {
    /// How many bands the picture is cut into.
    static let bands = 8
    private let kernels: UnsafePointer<fusion_kernels>
    /// One a level, from the finest on; the first one's tiles are the cells of motion fields.
    private let grids: [TileGrid]
    /// The level the search begins at.
    private let coarsest: Int
    /// A band each: motions tried at once, and how they fit.
    private let offsets: [Scratch<Int32>]
    private let distances: [Scratch<UInt32>]

    init(_ levels: [LevelPlane], _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        grids = levels.map { TileGrid($0) }
        coarsest = min(levels.finest + 1, levels.count - 1)
        offsets = (0..<Self.bands).map { _ in Scratch(TileMatch.most, filledWith: 0) }
        distances = (0..<Self.bands).map { _ in Scratch(TileMatch.most, filledWith: 0) }
    }

    /// A band's rows of a field's cells, of which there may be one row more than of tiles.
    func cells(_ field: MotionField, band: Int) -> Range<Int> {
        let rows = rows(band, level: 0)
        return band == Self.bands - 1 ? rows.lowerBound..<field.down : rows
    }

    /// A band's rows of a level's tiles: those of the coarsest level are shared out, so that no tile of any level has two
    /// bands.
    private func rows(_ band: Int, level: Int) -> Range<Int> {
        let first = band * grids[coarsest].down / Self.bands, last = (band + 1) * grids[coarsest].down / Self.bands
        let down = grids[level].down
        let end = band == Self.bands - 1 ? down : min(down, last << (coarsest - level))
        return min(end, first << (coarsest - level))..<end
    }

    /// One frame's alignment within a band.
    struct Job: Sendable {
        var reference: FusionFrame
        var other: FusionFrame
        var whole: AffineMotion
        var suspects: Suspects
        var noise: NoiseModel
        /// Tells whether what moved has taken its colour along.
        var colors: TileColors
        /// Holds the motion of the whole; receives what moved otherwise.
        var field: MotionField
        /// The field of a frame between this one and the reference, and how many times farther this one is.
        var earlier: (field: MotionField, factor: Float)?
    }

    /// Looks for the motion of the suspects in a band.
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

/// The search of one level of one frame in one band.
private struct Search {
    /// What a part that moves on its own must fit better than the whole picture's motion, which is true mostly.
    private static let better: Float = 0.8
    /// How far a motion of its own is looked for at the coarsest level, in steps of two samples: pictures so small are
    /// smooth.
    private static let reach = 4
    let job: LocalAligner.Job
    let level: Int
    let own: LevelView
    let other: LevelView
    let grid: TileGridView
    /// The band's rows of tiles.
    let known: Range<Int>
    /// The level twice as coarse, where there is one that was searched.
    let coarser: TileGridView?
    let coarserKnown: Range<Int>
    let offsets: UnsafeMutablePointer<Int32>
    let distances: UnsafeMutablePointer<UInt32>
    let kernels: UnsafePointer<fusion_kernels>

    /// Calls for the wanted tiles of the band, in rows; or for those in every so many columns and rows.
    @inline(__always)
    func forEachWanted(by step: Int = 1, _ body: (Int, Int) -> Void) {
        for y in Swift.stride(from: (known.lowerBound + step - 1) / step * step, to: known.upperBound, by: step) {
            let row = grid.isWanted + y * grid.across
            var x = 0
            // Most of a picture goes with the whole.
            while x < grid.across, let found = memchr(row + x, 1, grid.across - x) {
                x = UnsafePointer(found.assumingMemoryBound(to: Bool.self)) - UnsafePointer(row)
                if x % step == 0 { body(x, y) }
                x += 1
            }
        }
    }

    /// The best whole-sample motion of a tile of the coarsest level, near or far. Tiles overlap by half: of each two by two
    /// this is done for the first, and the others begin with what it found.
    func begin(_ x: Int, _ y: Int) {
        var match = TileMatch(Tile(own, other, x, y, kernels), offsets: offsets, distances: distances)
        let (wholeX, wholeY) = wholeMotion(x, y)
        match.try(wholeX.nearest, wholeY.nearest)
        match.favour()
        match.tryAround(wholeX.nearest, wholeY.nearest, reach: Self.reach, step: 2)
        grid.set(x, y, match)
    }

    /// The best whole-sample motion of a tile.
    func find(_ x: Int, _ y: Int) {
        let isBegun = coarser == nil && x % 2 == 0 && y % 2 == 0
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
        } else if isBegun {
            _ = grid.tryOnce(x, y, known, &match)
        } else if !tryBegun(x, y, &match) {
            match.tryAround(wholeX.nearest, wholeY.nearest, reach: Self.reach, step: 2)
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
        grid.set(x, y, match)
    }

    /// Tries what `begin` found for the tiles that overlap one; whether there were any.
    private func tryBegun(_ x: Int, _ y: Int, _ match: inout TileMatch) -> Bool {
        var isAny = false
        for v in Swift.stride(from: y - y % 2, through: y + y % 2, by: 2) {
            for u in Swift.stride(from: x - x % 2, through: min(grid.across - 1, x + x % 2), by: 2) {
                if grid.tryOnce(u, v, known, &match) { isAny = true }
            }
        }
        return isAny
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
        guard whole > GlobalAligner.limit(expected, slope: slopes.sum),
            GlobalAligner.isMotion(whole, expected, slope: slopes.sum, gain: tile.gain(slopes))
        else {
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
        if !job.colors.agree(x, y, 2 * refined.x, 2 * refined.y, brightness: slopes.brightness) {
            job.field.keepColorOut(x, y)
        }
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

    /// The grid's whereabouts, for loops that cannot afford to count references. Valid while the grid is.
    var view: TileGridView {
        TileGridView(across: across, down: down, isWanted: isWanted.base, x: x.base, y: y.base)
    }
}

/// Where a grid's tiles lie.
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

    /// Tries the motion found for a tile; whether it was looked for.
    @discardableResult
    func tryOnce(_ u: Int, _ v: Int, _ known: Range<Int>, _ match: inout TileMatch) -> Bool {
        guard known.contains(v), isWanted[v * across + u] else { return false }
        match.try(Int(x[v * across + u]), Int(y[v * across + u]))
        return true
    }

    /// Tries the motion found for a tile for one of a level twice as fine.
    func tryTwice(_ u: Int, _ v: Int, _ known: Range<Int>, _ match: inout TileMatch) {
        guard known.contains(v), u >= 0, u < across, isWanted[v * across + u] else { return }
        match.try(2 * Int(x[v * across + u]), 2 * Int(y[v * across + u]))
    }
}
