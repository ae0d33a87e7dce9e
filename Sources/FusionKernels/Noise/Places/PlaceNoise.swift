// SPDX-License-Identifier: MIT
// How strong noise is at each place, from how far the frames differ there among themselves.

import LivecapCFusionKernels

/// Finds, for each cell of a plane, how much stronger its noise is than `NoiseModel` says for its brightness: at edges,
/// which cameras do not smooth; and in what moves, behind a filter over time.
///
/// The evidence is the variance among the *other* frames, moved to the reference. Whatever sets the reference apart
/// from all of them is not in it. Nor is the light: only how samples differ from their frame's mean in the cell counts.
/// With the means, the bands of a lamp were taken for noise, and frames of other brightness were merged (windows of
/// `laptop` with `bands=0.2` lost 20 dB). Two more things are in it, besides noise:
///
/// - *Misfit*: what lies between samples is read wrongly, in each frame in another way. It is known from how fine the
///   detail is, and how far from whole samples the frames were moved. What it may explain does not count as noise.
/// - *Motion* that was not followed. It is held off by the majority: the medians of cells with similar slopes are
///   taken first, and no cell may have much more than those.
///
/// White noise, whatever the picture, gives factors of 1. One plane's cells may be measured by several threads, in
/// rows.
final class PlaceNoise: @unchecked Sendable {
    /// The fewest other frames that say anything about each other.
    static let fewestFrames = 3
    /// How many cells are measured to learn whether noise differs by place at all.
    private static let sampled = 800
    /// The fewest cells of one slope, and in calm places, from which a median is taken.
    private static let fewestCells = 12, fewestCalm = 48
    /// Only cells at least this steep count: on flatter ones, motion of faint things looks like noise.
    private static let leastPlace = SlopeMap.steps
    /// Steps on the scale of slopes below which what is measured counts as calm: slopes from 1 to 5.7 codes per pixel.
    /// Flatter cells are not measured, and are taken to be like these.
    private static let calmSteps = 4
    /// If more than this share of the cells is at least as steep as this step (8 codes per pixel), the picture is one
    /// texture. It may be misaligned everywhere, for example by one of its periods, and medians would not show it.
    private static let textured: (share: Float, step: UInt8) = (0.8, 4)
    /// Medians count as those of plain noise up to this, because they scatter; and in calm places up to `calmMargin`,
    /// because that factor applies everywhere.
    private static let margin: Float = 1.1, calmMargin: Float = 1.2
    /// What limits a plane's medians, and its cells' factors.
    struct Bounds {
        /// The largest credible median.
        var median: Float
        /// The largest credible ratio of the median to the lower quartile: noise is what cells of like slope share,
        /// and misfit scatters.
        var spread: Float?
        /// How many times the median's excess over `margin` a cell's may be, if it moved between samples, and if it did
        /// not.
        var moved: Float
        var still: Float
        /// Whether frames at the same phase of the mosaic are looked for.
        var looksForPhase: Bool

        /// With `moved` at 6, what passes in front of `webcam` left a mark (2.1 dB in one window); with 3, `night`
        /// gains 0.1 dB less.
        static let brightness = Bounds(median: 12, spread: nil, moved: 4, still: 8, looksForPhase: true)
        /// A colour mosaic draws false colours at fine edges, other ones in each frame. With the bounds of brightness,
        /// they are taken for noise, and the chroma of `good` is 4 dB worse. Where colour has more noise at edges
        /// (`laptop`, `dim`, `night`), medians are 1.1 to 2, and at most 1.5 times the lower quartile.
        static let chroma = Bounds(median: 2, spread: 1.5, moved: 1, still: 8, looksForPhase: false)
    }
    /// The share of the misfit predicted by fourth differences that is taken off where misfit is weak, and where it is
    /// strong. The prediction may be wrong by a factor of two: lenses blur the finest detail, for which it is too high,
    /// and the frames' mean, from which it comes, has lost some of it. Where misfit is far above noise, half of it
    /// would still be taken for noise. With 0.75 everywhere, windows of `good` lose 1.3 dB; with 1.5 everywhere,
    /// `laptop` gains 0.15 dB less.
    private static let misfitShare: (weak: Float, strong: Float) = (1, 1.5)
    /// How many times the noise a misfit is that counts as half strong.
    private static let strongMisfit: Float = 8
    /// Below this variance, in squared codes, the merge expects no smaller differences.
    private static let leastVariance: Float = 0.32
    /// Differences are clamped to this many standard deviations, so that no single sample decides.
    private static let outlier: Float = 7

