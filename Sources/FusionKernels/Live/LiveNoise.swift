// SPDX-License-Identifier: MIT
// The noise of a stream, measured on what remains between frames and what was remembered.

import LivecapCFusionKernels

/// The noise of one plane of a stream: its variance at each brightness, and how many times larger it is where the
/// picture is steep. It is measured with every frame at first, then with every other one, and followed slowly.
///
/// In each cell of 8x8 samples, the variance of the differences is that of noise alone, unless something moved or was
/// aligned badly. Most of a picture is neither, so a low quantile over the cells of a brightness is the noise, whatever
/// its correlation.
final class LiveNoise: @unchecked Sendable {
    /// Ranges of brightness, of 16 codes each.
    private static let bins = 16
    /// Ranges of slopes: up to a code per sample, then twice as steep each.
    private static let steeps = 8
    /// The sum of the slopes of a cell at one code per sample: 112 slopes in eighths of a code.
    private static let unitSlope: Int32 = 896
    /// The largest factor for steep cells.
    private static let most: Float = 16
    /// Fewer cells than this say nothing, or fewer than a sixteenth of all in a small picture.
    private static let fewest: Float = 24
    /// How far the mean of a cell may be off until it counts less, and from where on it counts for nothing: squared
    /// standard deviations of the means of noise.
    private static let near: Float = 9, far: Float = 20
    /// What turns differences into eighths of a standard deviation is this many times larger where the mean is far off.
    private static let refusal: Float = 4
    /// The share of cells whose squared mean is below that of its quantile of noise, relative to the variance of means.
    private static let meanQuantile: Float = 0.275
    /// The share of what steep cells vary more that comes from their past's not being quite in its place. The rest is
    /// noise: cameras sharpen it at edges, too.
    private static let displaced: Float = 0.4
    /// The differences of cells that rest count this many times: all that varies there is noise, which scatters widely,
    /// most of all at edges. With 1, `passing` gains 1.2 dB less.
    private static let resting: Float = 0.8
    /// The noise of rounding to codes, in squared codes.
    private static let least: Float = 0.08
    /// The number of frames after which noise is measured half as often.
    private static let settled = 16
    /// A new measurement changes what was known by at least this share of the difference.
    private static let slowest: Float = 0.1

    private let byLight = VarianceCounts(groups: bins)
    private let bySlope = VarianceCounts(groups: steeps)
    /// The variance in squared codes; 0 where it is not known.
    private let known = Scratch<Float>(bins, filledWith: 0)
    /// How many frames a bin was measured on.
    private let ages = Scratch<Int32>(bins, filledWith: 0)
    /// How many times larger the variance of steep cells is, and how many frames that was measured on.
    private let factors = Scratch<Float>(steeps, filledWith: 1)
    private let factorAges = Scratch<Int32>(steeps, filledWith: 0)
    /// The variance at each code.
    let variance = Scratch<Float>(256, filledWith: 0)
    /// For each range of slopes, and each code in it, `4096 / sigma`.
    private let scales = Scratch<Int16>(256 * steeps, filledWith: .max)
    private let ofMeans = VarianceCounts(groups: 1)
    /// How many times larger the variance of means over cells is than if noise were not correlated.
    private var coarseness: Float = 1
    private var coarsenessAge = 0
    /// How many frames there were.
    private var frames = 0
    private(set) var isKnown = false

    func forget() {
        known.fill(0)
        ages.fill(0)
        factors.fill(1)
        factorAges.fill(0)
        (coarseness, coarsenessAge, frames) = (1, 0, 0)
        isKnown = false
    }

    /// Takes the spread of a plane's cells. `light` has the brightness of each cell; cells are `apart` samples of it
    /// apart.
    func measure(_ plane: LivePlane, _ field: MotionField, _ light: LevelView, apart: (x: Int, y: Int)) {
        frames += 1
        guard frames <= Self.settled || frames % 2 == 0 else { return }
        let step = plane.across * plane.down > 4096 ? 2 : 1
        let fewest = max(4, min(Self.fewest, Float(plane.across * plane.down / (16 * step))))
        byLight.clear()
        forEachCell(plane, field: field, light: light, apart: apart, step: step) { code, steep, variance, _ in
            byLight.count(variance / factors.base[steep], in: code >> 4)
        }
        for bin in 0..<Self.bins { learn(bin, fewest) }
        spreadOut()
        guard isKnown else { return }
        bySlope.clear()
        ofMeans.clear()
        forEachCell(plane, field: field, light: light, apart: apart, step: step) { code, steep, variance, mean in
            let usual = self.variance.base[code]
            bySlope.count(variance / usual, in: steep)
            ofMeans.count(64 * mean * mean / (usual * factors.base[steep]), in: 0)
        }
        for steep in 0..<Self.steeps { learnFactor(steep, fewest) }
        if let found = ofMeans.quantile(0, fewest: fewest) {
            coarsenessAge += 1
            let held = min(max(found / Self.meanQuantile, 1), 32)
            coarseness += (held - coarseness) * max(Self.slowest, 1 / Float(coarsenessAge))
        }
        writeScales()
    }

