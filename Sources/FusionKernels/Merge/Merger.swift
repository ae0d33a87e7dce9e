// SPDX-License-Identifier: MIT
// Robust merging: the other frames' samples, weighted by how well they agree with the reference.

import LivecapCFusionKernels

/// Merges planes of one size in strips that threads may share. It owns its working memory.
final class Merger: @unchecked Sendable {
    /// Rows merged at once, in whole cells. With several threads, strips are small enough to share out, and large
    /// enough that the two extra rows on either side cost little. A single thread has nothing to share, and uses
    /// strips as high as `totals` allow for the widest rows.
    static func stripRows(threads: Int) -> Int { threads > 1 ? 128 : 512 }
    /// The weight of a pair of samples that agrees fully: `none - full`, times a share of 65535/65536, rounded down.
    static let fullWeight = 2879
    /// The maximum number of other frames, limited by the 16-bit totals.
    static let maxOthers = 15
    /// The sum of squared differences that noise produces over a box of 6x5 samples, in units of (1/8 standard
    /// deviation)^2.
    private static let expected: Float = 1920
    /// A sample has full weight up to this many standard deviations of such a sum above what is expected: 1 3/8 times
    /// that for white noise. The sums of noise that neighbours share scatter more.
    private static let tolerated: Float = 1.45
    /// From the full weight on, it falls to none over 1 1/2 times the expected sum.
    private static let fall: UInt16 = 2880
    /// Noise as coarse as this, or coarser, is taken to have two independent samples per box.
    private static let coarsest: Float = 15
    /// The sum up to which the weight is full.
    private var full: UInt16 = 2640
    /// Scales a difference of one standard deviation to 8 (from Q5), so that the saturating sum of 30 squares fits 16
    /// bits.
    private static let unit: Float = 8 * 65536 / 32
    /// The largest difference, in eighths of a standard deviation; larger ones are held to it. In a clipped cell,
    /// where neighbours show no noise, a single sample at the limit is enough to exclude the frame: its square alone
    /// exceeds `none`.
    private static let usualLimit: Int16 = 56, clippedLimit: Int16 = 76

    private let kernels: UnsafePointer<fusion_kernels>
    private let width: Int
    private let height: Int
    private let stripRows: Int
    /// One per strip, so that it does not matter which thread processes which: the sum of each frame's weights, and
    /// in the last element the largest possible sum.
    private let totals: [Scratch<UInt32>]
    private let scratch: [StripScratch]
    /// For each cell, the factor that scales differences to units of 1/8 standard deviation.
    private let scales: Scratch<Int16>
    /// For each cell, the limit of the scaled differences.
    private let limits: Scratch<Int16>
    /// For each cell, whether it moved in any frame.
    private let isMoved: Scratch<Bool>
    private let cells: (across: Int, down: Int)

    /// Creates a merger of planes of `width` by `height` samples. Each lane (one thread at a time) has its own
    /// scratch, at least as wide as the plane, which other mergers may use at other times.
    init(width: Int, height: Int, scratch: [StripScratch], _ kernels: UnsafePointer<fusion_kernels>) {
        self.width = width
        self.height = height
        self.scratch = scratch
        self.kernels = kernels
        let stripRows = Self.stripRows(threads: scratch.count)
        self.stripRows = stripRows
        cells = ((width + 7) / 8, (height + 7) / 8)
        scales = Scratch(cells.across * cells.down, filledWith: 0)
        limits = Scratch(cells.across * cells.down, filledWith: 0)
        isMoved = Scratch(cells.across * cells.down, filledWith: false)
        totals = (0..<(height + stripRows - 1) / stripRows).map { _ in
            Scratch(Self.maxOthers + 1, filledWith: 0)
        }
    }

    /// The number of strips.
    var strips: Int { totals.count }

    /// The reference's plane, and the same plane in Q6 if its samples have fractions.
    typealias Own = (plane: SamplePlane, fine: FinePlane?)
    /// Another frame's plane, the same in Q6, and the motion of its cells.
    typealias Other = (plane: SamplePlane, fine: FinePlane?, field: MotionField)