    private let kernels: UnsafePointer<fusion_kernels>
    private let bounds: Bounds
    private let width: Int
    private let height: Int
    let across: Int
    let down: Int
    /// For each cell: how many times the model's variance was found; infinite where nothing was measured.
    private let found: Scratch<Float>
    /// For each cell: the step of its slope, and whether it moved between samples in any frame.
    private let steps: Scratch<UInt8>
    private let isBetween: Scratch<Bool>
    /// For each cell: how many times the model's variance frames differ by, misfit and all. Valid where `found` is.
    private let spreads: Scratch<Float>
    /// Of brightness alone: chroma gains less than 0.01 dB by it.
    private let phase: MatchedPhase?
    /// For each cell: by how much its noise is stronger, at least 1. Valid if `dependsOnPlace`.
    let factors: Scratch<Float>
    /// The medians of cells of each step.
    private var medians = [Float](repeating: 1, count: NoiseModel.slopeSteps)
    private var calm: Float = 1
    private let sorted: Scratch<Float>
    /// Whether a row of cells is one to learn from.
    let isSampled: Scratch<Bool>
    private let interpolation = InterpolationResponse()
    /// For each pair of eighths of a sample, the share of the noise that reading there keeps.
    private var kept = [Float](repeating: 1, count: 64)
    /// The share of the noise that is in the mean of a cell.
    private var ofMean: Float = 0
    /// The least share of the noise that is assumed to be in how a cell's samples differ from their mean.
    private static let leastKept: Float = 0.1
    /// For each eighth of a sample, the share of a fourth difference's square that reading there gets wrong; 1 is the
    /// mean over all eighths.
    private static let misread: [Float] = [0, 0.293, 1, 1.707, 2, 1.707, 1, 0.293]
    private(set) var dependsOnPlace = false

    init(width: Int, height: Int, _ bounds: Bounds, _ kernels: UnsafePointer<fusion_kernels>) {
        self.width = width
        self.height = height
        self.bounds = bounds
        self.kernels = kernels
        across = (width + 7) / 8
        down = (height + 7) / 8
        found = Scratch(across * down, filledWith: .infinity)
        steps = Scratch(across * down, filledWith: 0)
        isBetween = Scratch(across * down, filledWith: false)
        spreads = Scratch(across * down, filledWith: 1)
        phase = bounds.looksForPhase ? MatchedPhase(cells: across * down) : nil
        factors = Scratch(across * down, filledWith: 1)
        sorted = Scratch(across * down, filledWith: 0)
        isSampled = Scratch(down, filledWith: false)
    }

    /// What is measured: a plane of the reference, what is known of its noise, and the other frames.
    struct Subject {
        let reference: SamplePlane
        let noise: KnownNoise
        let others: [Merger.Other]
    }

    /// Prepares for a burst.
    func begin(_ noise: NoiseModel) {
        let apart = max(1, across * down / Self.sampled)
        for row in 0..<down { isSampled[row] = row % apart == apart / 2 }
        for place in kept.indices {
            kept[place] = interpolation.of(noise.spectrum, across: place & 7, down: place >> 3)
        }
        ofMean = noise.spectrum[0] / 64
        dependsOnPlace = false
    }

    /// Cells side by side that are measured at once.
    private static let run = 16
    /// How many numbers a lane needs to work with: a run of the reference, and of each other frame.
    static let scratchCount = (Merger.maxOthers + 1) * 64 * run

