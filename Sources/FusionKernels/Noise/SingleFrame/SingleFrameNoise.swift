// SPDX-License-Identifier: MIT
// Estimates a plane's noise from a single frame.

import LivecapCFusionKernels

/// Finds the noise where the picture is even (`EvenTiles`).
///
/// Each coefficient's power is the mean over the measured tiles, with outliers cut off. Tiles are measured at all
/// offsets to JPEG's grid at which the denoiser's blocks occur.
///
/// The measurements are then checked (`conclude`): brightness ranges that hold texture or detail are discarded or
/// limited, and the rest becomes the model.
final class SingleFrameNoise: @unchecked Sendable {
    /// The number of brightness ranges with a variance of their own.
    private static let ranges = EvenTiles.ranges
    /// Ranges at most this far apart, a quarter of the scale, limit each other's noise.
    private static let near = 3
    /// The variance, in squared codes, above which something is treated as noise, as it exceeds that of rounding.
    static let leastVariance: Float = 0.5
    /// About the mean square of a standard normal variable when squares above 4 count as 4.
    private static let cutMean = Float(0.93)
    /// The energy of a tile, as a multiple of that at its range's lower quartile, above which it holds detail.
    private static let mostEnergy: Float = 2.25

    /// What a range of brightness shows.
    private struct Range {
        var measured = 0
        var isMostlyDetail = false
        /// The mean brightness, in codes, of the measured tiles: it need not be the middle of the range.
        var brightness = 0
        var noise = BoundedEstimate(0)
        /// The variance of its calm samples, where that is far lower; otherwise infinite.
        var calm = Float.infinity
        /// The variance before it was limited by the calm samples or another range.
        var most: Float = 0
    }

    private let kernels: UnsafePointer<fusion_kernels>
    /// The bounds in force.
    private let bounds: NoiseBounds
    private let even = EvenTiles()
    private let ranges = Scratch<Range>(SingleFrameNoise.ranges, filledWith: Range())
    /// The powers of the tiles of the range being measured, eight vectors per tile.
    private let powers = Scratch<SIMD8<Float>>(8 * EvenTiles.most, filledWith: .zero)
    /// The mean powers of each range.
    private let means = Scratch<SIMD8<Float>>(8 * SingleFrameNoise.ranges, filledWith: .zero)
    /// The total energy of each tile, without its mean: as measured, and partially sorted.
    private let energies = Scratch<Float>(EvenTiles.most, filledWith: 0)
    private let ordered = Scratch<Float>(EvenTiles.most, filledWith: 0)
    private let calmPlaces = CalmPlaces()
    private let scales = Scratch<Float>(NoiseModel.coefficients, filledWith: 0)

    init(kernels: UnsafePointer<fusion_kernels>, bounds: NoiseBounds = .all) {
        self.kernels = kernels
        self.bounds = bounds
        for place in 0..<NoiseModel.coefficients {
            let scale = CosineScale.of(place / 8, place % 8)
            scales[place] = 1 / (scale * scale)
        }
    }

    /// Estimates the noise of `plane`, whose tiles are known, and writes it to `model`. If too little can be
    /// measured, the noise is 0.
    func estimate(_ plane: SamplePlane, _ tiles: TileMeans, into model: inout NoiseModel) {
        measure(plane, tiles)
        conclude(into: &model)
    }

    /// The first half of `estimate`: measures what may be noise.
    func measure(_ plane: SamplePlane, _ tiles: TileMeans) {
        even.choose(tiles)
        for range in 0..<Self.ranges {
            ranges[range] = Range()
            measure(range, plane, tiles)
        }
    }

    /// Whether the noise is white, as a sensor's own is, at every brightness.
    var isWhite: Bool {
        var isSeen = false
        for range in 0..<Self.ranges where ranges[range].measured > 0 && ranges[range].noise.value > Self.leastVariance
        {
            guard SpectrumShape(means.base + 8 * range).isWhite else { return false }
            isSeen = true
        }
        return isSeen
    }