    /// Sets the differences that are expected in all strips. `places` knows where noise is stronger.
    func expect(_ noise: KnownNoise, places: PlaceNoise, others: [Other]) {
        let (variance, limits, scales) = (noise.model.variance, limits.base, scales.base)
        let spectrum = noise.model.spectrum
        let likeness = min(Self.coarsest, spectrum.reduce(0) { $0 + $1 * $1 } / Float(spectrum.count))
        full = UInt16(Self.expected * (1 + Self.tolerated * (2 * likeness / 30).squareRoot()))
        func scale(_ code: Int, _ share: Float) -> Int16 {
            // Both samples contribute noise. Below a standard deviation of about 0.8 codes, rounding dominates the
            // differences.
            Int16(Self.unit / max(0.64, 2 * share * variance[code]).squareRoot())
        }
        /// Of fewer samples with noise, the sum scatters more about what is expected.
        func noisy(_ share: Float) -> Float {
            func most(_ count: Float) -> Float { 1 + Self.tolerated * (2 * likeness / count).squareRoot() }
            return share <= 0 ? 0 : min(1, share * most(30 * share) / most(30))
        }
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: NoiseModel.levels) { usual in
            for code in usual.indices { usual[code] = scale(code, 1) }
            for y in 0..<cells.down {
                for x in 0..<cells.across {
                    let code = noise.code(x, y), cell = y * cells.across + x, share = noise.noisyShare(x, y)
                    limits[cell] = share < 1 ? Self.clippedLimit : Self.usualLimit
                    scales[cell] = share < 1 ? scale(code, noisy(share)) : usual[code]
                }
            }
        }
        if noise.model.dependsOnSlopes || places.dependsOnPlace { allow(noise, places: places, others: others) }
    }

    /// Expects larger differences where noise is stronger: where the picture is steep, if the camera stands still, and
    /// where the frames differ among themselves. What moved on its own differs at edges for other reasons than noise,
    /// too.
    private func allow(_ noise: KnownNoise, places: PlaceNoise, others: [Other]) {
        let dependsOnSlopes = noise.model.dependsOnSlopes
        if dependsOnSlopes { findMoved(others) }
        let (scales, limits, across, factors) = (scales.base, limits.base, cells.across, places.factors.base)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: SlopeMap.placeCount) { table in
            let table = table.baseAddress!
            noise.model.writeSlopeFactors(to: table)
            for y in 0..<cells.down {
                for x in 0..<across {
                    let cell = y * across + x
                    var factor: Float = 1
                    if dependsOnSlopes {
                        factor = table[noise.slopes.most(x, y, noise.step)]
                        if !isStill(x, y) { factor = factor.squareRoot() }
                    }
                    if places.dependsOnPlace, limits[cell] == Self.usualLimit { factor = max(factor, factors[cell]) }
                    // Scales go with the reciprocal of the deviation.
                    if factor > 1 { scales[cell] = Int16(max(1, Float(scales[cell]) / factor.squareRoot())) }
                }
            }
        }
    }

    /// Marks the cells that moved by more than a quarter of a sample in any frame.
    private func findMoved(_ others: [Other]) {
        let isMoved = isMoved.base, count = cells.across * cells.down
        isMoved.update(repeating: false, count: count)
        for other in others {
            let motion = other.field.motion.base
            for cell in 0..<count where max(abs(motion[2 * cell]), abs(motion[2 * cell + 1])) > 2 {
                isMoved[cell] = true
            }
        }
    }

    /// Whether a cell and those around it are at the same place in all frames.
    private func isStill(_ x: Int, _ y: Int) -> Bool {
        for v in max(0, y - 1)...min(cells.down - 1, y + 1) {
            for u in max(0, x - 1)...min(cells.across - 1, x + 1) where isMoved.base[v * cells.across + u] {
                return false
            }
        }
        return true
    }

    /// Merges a strip. `light` has one element per other frame, or none if the plane's light is not known.
    func merge(
        _ reference: Own, _ others: [Other], light: [LocalLight], strip place: Int, lane: Int, into out: MergedPlane
    ) {
        let rows = place * stripRows..<min((place + 1) * stripRows, height)
        let cellRows = rows.lowerBound / MotionField.cell..<(rows.upperBound + MotionField.cell - 1) / MotionField.cell
        (out.evidence.base + cellRows.lowerBound * cells.across).update(
            repeating: 0, count: cellRows.count * cells.across)
        totals[place].fill(0)
        scratch[lane].clearSquares(others.count)
        withUnsafeTemporaryAllocation(of: Moved.self, capacity: others.count) { moved in
            for (index, other) in others.enumerated() { moved[index] = Moved(other) }
            let strip = Strip(
                reference: reference, others: moved, light: light, scratch: scratch[lane],
                totals: totals[place].base, out: out)
            // Each sample's box also includes two rows above and below it.
            var y = rows.lowerBound - 2
            while y < rows.upperBound + 2 {
                let count = y < 0 || y >= height ? 1 : min(8 - y % 8, rows.upperBound + 2 - y, height - y)
                // The rows whose boxes are complete after this step.
                let known = max(y - 2, rows.lowerBound)..<max(y - 2 + count, rows.lowerBound)
                var seen = 0
                for block in Swift.stride(from: 0, to: cells.across, by: StripScratch.blockCells) {
                    // A block also depends on cells to its right: four, as the kernels process that many at once.
                    let new = seen..<max(seen, min(cells.across, block + StripScratch.blockCells + 4))
                    seen = new.upperBound
                    if !new.isEmpty { compare(Part(cells: new, y: y, rows: count, of: height), of: strip) }
                    weigh(block, rows: known, first: y - 2, of: strip)
                }
                y += count
            }
        }
    }

    /// What is merged into a strip, and where.
    private struct Strip {
        let reference: Own
        let others: UnsafeMutableBufferPointer<Moved>
        let light: [LocalLight]
        let scratch: StripScratch
        let totals: UnsafeMutablePointer<UInt32>
        let out: MergedPlane
    }

    /// Some cells of a row of cells, and some of their rows of samples.
    private struct Part {
        let cells: Range<Int>
        /// The first row, which may lie outside the plane, where the edge is repeated: `within` is the row there.
        let y: Int
        let within: Int
        let rows: Int

        init(cells: Range<Int>, y: Int, rows: Int, of height: Int) {
            self.cells = cells
            self.y = y
            self.rows = rows
            within = min(max(y, 0), height - 1)
        }

        /// The first sample of the cells.
        var x: Int { MotionField.cell * cells.lowerBound }
        /// The index of the first cell in a plane with rows of `across` cells.
        func first(_ across: Int) -> Int { within / MotionField.cell * across + cells.lowerBound }
    }

    /// The mean weight of another frame, from 0 to 1, sampled in some rows of all strips.
    func share(of other: Int) -> Double {
        let (sum, all) = totals.reduce((UInt64(0), UInt64(0))) {
            ($0.0 + UInt64($1[other]), $0.1 + UInt64($1[Self.maxOthers]))
        }
        return Double(sum) / Double(all)
    }

    /// Pointers to another frame's samples and its field's cells, for use block by block. The burst and the motion
    /// stage keep the memory alive.
    private struct Moved: BitwiseCopyable {
        let samples: UnsafeMutablePointer<UInt8>
        let stride: Int
        /// The samples in Q6, with the stride of the reference's, if they have fractions.
        let fine: UnsafeMutablePointer<Int16>?
        let motion: UnsafeMutablePointer<Int16>
        let share: UnsafeMutablePointer<UInt16>

        init(_ other: Other) {
            samples = other.plane.base
            stride = other.plane.stride
            fine = other.fine?.base
            motion = other.field.motion.base
            share = other.field.share.base
        }
    }

    /// Aligns a part of all frames with the reference, and sums up the squares of the differences.
    private func compare(_ part: Part, of strip: Strip) {
        let (plane, s) = (strip.reference.plane, strip.scratch)
        if strip.reference.fine == nil {
            kernels.pointee.merge.widen_codes(
                plane.row(part.within) + part.x, plane.stride, MotionField.cell * part.cells.count, part.rows,
                s.reference.base + part.x, s.stride)
        }
        for place in strip.others.indices {
            let differences = s.differences(place, part.y) + part.x
            align(strip.others[place], part, of: strip, into: differences)
            if !strip.light.isEmpty {
                strip.light[place].takeOff(
                    differences, s.stride, cells: part.cells, of: part.within / MotionField.cell, rows: part.rows)
            }
            addUp(differences, of: place, part, in: s)
        }
    }

    /// Writes the differences of another frame's cells, moved to the reference.
    private func align(_ other: Moved, _ part: Part, of strip: Strip, into differences: UnsafeMutablePointer<Int16>) {
        let (s, x, first) = (strip.scratch, part.x, part.first(cells.across))
        if let own = strip.reference.fine, let fine = other.fine {
            kernels.pointee.merge.warp_fine_differences(
                own.row(part.within) + x, fine + part.within * own.stride + x, own.stride, part.cells.count, part.rows,
                other.motion + 2 * first, differences, s.stride)
        } else {
            var moved = fusion_warp_parameters(
                reference: s.reference.base + x, reference_stride: s.stride,
                src: other.samples + part.within * other.stride + x, stride: other.stride, cells: part.cells.count,
                rows: part.rows, motion: other.motion + 2 * first, out: differences, out_stride: s.stride)
            kernels.pointee.merge.warp_differences(&moved)
        }
    }

    /// Sums up the squares of a frame's differences.
    private func addUp(
        _ differences: UnsafeMutablePointer<Int16>, of place: Int, _ part: Part, in s: StripScratch
    ) {
        let (x, first, rows) = (part.x, part.first(cells.across), part.rows)
        kernels.pointee.merge.sum_squares(
            differences, s.stride, part.cells.count, rows, scales.base + first, limits.base + first,
            s.squares(place) + 2 * x, s.sums(place, row: 0) + x / 2)
        // The sums at the left and right edges of the plane are repeated beyond them.
        if part.cells.lowerBound == 0 {
            for row in 0..<rows { s.repeatSum(place, row: row, from: 0, to: -1) }
        }
        if part.cells.upperBound == cells.across {
            let pairs = (width + 1) / 2
            for row in 0..<rows { s.repeatSum(place, row: row, from: pairs - 1, to: pairs) }
        }
    }

    /// Merges a block's rows whose boxes are complete. The sums start with row `first`.
    private func weigh(_ block: Int, rows known: Range<Int>, first: Int, of strip: Strip) {
        let (reference, s, out, totals) = (strip.reference, strip.scratch, strip.out, strip.totals)
        let count = min(StripScratch.blockCells, cells.across - block), x = MotionField.cell * block
        let samples = min(MotionField.cell * count, width - x)
        var y = known.lowerBound
        while y < known.upperBound {
            let rows = min(8 - y % 8, known.upperBound - y), at = y / MotionField.cell * cells.across + block
            let shares = s.shares.base
            for place in strip.others.indices {
                let share = strip.others[place].share + at
                // Most blocks are whole; a function call would take longer than this copy.
                if count == StripScratch.blockCells {
                    let all = UnsafeRawPointer(share).loadUnaligned(as: SIMD16<UInt16>.self)
                    UnsafeMutableRawPointer(shares + place * count).storeBytes(of: all, as: SIMD16<UInt16>.self)
                } else {
                    (shares + place * count).update(from: share, count: count)
                }
            }
            // Where samples have fractions, the kernel adds what it merged to mid-grey, which is then replaced by them.
            let (codes, stride) =
                reference.fine == nil
                ? (reference.plane.row(y) + x, reference.plane.stride) : (s.midGrey.base, 0)
            var merged = fusion_merge_parameters(
                reference: codes, reference_stride: stride,
                difference: s.differences(0, y) + x, sums: s.sums(0, row: y - first) + x / 2 - 1, stride: s.stride,
                apart: s.apart, others: strip.others.count, share: shares, count: samples, rows: rows, full: full,
                none: full + Self.fall, own_weight: UInt32(Self.fullWeight), out: out.row(y) + x,
                out_stride: out.stride, evidence: out.evidence.base + at, totals: totals)
            kernels.pointee.merge.merge_rows(&merged)
            if let fine = reference.fine { out.replaceMidGrey(fine, y..<y + rows, x..<x + samples) }
            // What the sum of one frame's weights would be if all were full.
            totals[Self.maxOthers] += UInt32(Self.fullWeight * ((samples + 1) / 2))
            y += rows
        }
    }
}