    /// Measures a row of cells if it is one of those to learn from. Whole rows, because memory is fast in order.
    func sample(_ subject: Subject, row: Int, _ scratch: Scratch<Int16>) {
        (found.base + row * across).update(repeating: .infinity, count: across)
        phase?.clear(row * across..<(row + 1) * across)
        guard isSampled[row] else { return }
        for x in stride(from: 0, to: across, by: Self.run) { measure(subject, first: x, y: row, scratch: scratch) }
    }

    /// Learns from the sampled cells whether noise differs by place.
    func learn() {
        let found = found.base, steps = steps.base
        func median(of isTaken: (Int) -> Bool, fewest: Int) -> Float? {
            var count = 0
            for row in 0..<down where isSampled[row] {
                for cell in row * across..<(row + 1) * across where found[cell].isFinite && isTaken(Int(steps[cell])) {
                    sorted.base[count] = found[cell]
                    count += 1
                }
            }
            guard count >= fewest else { return nil }
            let median = sorted.base.median(of: count)
            return bounds.spread.map { min(median, max(1, $0 * sorted.base.smallest(count / 4, of: count))) } ?? median
        }
        for step in 1..<NoiseModel.slopeSteps {
            medians[step] = median(of: { $0 == step }, fewest: Self.fewestCells) ?? medians[step - 1]
            medians[step] = min(bounds.median, medians[step])
        }
        calm = median(of: { $0 < Self.calmSteps }, fewest: Self.fewestCalm) ?? 1
        calm = min(bounds.median, calm)
        if calm < Self.calmMargin { calm = 1 }
        guard !isTextured else { return }
        phase?.learn(steps: self.steps, across: across, sampled: isSampled)
        dependsOnPlace = calm > 1 || medians.contains { $0 > Self.margin } || phase?.isStronger == true
    }

    /// Whether nearly all of the sampled cells are steep.
    private var isTextured: Bool {
        var (steep, all) = (0, 0)
        for row in 0..<height / 8 where isSampled[row] {
            for x in 0..<width / 8 where steps[row * across + x] >= Self.textured.step { steep += 1 }
            all += width / 8
        }
        return Float(steep) > Self.textured.share * Float(all)
    }

    /// Measures the other cells of a row, and sets all of its factors.
    func finish(_ subject: Subject, row: Int, _ scratch: Scratch<Int16>) {
        for first in stride(from: 0, to: across, by: Self.run) {
            let cells = row * across + first..<row * across + min(first + Self.run, across)
            if !isSampled[row] { measure(subject, first: first, y: row, scratch: scratch) }
            for cell in cells {
                factors.base[cell] = calm
                guard found.base[cell].isFinite else { continue }
                let excess = max(0, medians[Int(steps.base[cell])] - Self.margin)
                let most = 1 + (isBetween.base[cell] ? bounds.moved : bounds.still) * excess
                factors.base[cell] = max(calm, min(most, found.base[cell]))
                guard let phase, phase.isStronger else { continue }
                let known = phase.limit(of: subject.noise.slopes, x: cell - row * across, y: row)
                factors.base[cell] = max(factors.base[cell], min(known, spreads.base[cell]))
            }
        }
    }