    /// The largest variance that this frame allows at a brightness. The estimate itself may be far too low: JPEG
    /// leaves calm places within noise, and there is more noise beside areas that are nearly clipped.
    func most(at brightness: Double) -> Float {
        var (nearest, most) = (Double.infinity, Float(0))
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let distance = abs(Double(ranges[range].brightness) - brightness)
            if distance < nearest { (nearest, most) = (distance, ranges[range].most) }
        }
        return most
    }

    /// The second half of `estimate`: decides what is noise. If other planes show that this frame's noise is white,
    /// `isWhite` says so, and anything coarser is treated as texture.
    func conclude(isWhite: Bool = false, into model: inout NoiseModel) {
        distrustTexture(isWhite)
        distrustDetail()
        write(into: &model)
    }

    /// Sets the mean powers of a range's tiles. Powers above four times the mean are cut off there, and the mean is
    /// recomputed, four times over, until it is consistent with that limit.
    private func measure(_ range: Int, _ plane: SamplePlane, _ tiles: TileMeans) {
        let count = even.count(of: range)
        guard count > 0 else { return }
        var brightness = 0
        for index in 0..<count {
            let tile = even[range, index]
            brightness += Int(tiles.brightness[tile])
            // Covers every offset to JPEG's grid at which the denoiser's blocks occur.
            let x = min(tile % tiles.across * 8 + index % 2 * 4, tiles.width - 8)
            let y = min(tile / tiles.across * 8 + index / 2 % 2 * 4, tiles.height - 8)
            let room = UnsafeMutableRawPointer(powers.base + 8 * index).assumingMemoryBound(to: Float.self)
            kernels.pointee.noise.tile_powers(plane.row(y) + x, plane.stride, scales.base, room)
        }
        ranges[range].brightness = brightness / count
        let measured = leaveOutDetail(range, count)
        ranges[range].isMostlyDetail = 2 * measured < count
        ranges[range].measured = measured
        var sum = Float(0)
        for place in 0..<8 {
            let powers = powers.base + place
            var mean = SIMD8<Float>.zero
            for index in 0..<measured { mean += powers[8 &* index] }
            mean /= Float(measured)
            for _ in 0..<4 {
                var cut = SIMD8<Float>.zero
                let most = mean * 4
                for index in 0..<measured {
                    let power = powers[8 &* index]
                    cut += power.replacing(with: most, where: power .> most)
                }
                mean = cut / (Float(measured) * Self.cutMean)
            }
            if place == 0 { mean[0] = mean[1] }
            means[8 * range + place] = mean
            sum += mean.sum()
        }
        ranges[range].noise = BoundedEstimate(sum / Float(NoiseModel.coefficients))
        lookForCalm(range, plane, tiles)
    }

    /// If the possible noise of a range is not white, checks whether its calm places have far less.
    private func lookForCalm(_ range: Int, _ plane: SamplePlane, _ tiles: TileMeans) {
        let shape = SpectrumShape(means.base + 8 * range)
        guard ranges[range].noise.value > Self.leastVariance, shape.isCoarse, !shape.isWhiteBelow,
            plane.width >= 12 && plane.height >= 12
        else { return }
        calmPlaces.clear()
        for index in stride(from: 0, to: ranges[range].measured, by: 2) {
            let tile = even[range, index]
            let x = min(max(tile % tiles.across * 8, 2), plane.width - 10)
            let y = min(max(tile / tiles.across * 8, 2), plane.height - 10)
            calmPlaces.add(plane.row(y) + x, plane.stride)
        }
        let found = calmPlaces.variances
        let isStrong = found.calm > NoiseLimit.strongVariance
        // In weak noise, calm places may be what JPEG made of noise or detail.
        guard isStrong || !shape.isFlattened && !ranges[range].isMostlyDetail else { return }
        let most = isStrong ? NoiseLimit.calmPlaces.strong : NoiseLimit.calmPlaces.quiet
        if found.all > most * found.calm { ranges[range].calm = max(Self.leastVariance, found.calm) }
    }

    /// Moves the tiles without detail to the front, with their powers: those with at most `mostEnergy` times that at
    /// the range's lower quartile. Returns how many there are.
    private func leaveOutDetail(_ range: Int, _ count: Int) -> Int {
        for index in 0..<count {
            var sum = SIMD8<Float>.zero
            for place in 0..<8 { sum += powers.base[8 &* index &+ place] }
            // The mean brightness is not noise.
            energies[index] = sum.sum() - powers.base[8 &* index][0]
            ordered[index] = energies[index]
        }
        let most = Self.mostEnergy * ordered.base.smallest(count / 4, of: count)
        var kept = 0
        for index in 0..<count where energies[index] <= most {
            (powers.base + 8 * kept).update(from: powers.base + 8 * index, count: 8)
            even[range, kept] = even[range, index]
            kept += 1
        }
        return kept
    }

    /// Discards texture. Noise has the same spectrum at every brightness. So if it is white at one brightness, a
    /// coarser spectrum at another is texture, and only the fine coefficients of that range show its noise. The same
    /// applies to a range whose fine coefficients are themselves as flat as white noise. Ranges that cannot be any
    /// camera's noise are discarded.
    private func distrustTexture(_ isKnownWhite: Bool) {
        var isWhite = isKnownWhite
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let isNoise = ranges[range].noise.value > Self.leastVariance
            isWhite = isWhite || isNoise && SpectrumShape(means.base + 8 * range).isWhite
        }
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let shape = SpectrumShape(means.base + 8 * range)
            // White noise can be measured below any texture.
            let isDiscarded =
                ranges[range].noise.discard(by: .smoothTexture, of: bounds) {
                    shape.isTexture($0) && !shape.isWhiteBelow
                }
                || ranges[range].noise.discard(by: .mostlyDetail, of: bounds) { _ in
                    ranges[range].isMostlyDetail && !shape.isWhite
                }
            guard !isDiscarded else {
                ranges[range].measured = 0
                continue
            }
            if (isWhite || shape.isWhiteBelow) && shape.isCoarse {
                hold(range, to: NoiseLimit.whiteRatio * shape.fine, by: .whiteNoise)
            }
            ranges[range].most = ranges[range].noise.value
            hold(range, to: NoiseLimit.calmRoom * ranges[range].calm, by: .calmPlaces)
        }
    }

    /// Limits a range's coefficients to `most`.
    private func hold(_ range: Int, to most: Float, by bound: NoiseBound) {
        guard most < .infinity, bounds.contains(bound) else { return }
        var sum = Float(0)
        for place in 8 * range..<8 * (range + 1) {
            means[place] = means[place].replacing(with: most, where: means[place] .> most)
            sum += means[place].sum()
        }
        ranges[range].noise.limit(to: sum / Float(NoiseModel.coefficients), by: bound, of: bounds)
    }

    /// Limits ranges by their neighbours: where no place of a brightness is even, detail reads as noise. But noise
    /// changes no faster than brightness does: in proportion to it in a linear camera, inversely where the tone curve
    /// is steep and the sensor itself noisy. No range keeps more than a fifth above what this allows from either
    /// neighbour, unless the neighbour is clipped.
    private func distrustDetail() {
        func hold(_ range: Int, to neighbour: Int) {
            guard abs(range - neighbour) <= Self.near else { return }
            let (own, other) = (ranges[range].noise.value, ranges[neighbour].noise.value)
            let (here, there) = (Float(max(1, ranges[range].brightness)), Float(max(1, ranges[neighbour].brightness)))
            let room = min(there - 16, 235 - there), deviation = min(own, 4 * other).squareRoot()
            guard room > deviation else { return }
            let most = NoiseLimit.rangeRoom * max(here / there, there / here) * other
            guard ranges[range].noise.limit(to: most, by: .nearbyRanges, of: bounds) else { return }
            for place in 8 * range..<8 * (range + 1) { means[place] *= most / own }
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

    /// Writes the model: the ranges' mean spectrum, and their variances joined by straight lines.
    private func write(into model: inout NoiseModel) {
        for place in 0..<8 {
            var spectrum = SIMD8<Float>.zero
            for range in 0..<Self.ranges where ranges[range].measured > 0 && ranges[range].noise.value > 0.01 {
                spectrum += means[8 * range + place] * (Float(ranges[range].measured) / ranges[range].noise.value)
            }
            for down in 0..<8 { model.spectrum[down * 8 + place] = spectrum[down] }
        }
        model.normaliseSpectrum()
        model.decidedBy = []
        for range in 0..<Self.ranges { ranges[range].noise.decidedBy.map { model.decidedBy.insert($0) } }
        var (first, last): (Int?, Int?)
        for range in 0..<Self.ranges where ranges[range].measured > 0 {
            let centre = ranges[range].brightness, from = last.map { ranges[$0].brightness } ?? 0
            let high = ranges[range].noise.value, low = last.map { ranges[$0].noise.value } ?? high
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
        let top = last.map { ranges[$0].noise.value } ?? 0
        for code in (last.map { ranges[$0].brightness } ?? 0)..<NoiseModel.levels { model.variance[code] = top }
    }
}