    /// Calls `body` with the brightness, the slope and the variance of cells, and the mean of their differences.
    @inline(__always)
    private func forEachCell(
        _ plane: LivePlane, field: MotionField, light: LevelView, apart: (x: Int, y: Int), step: Int,
        body: (Int, Int, Float, Float) -> Void
    ) {
        for y in 0..<plane.height / 8 {
            let row = light.row(min(y * apart.y, light.height - 1))
            let spread = plane.spread.base + 3 * y * plane.scaleStride, share = field.share.base + y * plane.across
            let doubts = plane.present(8 * y + 4).doubt + 4
            for x in Swift.stride(from: y % step, to: plane.width / 8, by: step) where share[x] > 0 {
                let sum = Float(spread[3 * x]), squares = Float(spread[3 * x + 1])
                let noisier = 1 + Float(doubts[8 * x]) / 255
                let variance = max(0, squares - sum * sum / 64) / (63 * 256 * noisier)
                body(
                    min(255, Int(row[min(x * apart.x, light.width - 1)]) >> 4), Self.steep(spread[3 * x + 2]), variance,
                    sum / (64 * 16 * noisier.squareRoot()))
            }
        }
    }

    /// Whether a cell has not moved. An eighth of a sample is what noise makes of standing still.
    @inline(__always)
    private static func rests(_ motion: UnsafePointer<Int16>) -> Bool { max(abs(motion[0]), abs(motion[1])) <= 1 }

    /// Whether a cell has moved, and not by whole samples.
    @inline(__always)
    private static func isBetween(_ motion: UnsafePointer<Int16>) -> Bool {
        (motion[0] | motion[1]) & 7 != 0 && !rests(motion)
    }

    /// The range of a cell's slopes.
    @inline(__always)
    private static func steep(_ slopes: Int32) -> Int {
        min(steeps - 1, Int32.bitWidth - (slopes / unitSlope).leadingZeroBitCount)
    }

    private func learn(_ bin: Int, _ fewest: Float) {
        guard var found = byLight.quantile(bin, fewest: fewest) else { return }
        found = max(Self.least, found)
        let old = known[bin], age = ages[bin]
        // Something that moves all over the picture is not its noise.
        if age >= 4 { found = min(found, 1.5 * old) }
        known[bin] = age == 0 ? found : old + (found - old) * max(Self.slowest, 1 / Float(age + 1))
        ages[bin] = age + 1
    }

    private func learnFactor(_ steep: Int, _ fewest: Float) {
        guard let found = bySlope.quantile(steep, fewest: fewest) else { return }
        let held = min(max(found, 0.5), Self.most), age = factorAges[steep]
        factors[steep] += (held - factors[steep]) * max(Self.slowest, 1 / Float(age + 1))
        factorAges[steep] = age + 1
    }

    /// Fills in the variance at every code from the brightnesses at which it is known.
    private func spreadOut() {
        var first = -1, last = -1
        for bin in 0..<Self.bins where known[bin] > 0 {
            if first < 0 { first = bin }
            last = bin
        }
        isKnown = first >= 0
        guard isKnown else { return }
        var below = first, above = first
        for code in 0..<256 {
            let place = (Float(code) - 7.5) / 16
            while above < last && Float(above) < place {
                below = above
                repeat { above += 1 } while known[above] == 0
            }
            let share = above > below ? min(max((place - Float(below)) / Float(above - below), 0), 1) : 0
            variance[code] = known[below] + (known[above] - known[below]) * share
        }
    }

    private func writeScales() {
        for steep in 0..<Self.steeps {
            let out = scales.base + 256 * steep, factor = factors[steep]
            for code in 0..<256 { out[code] = Int16(min(32767, 4096 / (variance.base[code] * factor).squareRoot())) }
        }
    }