    /// Measures the cells of a run that are whole, steep enough and not clipped.
    private func measure(_ subject: Subject, first: Int, y: Int, scratch: Scratch<Int16>) {
        let count = min(Self.run, width / 8 - first), row = y * across
        guard count > 0, 8 * y + 8 <= height else { return }
        var isSteep = false
        for x in first..<first + count {
            let place = subject.noise.slopes.most(x, y, subject.noise.step)
            // Step 0 is not looked at.
            steps.base[row + x] = place < Self.leastPlace ? 0 : UInt8((place + SlopeMap.steps / 2) / SlopeMap.steps)
            isSteep = isSteep || steps.base[row + x] > 0
        }
        guard isSteep else { return }
        let rowStride = 8 * Self.run, apart = 8 * rowStride
        let own = scratch.base, differences = own + apart
        let samples = subject.reference.row(8 * y) + 8 * first
        kernels.pointee.merge.widen_codes(samples, subject.reference.stride, 8 * count, 8, own, rowStride)
        var frames = 0
        var misread = InlineArray<16, SIMD2<Float>>(repeating: .zero), kept = SIMD16<Float>.zero
        var motions = InlineArray<16, UnsafeMutablePointer<Int16>?>(repeating: nil)
        for other in subject.others {
            let share = other.field.share.base + row + first, motion = other.field.motion.base + 2 * (row + first)
            guard (0..<count).allSatisfy({ share[$0] > 0 }) else { continue }
            var moved = fusion_warp_parameters(
                reference: own, reference_stride: rowStride, src: other.plane.row(8 * y) + 8 * first,
                stride: other.plane.stride, cells: count, rows: 8, motion: motion,
                out: differences + apart * frames, out_stride: rowStride)
            kernels.pointee.merge.warp_differences(&moved)
            for cell in 0..<count {
                let (right, low) = (Int(motion[2 * cell]) & 7, Int(motion[2 * cell + 1]) & 7)
                misread[cell] += SIMD2(Self.misread[right], Self.misread[low])
                kept[cell] += self.kept[low * 8 + right]
            }
            motions[frames] = motion
            frames += 1
        }
        guard frames >= Self.fewestFrames else { return }
        // Of a camera that stands still, the model knows how noise depends on slopes.
        if let phase, isSampled[y], !subject.noise.model.dependsOnSlopes {
            for cell in 0..<count where steps.base[row + first + cell] > 0 {
                guard subject.noise.noisyShare(first + cell, y) == 1 else { continue }
                let own = MatchedPhase.Own(
                    samples: own + 8 * cell, stride: rowStride, noise: expected(subject.noise, first + cell, y))
                phase.look(at: row + first + cell, own, others: frames) { frame in
                    let motion = motions[frame]! + 2 * cell
                    return MatchedPhase.Other(
                        differences: differences + apart * frame + 8 * cell, motion: SIMD2(motion[0], motion[1]))
                }
            }
        }
        let number = Float(frames)
        for cell in 0..<count where steps.base[row + first + cell] > 0 {
            let x = first + cell
            guard subject.noise.noisyShare(x, y) == 1 else { continue }
            (spreads.base[row + x], found.base[row + x]) = strength(
                differences + 8 * cell, own: own + 8 * cell, frames: frames, misread: misread[cell] / number,
                kept: kept[cell] / number, noise: expected(subject.noise, x, y))
            isBetween.base[row + x] = misread[cell] != .zero
        }
    }

    /// The variance that the model expects in a cell.
    private func expected(_ noise: KnownNoise, _ x: Int, _ y: Int) -> Float {
        max(Self.leastVariance, noise.model.variance[noise.code(x, y)])
    }

    /// How many times as strong as `noise` what a cell's frames differ by is, and how many times the noise in it.
    private func strength(
        _ differences: UnsafePointer<Int16>, own: UnsafePointer<Int16>, frames: Int, misread: SIMD2<Float>,
        kept: Float, noise: Float
    ) -> (spread: Float, noise: Float) {
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: 4) { sums in
            let most = min(8191, Self.outlier * 32 * (2 * noise).squareRoot()), stride = 8 * Self.run
            kernels.pointee.merge.spread_sums(
                differences, stride, 8 * stride, frames, own, Int32(most), sums.baseAddress!)
            let frames = Float(frames), unit: Float = 32 * 32 * 64
            let spread = (Float(sums[0]) - Float(sums[1]) / frames) / (64 * unit * (frames - 1))
            // A fourth difference has 16 times the samples' contrast; half of the cell's places have one.
            let fine = SIMD2(Float(sums[2]), Float(sums[3])) / (unit / 2 * 256 * frames * frames)
            let misfit = (fine * misread).sum(), own = max(Self.leastKept, kept - ofMean) * noise
            let isStrong = misfit / (misfit + Self.strongMisfit * own)
            let share = Self.misfitShare.weak + (Self.misfitShare.strong - Self.misfitShare.weak) * isStrong
            return (spread / own, (spread - share * misfit) / own)
        }
    }
}
