// SPDX-License-Identifier: MIT
// Robust merging: every other frame's samples, weighed by how well they agree with the reference's.

import CFusionKernels

/// Merges planes of one size, strip by strip; threads may share the strips. It owns the memory it works in.
final class Merger: @unchecked Sendable {
    /// Rows merged at once, whole cells: few enough for threads to share them out, and enough for the two more rows on either
    /// side to cost little. A thread alone has nothing to share, and may take as many of the widest rows as totals hold.
    static func stripRows(threads: Int) -> Int { threads > 1 ? 128 : 512 }
    /// What a pair of samples of full weight adds to the weights.
    static let fullWeight = 2879
    /// The most other frames: what totals of 16 bits hold.
    static let mostOthers = 15
    /// Weights fall from full, where the squared differences in a box of 6x5 samples are 1 3/8 times what noise makes them,
    /// to none at 2 7/8 times. In squares of an eighth of the noise's standard deviation.
    private static let full: UInt16 = 2640
    private static let none: UInt16 = 5520
    /// A difference of one standard deviation is scaled to 8: its square, 30 times, and saturation fit 16 bits.
    private static let unit: Float = 8 * 65536 / 32
    /// Differences are held to so many eighths of a standard deviation. Where there is no noise beside, one sample that is
    /// farther off tells enough: its square alone is more than `none`.
    private static let usualLimit: Int16 = 56, clippedLimit: Int16 = 76

    private let kernels: UnsafePointer<fusion_kernels>
    private let width: Int
    private let height: Int
    private let stripRows: Int
    /// One a strip, so that it does not matter which thread has which: what each frame weighs, and what one could at most.
    private let totals: [Scratch<UInt32>]
    private let scratch: [StripScratch]
    /// For each cell, what differences are multiplied with to be of unit scale.
    private let scales: Scratch<Int16>
    /// And what they are held to then.
    private let limits: Scratch<Int16>
    private let cells: (across: Int, down: Int)

    /// A merger of planes; each lane has a scratch for planes of at least this width, which others may use in turn.
    init(width: Int, height: Int, scratch: [StripScratch], _ kernels: UnsafePointer<fusion_kernels>) {
        (self.width, self.height, self.scratch, self.kernels) = (width, height, scratch, kernels)
        let stripRows = Self.stripRows(threads: scratch.count)
        self.stripRows = stripRows
        cells = ((width + 7) / 8, (height + 7) / 8)
        scales = Scratch(cells.across * cells.down, filledWith: 0)
        limits = Scratch(cells.across * cells.down, filledWith: 0)
        totals = (0..<(height + stripRows - 1) / stripRows).map { _ in
            Scratch(Self.mostOthers + 1, filledWith: 0)
        }
    }

    /// How many strips there are.
    var strips: Int { totals.count }

    /// Another frame's plane and where its cells have gone.
    typealias Other = (plane: SamplePlane, field: MotionField)

