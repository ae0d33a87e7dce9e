// SPDX-License-Identifier: MIT
// Robust merging: every other frame's samples, weighed by how well they agree with the reference's.

import CFusionKernels

/// Merges planes of one size, strip by strip; threads may share the strips. It owns the memory it works in.
final class Merger: @unchecked Sendable {
    /// Rows merged at once, whole cells: few enough for what a strip adds up to stay in the second cache, and enough for the
    /// two more rows on either side to cost little.
    static let stripRows = 64
    /// What a sample of full weight adds to the weights.
    static let fullWeight = 2399
    /// The most other frames: what totals of 16 bits hold.
    static let mostOthers = 15
    /// Weights fall from full, where the squared differences in a box of 5x5 samples are one and a half times what noise
    /// makes them, to none at three times. In squares of an eighth of the noise's standard deviation.
    private static let full: UInt16 = 2400
    private static let none: UInt16 = 4800
    /// A difference of one standard deviation is scaled to 8: its square, 25 times, and saturation fit 16 bits.
    private static let unit: Float = 8 * 65536 / 32
    /// Differences are held to so many eighths of a standard deviation. Where there is no noise beside, one sample that is
    /// farther off tells enough: its square alone is more than `none`.
    private static let usualLimit: Int16 = 51, clippedLimit: Int16 = 70

    private let kernels: UnsafePointer<fusion_kernels>
    private let width: Int
    private let height: Int
    /// One a strip, so that it does not matter which thread has which.
    private let totals: [Scratch<UInt64>]
    private let scratch: [StripScratch]
    /// For each cell, what differences are multiplied with to be of unit scale.
    private let scales: Scratch<Int16>
    /// And what they are held to then.
    private let limits: Scratch<Int16>
    private let cells: (across: Int, down: Int)

    init(width: Int, height: Int, lanes: Int, _ kernels: UnsafePointer<fusion_kernels>) {
        (self.width, self.height, self.kernels) = (width, height, kernels)
        cells = ((width + 7) / 8, (height + 7) / 8)
        scales = Scratch(cells.across * cells.down, filledWith: 0)
        limits = Scratch(cells.across * cells.down, filledWith: 0)
        scratch = (0..<lanes).map { _ in StripScratch(width: width) }
        totals = (0..<(height + Self.stripRows - 1) / Self.stripRows).map { _ in
            Scratch(Self.mostOthers, filledWith: 0)
        }
    }

    /// How many strips there are.
    var strips: Int { totals.count }

    /// Another frame's plane and where its cells have gone.
    typealias Other = (plane: SamplePlane, field: MotionField)

    /// What differences are to be expected, for the strips to come: `brightness` is a level of the reference's pyramid
    /// with a sample for `step` cells.
    func expect(_ noise: NoiseModel, _ brightness: LevelPlane, _ clipping: Clipping, step: (x: Int, y: Int)) {
        for y in 0..<cells.down {
            for x in 0..<cells.across {
                let share = clipping.share(x, y, step)
                // Both samples have the noise. Below three quarters of a code rounding is most of what is seen.
                let variance = max(0.64, 2 * share * noise.variance(at: brightness.code(x * step.x, y * step.y)))
                limits[y * cells.across + x] = share < 1 ? Self.clippedLimit : Self.usualLimit
                scales[y * cells.across + x] = Int16(Self.unit / variance.squareRoot())
            }
        }
    }

    /// Merges a strip.
    func merge(_ reference: SamplePlane, _ others: [Other], strip: Int, lane: Int, into out: MergedPlane) {
        let (s, top) = (scratch[lane], strip * Self.stripRows)
        let rows = top..<min(top + Self.stripRows, height)
        s.clear()
        var before: UInt64 = 0
        for (index, other) in others.enumerated() {
            add(other, to: reference, rows, s)
            let total = s.sumOfWeights(rows.count, width)
            totals[strip][index] = total - before
            before = total
        }
        for y in rows {
            let place = (y - top) * s.stride
            kernels.pointee.resolve_row(
                reference.row(y), s.total + place, s.weights + place, width, UInt32(Self.fullWeight), out.row(y))
        }
        for cellRow in top / 8..<(rows.upperBound + 7) / 8 {
            // Weights beyond the last column are none.
            kernels.pointee.sum_eights(
                s.weights + (8 * cellRow - top) * s.stride, s.stride, min(8, height - 8 * cellRow), cells.across,
                out.evidence.base + cellRow * cells.across)
        }
    }

    /// The mean weight of another frame in all strips, from 0 to 1, as some of their rows have it.
    func share(of other: Int) -> Double {
        let sum = totals.reduce(0) { $0 + $1[other] }
        let rows = (height + StripScratch.rowsToSample - 1) / StripScratch.rowsToSample
        return Double(sum) / Double(Self.fullWeight * width * rows)
    }

    /// Adds the other frame's rows: moves a row of cells, and weighs what that completes while it is in the cache.
    private func add(_ other: Other, to reference: SamplePlane, _ rows: Range<Int>, _ s: StripScratch) {
        s.clearSquares()
        // Two more rows on either side have a part in what surrounds a sample.
        var y = rows.lowerBound - 2
        while y < rows.upperBound + 2 {
            let within = min(max(y, 0), height - 1), cellRow = within / MotionField.cell * cells.across
            let count = y < 0 || y >= height ? 1 : min(8 - y % 8, rows.upperBound + 2 - y, height - y)
            kernels.pointee.warp_differences(
                reference.row(within), reference.stride, other.plane.row(within), other.plane.stride, cells.across,
                count, other.field.motion.base + 2 * cellRow, s.differences(y), s.stride)
            kernels.pointee.sum_squares(
                s.differences(y), s.stride, cells.across, count, scales.base + cellRow, limits.base + cellRow,
                s.squares, s.sums)
            s.repeatSums(count, width: width)
            weigh(other.field, max(y - 2, rows.lowerBound)..<max(y - 2 + count, rows.lowerBound), y - 2, rows, s)
            y += count
        }
    }

    /// Weighs rows whose surroundings are known; the sums begin with those of the row `first`.
    private func weigh(_ field: MotionField, _ known: Range<Int>, _ first: Int, _ rows: Range<Int>, _ s: StripScratch) {
        var y = known.lowerBound
        while y < known.upperBound {
            let count = min(8 - y % 8, known.upperBound - y), place = (y - rows.lowerBound) * s.stride
            kernels.pointee.add_weighted(
                s.differences(y), s.sums + (y - first) * s.stride - 2, s.stride, width, count,
                field.share.base + y / MotionField.cell * cells.across, Self.full, Self.none, s.total + place,
                s.weights + place)
            y += count
        }
    }
}
