// SPDX-License-Identifier: MIT
// Estimates a plane's noise from one frame alone.

import CFusionKernels

/// Finds the noise where the picture is even.
///
/// Tiles are taken in pairs of neighbours of like brightness: where one is among the evenest of its brightness, the other
/// is measured. So what is measured was not chosen for its own noise being weak, which would read low. A coefficient's
/// power is the mean over those tiles, with what stands far out of them cut off; it is measured at any place on JPEG's
/// grid, as it is denoised.
final class SingleFrameNoise: @unchecked Sendable {
    /// Ranges of brightness with a variance of their own.
    private static let ranges = 12
    /// The most tiles measured for one range; the fewest pairs a range is believed with.
    private static let mostTiles = 64, fewestPairs = 24
    /// Ranges so far from each other, a quarter of the scale, tell of each other's noise.
    private static let near = 3
    /// The least a sensor's tile varies, 4096 times its variance: a fiftieth of a squared code, which is less than rounding
    /// alone makes of any. What varies less was drawn into the picture, or is clipped.
    private static let leastSpread: UInt32 = 82
    /// What noise is told by, above that of rounding; and the most a camera's has, a deviation of 30 codes.
    static let leastVariance: Float = 0.5
    private static let mostVariance: Float = 900
    /// Where it is calm there may be so many times less than in all, as JPEG leaves it; and where there is still so much that
    /// JPEG would have left more elsewhere.
    private static let mostOfCalm: (quiet: Float, strong: Float) = (12, 3.8)
    /// What is more where it is calm is strong.
    private static let mostOfQuiet: Float = 4
    /// Steps of spread told apart: eight an octave.
    private static let steps = 256
    /// The mean of a squared normal number, those above 4 taken as 4.
    private static let cutMean = Float(0.93)

    /// A range of brightness: which of its pairs to measure, and what came of it.
    private struct Range {
        /// The spread up to which a tile counts as even.
        var limit = -1
        /// One in so many even pairs is measured; how many come before the next.
        var each = 1
        var untilNext = 0
        var measured = 0
        var isMostlyDetail = false
        /// The mean brightness of what was measured, in codes: many ranges are brighter at one end than at the other.
        var brightness = 0
        var variance: Float = 0
        /// What there is where it is calm, where that is far less.
        var calm = Float.infinity
        /// The variance before it was held to what is calm, or to another range.
        var most: Float = 0
    }

    /// Two tiles: the one to be measured, and the range and the step of spread of the one beside it, which is judged.
    private struct Pair {
        let tile: Int32
        /// Of `counts`.
        let bin: Int32
    }

    private let kernels: UnsafePointer<fusion_kernels>
    /// As many as the largest plane so far has.
    private var pairs = Scratch<Pair>(0, filledWith: Pair(tile: 0, bin: 0))
    private let ranges = Scratch<Range>(SingleFrameNoise.ranges, filledWith: Range())
    /// For each range how many tiles have which spread beside them.
    private let counts = Scratch<Int32>(SingleFrameNoise.ranges * SingleFrameNoise.steps, filledWith: 0)
    /// For each range the tiles to measure.
    private let chosen = Scratch<Int32>(SingleFrameNoise.ranges * SingleFrameNoise.mostTiles, filledWith: 0)
    private let powers = Scratch<SIMD8<Float>>(8 * SingleFrameNoise.mostTiles, filledWith: .zero)
    private let means = Scratch<SIMD8<Float>>(8 * SingleFrameNoise.ranges, filledWith: .zero)
    /// What each tile has in all, as measured and in order.
    private let energies = Scratch<Float>(SingleFrameNoise.mostTiles, filledWith: 0)
    private let ordered = Scratch<Float>(SingleFrameNoise.mostTiles, filledWith: 0)
    private let calmPlaces = CalmPlaces()
    private let scales = Scratch<Float>(NoiseModel.coefficients, filledWith: 0)

    init(kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        for place in 0..<NoiseModel.coefficients {
            let scale = CosineScale.of(place / 8, place % 8)
            scales[place] = 1 / (scale * scale)
        }
    }