    /// What differences are to be expected, for the strips to come: `brightness` is a level of the reference's pyramid
    /// with a sample for `step` cells.
    func expect(_ noise: NoiseModel, _ brightness: LevelPlane, _ clipping: Clipping, step: (x: Int, y: Int)) {
        let (brightness, limits, scales) = (brightness.view, limits.base, scales.base)
        func scale(_ code: Int, _ share: Float) -> Int16 {
            // Both samples have the noise. Below three quarters of a code rounding is most of what is seen.
            Int16(Self.unit / max(0.64, 2 * share * noise.variance[code]).squareRoot())
        }
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: NoiseModel.levels) { usual in
            for code in usual.indices { usual[code] = scale(code, 1) }
            for y in 0..<cells.down {
                for x in 0..<cells.across {
                    // Levels hold no more than white does.
                    let code = Int(brightness.code(x * step.x, y * step.y)), cell = y * cells.across + x
                    let share = clipping.isClipped ? clipping.share(x, y, step) : 1
                    limits[cell] = share < 1 ? Self.clippedLimit : Self.usualLimit
                    scales[cell] = share < 1 ? scale(code, share) : usual[code]
                }
            }
        }
    }

    /// Merges a strip.
    func merge(_ reference: SamplePlane, _ others: [Other], strip: Int, lane: Int, into out: MergedPlane) {
        let s = scratch[lane], rows = strip * stripRows..<min((strip + 1) * stripRows, height)
        let cellRows = rows.lowerBound / MotionField.cell..<(rows.upperBound + MotionField.cell - 1) / MotionField.cell
        (out.evidence.base + cellRows.lowerBound * cells.across).update(
            repeating: 0, count: cellRows.count * cells.across)
        totals[strip].fill(0)
        s.clearSquares(others.count)
        withUnsafeTemporaryAllocation(of: Moved.self, capacity: others.count) { moved in
            for (place, other) in others.enumerated() { moved[place] = Moved(other) }
            // Two more rows on either side have a part in what surrounds a sample.
            var y = rows.lowerBound - 2
            while y < rows.upperBound + 2 {
                let count = y < 0 || y >= height ? 1 : min(8 - y % 8, rows.upperBound + 2 - y, height - y)
                // Rows whose surroundings are known then.
                let known = max(y - 2, rows.lowerBound)..<max(y - 2 + count, rows.lowerBound)
                var seen = 0
                for block in Swift.stride(from: 0, to: cells.across, by: StripScratch.blockCells) {
                    // Beyond a block's own cells others have a part in it, too. So many, as kernels take four at once.
                    let new = seen..<max(seen, min(cells.across, block + StripScratch.blockCells + 4))
                    seen = new.upperBound
                    if !new.isEmpty { compare(moved, to: reference, new, y, count, s) }
                    weigh(moved, reference, block, known, y - 2, s, totals[strip].base, out)
                }
                y += count
            }
        }
    }

    /// The mean weight of another frame in all strips, from 0 to 1, as some of their rows have it.
    func share(of other: Int) -> Double {
        let (sum, all) = totals.reduce((UInt64(0), UInt64(0))) {
            ($0.0 + UInt64($1[other]), $0.1 + UInt64($1[Self.mostOthers]))
        }
        return Double(sum) / Double(all)
    }

    /// Where another frame's samples lie, and its field's cells: plain pointers, as it is asked block by block. The burst and
    /// the stage keep what is there.
    private struct Moved: BitwiseCopyable {
        let samples: UnsafeMutablePointer<UInt8>
        let stride: Int
        let motion: UnsafeMutablePointer<Int16>
        let share: UnsafeMutablePointer<UInt16>

        init(_ other: Other) {
            (samples, stride) = (other.plane.base, other.plane.stride)
            (motion, share) = (other.field.motion.base, other.field.share.base)
        }
    }

    /// Moves some cells of all frames to those of the reference, and adds up the squares of what they differ by.
    private func compare(
        _ others: UnsafeMutableBufferPointer<Moved>, to reference: SamplePlane, _ cells: Range<Int>, _ y: Int,
        _ rows: Int, _ s: StripScratch
    ) {
        let within = min(max(y, 0), height - 1), x = MotionField.cell * cells.lowerBound
        kernels.pointee.widen_codes(
            reference.row(within) + x, reference.stride, MotionField.cell * cells.count, rows, s.reference.base + x,
            s.stride)
        for place in others.indices {
            compare(others[place], place, cells, within, s.differences(place, y) + x, rows, s)
        }
    }

    private func compare(
        _ other: Moved, _ place: Int, _ cells: Range<Int>, _ within: Int, _ differences: UnsafeMutablePointer<Int16>,
        _ rows: Int, _ s: StripScratch
    ) {
        let across = self.cells.across, x = MotionField.cell * cells.lowerBound
        let first = within / MotionField.cell * across + cells.lowerBound, sums = s.sums(place, row: 0) + x / 2
        kernels.pointee.warp_differences(
            s.reference.base + x, s.stride, other.samples + within * other.stride + x, other.stride, cells.count,
            rows, other.motion + 2 * first, differences, s.stride)
        kernels.pointee.sum_squares(
            differences, s.stride, cells.count, rows, scales.base + first, limits.base + first,
            s.squares(place) + 2 * x, sums)
        // The sums at either edge of the plane are repeated beside it.
        if cells.lowerBound == 0 {
            for row in 0..<rows { s.repeatSum(place, row: row, from: 0, to: -1) }
        }
        if cells.upperBound == across {
            let pairs = (width + 1) / 2
            for row in 0..<rows { s.repeatSum(place, row: row, from: pairs - 1, to: pairs) }
        }
    }

    /// Merges a block's rows whose surroundings are known; the sums begin with those of the row `first`.
    private func weigh(
        _ others: UnsafeMutableBufferPointer<Moved>, _ reference: SamplePlane, _ block: Int, _ known: Range<Int>,
        _ first: Int, _ s: StripScratch, _ totals: UnsafeMutablePointer<UInt32>, _ out: MergedPlane
    ) {
        let count = min(StripScratch.blockCells, cells.across - block), x = MotionField.cell * block
        let samples = min(MotionField.cell * count, width - x)
        var y = known.lowerBound
        while y < known.upperBound {
            let rows = min(8 - y % 8, known.upperBound - y), at = y / MotionField.cell * cells.across + block
            let shares = s.shares.base
            for place in others.indices {
                let share = others[place].share + at
                // Most blocks are whole, and a call would cost more than it does.
                if count == StripScratch.blockCells {
                    let all = UnsafeRawPointer(share).loadUnaligned(as: SIMD16<UInt16>.self)
                    UnsafeMutableRawPointer(shares + place * count).storeBytes(of: all, as: SIMD16<UInt16>.self)
                } else {
                    (shares + place * count).update(from: share, count: count)
                }
            }
            kernels.pointee.merge_rows(
                reference.row(y) + x, reference.stride, s.differences(0, y) + x, s.sums(0, row: y - first) + x / 2 - 1,
                s.stride, s.apart, others.count, shares, samples, rows, Self.full, Self.none,
                UInt32(Self.fullWeight), out.row(y) + x, out.stride, out.evidence.base + at, totals)
            // Of full weight all would have added so much.
            totals[Self.mostOthers] += UInt32(Self.fullWeight * ((samples + 1) / 2))
            y += rows
        }
    }
}