    /// Writes the scale of each of a plane's cells. Where the mean of a cell is off by more than noise explains, so
    /// faint or smooth a difference that single samples do not show it, the scale is larger, so that the past counts
    /// less.
    ///
    /// The past of steep cells that move by parts of a sample is more doubtful, too, because it is not quite in its
    /// place; and their neighbours are not taken to differ by so much. Where nothing moves, all that varies is noise.
    func scale(_ plane: LivePlane, _ field: MotionField, _ light: LevelView, apart: (x: Int, y: Int)) {
        let (scales, factors, variance) = (scales.base, factors.base, variance.base)
        let lastRow = max(0, plane.height / 8 - 1), lastCell = max(0, plane.width / 8 - 1)
        for y in 0..<plane.down {
            let row = light.row(min(y * apart.y, light.height - 1)), out = plane.scale.base + y * plane.scaleStride
            let spread = plane.spread.base + 3 * min(y, lastRow) * plane.scaleStride
            let doubts = plane.present(min(8 * min(y, lastRow) + 4, plane.height - 1)).doubt + 4
            let motion = field.motion.base + 2 * y * plane.across
            let excess = plane.excess.base + y * plane.scaleStride
            let neighbours = plane.neighbourScale.base + y * plane.scaleStride
            for x in 0..<plane.scaleStride {
                let code = min(255, Int(row[min(x * apart.x, light.width - 1)]) >> 4), from = min(x, lastCell)
                let steep = Self.steep(spread[3 * from + 2]), mean = Float(spread[3 * from]) / (64 * 16)
                let noisier = 1 + Float(doubts[8 * from]) / 255
                let usual = variance[code] * factors[steep] * coarseness * noisier, off = 64 * mean * mean
                let own = motion + 2 * min(x, plane.across - 1)
                var counting = Self.rests(own) ? Self.resting : 1
                if off > Self.near * usual {
                    let share = min((off / usual - Self.near) / (Self.far - Self.near), 1)
                    counting *= 1 + (Self.refusal - 1) * share
                }
                out[x] = Int16(min(32767, Float(scales[256 * steep + code]) * counting))
                let moves = Self.isBetween(own)
                neighbours[x] = moves ? scales[code] : scales[256 * steep + code]
                excess[x] = moves ? UInt16(255 * Self.displaced * max(0, factors[steep] - 1)) : 0
            }
        }
    }

    /// Writes the scale of each of a plane's cells when nothing is known of their slopes.
    func scaleAlone(_ plane: LivePlane, _ light: LevelView, apart: (x: Int, y: Int)) {
        for y in 0..<plane.down {
            let row = light.row(min(y * apart.y, light.height - 1)), out = plane.scale.base + y * plane.scaleStride
            for x in 0..<plane.scaleStride {
                out[x] = scales.base[min(255, Int(row[min(x * apart.x, light.width - 1)]) >> 4)]
                plane.neighbourScale.base[y * plane.scaleStride + x] = out[x]
            }
        }
    }
}

/// Counts variances in groups, to find quantiles.
private final class VarianceCounts: @unchecked Sendable {
    /// Steps of variance: four for each factor of two, the first one from 2^-6.
    private static let steps = 64
    private static let firstStep: UInt32 = (127 - 6) << 2
    /// The share of cells that vary less than noise alone would make them, and what makes up for its being below a
    /// half.
    private static let share: Float = 0.4, correction: Float = 1.07
    private let counts: Scratch<Int32>

    init(groups: Int) { counts = Scratch(groups * Self.steps, filledWith: 0) }

    func clear() { counts.fill(0) }

    @inline(__always)
    func count(_ variance: Float, in group: Int) {
        let place = (max(variance, 1 / 64).bitPattern >> 21) &- Self.firstStep
        counts.base[group * Self.steps + min(Int(place), Self.steps - 1)] += 1
    }

    /// The variance of noise in a group; nil if it has fewer than `fewest` cells.
    func quantile(_ group: Int, fewest: Float) -> Float? {
        let counts = counts.base + group * Self.steps
        var total: Float = 0
        for step in 0..<Self.steps { total += Float(counts[step]) }
        guard total >= fewest else { return nil }
        var left = total * Self.share, step = 0
        while step < Self.steps - 1 && left > Float(counts[step]) {
            left -= Float(counts[step])
            step += 1
        }
        let low = Float(bitPattern: (UInt32(step) + Self.firstStep) << 21)
        let high = Float(bitPattern: (UInt32(step) + 1 + Self.firstStep) << 21)
        return (low + (high - low) * left / max(1, Float(counts[step]))) * Self.correction
    }
}