    /// Estimates the noise of `plane`, whose tiles are known, into `model`. Where there is too little to see, there is no
    /// noise.
    func estimate(_ plane: SamplePlane, _ tiles: TileMeans, into model: inout NoiseModel) {
        measure(plane, tiles)
        conclude(into: &model)
    }

    /// The first half of that: what is there that may be noise.
    func measure(_ plane: SamplePlane, _ tiles: TileMeans) {
        let count = findPairs(tiles)
        for range in 0..<Self.ranges { ranges[range] = evenest(range) }
        for pair in 0..<count { chooseIfEven(pairs.base[pair]) }
        for range in 0..<Self.ranges { measure(range, plane, tiles) }
    }

    /// Whether it is as a sensor has it, at every brightness.
    var isWhite: Bool {
        var isSeen = false
        for range in 0..<Self.ranges where ranges[range].measured > 0 && ranges[range].variance > Self.leastVariance {
            guard SpectrumShape(means.base + 8 * range).isWhite else { return false }
            isSeen = true
        }
        return isSeen
    }

    /// What there may be at most at a brightness, as far as this frame can tell. The estimate itself may be far too low: JPEG
    /// leaves calm places in noise, and beside what is nearly clipped there is more.
    func most(at brightness: Double) -> Float {
        var (nearest, most) = (Double.infinity, Float(0))
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let distance = abs(Double(ranges[range].brightness) - brightness)
            if distance < nearest { (nearest, most) = (distance, ranges[range].most) }
        }
        return most
    }

    /// The second half: what of it is noise. Where `isWhite` is known of the same frame's noise otherwise, nothing else is.
    func conclude(isWhite: Bool = false, into model: inout NoiseModel) {
        distrustTexture(isWhite)
        distrustDetail()
        write(into: &model)
    }

    /// Fills in `pairs` and `counts`; returns how many pairs there are. Whether two tiles are one is as good as chance:
    /// all are written, and those that are none written over.
    private func findPairs(_ tiles: TileMeans) -> Int {
        let columns = tiles.width / TileMeans.tile & ~1, rows = tiles.height / TileMeans.tile
        let most = columns * ((rows + tiles.rowStep - 1) / tiles.rowStep) + 1
        if pairs.count < most { pairs = Scratch(most, filledWith: Pair(tile: 0, bin: 0)) }
        counts.fill(0)
        let (pairs, counts) = (pairs.base, counts.base)
        var count = 0
        for row in stride(from: 0, to: rows, by: tiles.rowStep) {
            let first = row * tiles.across
            let (brightness, spread) = (tiles.brightness.baseAddress! + first, tiles.spread.baseAddress! + first)
            for judged in 0..<columns {
                let other = judged ^ 1, code = Int(brightness[other])
                let bin = code &* Self.ranges / NoiseModel.levels &* Self.steps &+ Self.step(spread[judged])
                let isPair =
                    abs(Int(brightness[judged]) &- code) < 12 && min(spread[judged], spread[other]) >= Self.leastSpread
                pairs[count] = Pair(
                    tile: Int32(truncatingIfNeeded: first &+ other), bin: Int32(truncatingIfNeeded: bin))
                count &+= isPair ? 1 : 0
                counts[bin] &+= isPair ? 1 : 0
            }
        }
        return count
    }

    @inline(__always)
    private static func step(_ spread: UInt32) -> Int {
        min(max(Int(Float(spread &+ 1).bitPattern >> 20) &- 127 &* 8, 0), steps &- 1)
    }

    /// Which of a range's pairs are even: a tenth, but at least a dozen.
    private func evenest(_ range: Int) -> Range {
        let counts = counts.base + range * Self.steps
        var all = 0, even = 0, result = Range()
        for step in 0..<Self.steps { all += Int(counts[step]) }
        guard all >= Self.fewestPairs else { return result }
        let wanted = max(all / 10, 12)
        for step in 0..<Self.steps where even < wanted {
            even += Int(counts[step])
            result.limit = step
        }
        result.each = (even + Self.mostTiles - 1) / Self.mostTiles
        return result
    }

    @inline(__always)
    private func chooseIfEven(_ pair: Pair) {
        let bin = Int(pair.bin), range = bin / Self.steps, step = bin % Self.steps
        let state = ranges.base + range
        guard step <= state.pointee.limit else { return }
        if state.pointee.untilNext == 0 {
            chosen.base[range &* Self.mostTiles &+ state.pointee.measured] = pair.tile
            state.pointee.measured &+= 1
            state.pointee.untilNext = state.pointee.each
        }
        state.pointee.untilNext &-= 1
    }

    /// The mean powers of a range's tiles, what is above four times the mean cut off there, until that is its own mean.
    private func measure(_ range: Int, _ plane: SamplePlane, _ tiles: TileMeans) {
        let count = ranges[range].measured
        guard count > 0 else { return }
        var brightness = 0
        for index in 0..<count {
            let tile = Int(chosen[range * Self.mostTiles + index])
            brightness += Int(tiles.brightness[tile])
            // Every place on JPEG's grid that the denoiser's blocks have.
            let x = min(tile % tiles.across * 8 + index % 2 * 4, tiles.width - 8)
            let y = min(tile / tiles.across * 8 + index / 2 % 2 * 4, tiles.height - 8)
            let room = UnsafeMutableRawPointer(powers.base + 8 * index).assumingMemoryBound(to: Float.self)
            kernels.pointee.tile_powers(plane.row(y) + x, plane.stride, scales.base, room)
        }
        ranges[range].brightness = brightness / count
        let even = leaveOutDetail(range, count)
        ranges[range].isMostlyDetail = 2 * even < count
        ranges[range].measured = even
        var sum = Float(0)
        for place in 0..<8 {
            let powers = powers.base + place
            var mean = SIMD8<Float>.zero
            for index in 0..<even { mean += powers[8 &* index] }
            mean /= Float(even)
            for _ in 0..<4 {
                var cut = SIMD8<Float>.zero
                let most = mean * 4
                for index in 0..<even {
                    let power = powers[8 &* index]
                    cut += power.replacing(with: most, where: power .> most)
                }
                mean = cut / (Float(even) * Self.cutMean)
            }
            if place == 0 { mean[0] = mean[1] }
            means[8 * range + place] = mean
            sum += mean.sum()
        }
        ranges[range].variance = sum / Float(NoiseModel.coefficients)
        lookForCalm(range, plane, tiles)
    }

    /// Where what may be noise is no white noise: whether there is far less where it is calm.
    private func lookForCalm(_ range: Int, _ plane: SamplePlane, _ tiles: TileMeans) {
        let shape = SpectrumShape(means.base + 8 * range)
        guard ranges[range].variance > Self.leastVariance, shape.isCoarse, !shape.isWhiteBelow,
            plane.width >= 12 && plane.height >= 12
        else { return }
        calmPlaces.clear()
        for index in stride(from: 0, to: ranges[range].measured, by: 2) {
            let tile = Int(chosen[range * Self.mostTiles + index])
            let x = min(max(tile % tiles.across * 8, 2), plane.width - 10)
            let y = min(max(tile / tiles.across * 8, 2), plane.height - 10)
            calmPlaces.add(plane.row(y) + x, plane.stride)
        }
        let found = calmPlaces.variances
        let isStrong = found.calm > Self.mostOfQuiet
        // Quiet places may be what JPEG made of noise, or of detail.
        guard isStrong || !shape.isFlattened && !ranges[range].isMostlyDetail else { return }
        let most = isStrong ? Self.mostOfCalm.strong : Self.mostOfCalm.quiet
        if found.all > most * found.calm { ranges[range].calm = max(Self.leastVariance, found.calm) }
    }

    /// Moves those of a range's tiles to the front, and their powers, that have no more than 2.25 times what a quarter of
    /// all have: the others hold detail. Returns how many those are.
    private func leaveOutDetail(_ range: Int, _ count: Int) -> Int {
        for index in 0..<count {
            var sum = SIMD8<Float>.zero
            for place in 0..<8 { sum += powers.base[8 &* index &+ place] }
            // The mean brightness is no noise.
            energies[index] = sum.sum() - powers.base[8 &* index][0]
            ordered[index] = energies[index]
        }
        let most = 2.25 * ordered.base.smallest(count / 4, of: count)
        var even = 0
        for index in 0..<count where energies[index] <= most {
            (powers.base + 8 * even).update(from: powers.base + 8 * index, count: 8)
            chosen[range * Self.mostTiles + even] = chosen[range * Self.mostTiles + index]
            even += 1
        }
        return even
    }

    /// Noise has the same spectrum at any brightness. Where it is white at one, what is coarser at another is texture, and
    /// only the fine coefficients tell that brightness's noise; so they do where they themselves are as even as white noise.
    /// Ranges that no camera's noise can be like are left out.
    private func distrustTexture(_ isKnownWhite: Bool) {
        var isWhite = isKnownWhite
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let isNoise = ranges[range].variance > Self.leastVariance
            isWhite = isWhite || isNoise && SpectrumShape(means.base + 8 * range).isWhite
        }
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let shape = SpectrumShape(means.base + 8 * range)
            // Where most tiles hold detail, so may the others, unless those are white. White noise is told below any texture.
            let isDetail =
                shape.isTexture(ranges[range].variance) && !shape.isWhiteBelow
                || ranges[range].isMostlyDetail && !shape.isWhite
            if isDetail || ranges[range].variance > Self.mostVariance {
                ranges[range].measured = 0
            } else {
                if (isWhite || shape.isWhiteBelow) && shape.isCoarse { hold(range, to: 1.5 * shape.fine) }
                ranges[range].most = ranges[range].variance
                hold(range, to: 1.25 * ranges[range].calm)
            }
        }
    }

    /// Cuts off what a range's coefficients have above `most`.
    private func hold(_ range: Int, to most: Float) {
        guard most < .infinity else { return }
        var sum = Float(0)
        for place in 8 * range..<8 * (range + 1) {
            means[place] = means[place].replacing(with: most, where: means[place] .> most)
            sum += means[place].sum()
        }
        ranges[range].variance = sum / Float(NoiseModel.coefficients)
    }

    /// Where nothing of a brightness is even, detail reads as noise. But noise changes no faster than brightness does: with
    /// it where a camera is linear, against it where the curve is steep and the sensor itself is noisy. No range keeps more
    /// than a fifth above what that allows from either neighbour, unless the neighbour is clipped.
    private func distrustDetail() {
        func hold(_ range: Int, to neighbour: Int) {
            guard abs(range - neighbour) <= Self.near else { return }
            let (own, other) = (ranges[range].variance, ranges[neighbour].variance)
            let (here, there) = (Float(max(1, ranges[range].brightness)), Float(max(1, ranges[neighbour].brightness)))
            let most = 1.2 * max(here / there, there / here) * other
            guard own > most else { return }
            let room = min(there - 16, 235 - there), deviation = min(own, 4 * other).squareRoot()
            guard room > deviation else { return }
            for place in 8 * range..<8 * (range + 1) { means[place] *= most / own }
            ranges[range].variance = most
        }
        var last: Int?
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            if let last { hold(range, to: last) }
            last = range
        }
        last = nil
        for range in (0..<Self.ranges).reversed() where ranges[range].measured > 0 {
            if let last { hold(range, to: last) }
            last = range
        }
    }

    private func write(into model: inout NoiseModel) {
        for place in 0..<8 {
            var spectrum = SIMD8<Float>.zero
            for range in 0..<Self.ranges where ranges[range].measured > 0 && ranges[range].variance > 0.01 {
                spectrum += means[8 * range + place] * (Float(ranges[range].measured) / ranges[range].variance)
            }
            for down in 0..<8 { model.spectrum[down * 8 + place] = spectrum[down] }
        }
        model.normaliseSpectrum()
        var (first, last): (Int?, Int?)
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let centre = ranges[range].brightness, from = last.map { ranges[$0].brightness } ?? 0
            let high = ranges[range].variance, low = last.map { ranges[$0].variance } ?? high
            for code in from..<centre {
                let share = Float(code - from) / Float(centre - from)
                model.variance[code] = low + (high - low) * share
            }
            first = first ?? range
            last = range
        }
        model.seen =
            if let first, let last { ranges[first].brightness...ranges[last].brightness } else {
                0...NoiseModel.levels - 1
            }
        let top = last.map { ranges[$0].variance } ?? 0
        for code in (last.map { ranges[$0].brightness } ?? 0)..<NoiseModel.levels { model.variance[code] = top }
    }
}
