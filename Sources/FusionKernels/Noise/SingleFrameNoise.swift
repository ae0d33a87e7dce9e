// SPDX-License-Identifier: MIT
// Estimates a plane's noise from one frame alone.

import CFusionKernels
import Glibc

/// Finds the noise where the picture is even.
///
/// Tiles are taken in pairs of neighbours of like brightness: where one is among the evenest of its brightness, the other
/// is measured. So what is measured was not chosen for its own noise being weak, which would read low. A coefficient's
/// power is the mean over those tiles, with what stands far out of them cut off; it is measured at any place on JPEG's
/// grid, as it is denoised.
final class SingleFrameNoise {
    /// Ranges of brightness with a variance of their own.
    private static let ranges = 12
    /// The most tiles measured for one range; the fewest pairs a range is believed with.
    private static let mostTiles = 96, fewestPairs = 24
    /// Steps of spread told apart: eight an octave.
    private static let steps = 256
    /// The mean of a squared normal number, those above 4 taken as 4.
    private static let cutMean = Float(0.93)
    private let kernels: UnsafePointer<fusion_kernels>
    private let counts: UnsafeMutableBufferPointer<Int32>
    private let powers: UnsafeMutableBufferPointer<SIMD8<Float>>
    private let scales: UnsafeMutableBufferPointer<Float>
    private var means = [SIMD8<Float>](repeating: .zero, count: 8 * ranges)
    private var variances = [Float](repeating: 0, count: ranges)
    private var measured = [Int](repeating: 0, count: ranges)

    init(kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        counts = .allocate(capacity: Self.ranges * Self.steps)
        powers = .allocate(capacity: 8 * Self.mostTiles)
        scales = .allocate(capacity: 64)
        counts.initialize(repeating: 0)
        powers.initialize(repeating: .zero)
        for place in 0..<64 {
            let scale = CosineScale.of(place / 8, place % 8)
            scales.initializeElement(at: place, to: 1 / (scale * scale))
        }
    }

    deinit {
        counts.deallocate()
        powers.deallocate()
        scales.deallocate()
    }

    /// Estimates the noise of `plane`, whose tiles are known, into `model`. Where there is too little to see, there is no
    /// noise.
    func estimate(_ plane: SamplePlane, _ tiles: TileMeans, into model: inout NoiseModel) {
        // Some six thousand tiles tell all there is to know.
        let rowStep = max(1, tiles.across * tiles.down / 6000)
        countSpreads(tiles, rowStep)
        for range in 0..<Self.ranges { measure(range, plane, tiles, rowStep) }
        distrustDetail()
        write(into: &model)
    }

    private func range(_ brightness: UInt8) -> Int { Int(brightness) * Self.ranges / 256 }

    private func step(_ spread: UInt32) -> Int {
        min(max(Int(Float(spread + 1).bitPattern >> 20) - 127 * 8, 0), Self.steps - 1)
    }

    /// The pairs: the tile that is judged, and the one beside it.
    private func forEachPair(_ tiles: TileMeans, _ rowStep: Int, _ body: (_ judged: Int, _ other: Int) -> Void) {
        let rows = tiles.height / TileMeans.tile, columns = tiles.width / TileMeans.tile & ~1
        for row in stride(from: 0, to: rows, by: rowStep) {
            for column in 0..<columns {
                let judged = row * tiles.across + column, other = row * tiles.across + column ^ 1
                let difference = Int(tiles.brightness[judged]) - Int(tiles.brightness[other])
                if abs(difference) < 12 { body(judged, other) }
            }
        }
    }

    private func countSpreads(_ tiles: TileMeans, _ rowStep: Int) {
        counts.update(repeating: 0)
        forEachPair(tiles, rowStep) { judged, other in
            counts[range(tiles.brightness[other]) * Self.steps + step(tiles.spread[judged])] += 1
        }
    }

    private func measure(_ range: Int, _ plane: SamplePlane, _ tiles: TileMeans, _ rowStep: Int) {
        measured[range] = 0
        let counts = counts[range * Self.steps..<(range + 1) * Self.steps]
        let all = counts.reduce(0) { $0 + Int($1) }
        guard all >= Self.fewestPairs else { return }
        // The evenest tenth, but at least a dozen.
        var even = 0, limit = 0
        for (step, count) in counts.enumerated() where even < max(all / 10, 12) {
            even += Int(count)
            limit = step
        }
        let each = (even + Self.mostTiles - 1) / Self.mostTiles
        var seen = 0, taken = 0
        forEachPair(tiles, rowStep) { judged, other in
            guard self.range(tiles.brightness[other]) == range, step(tiles.spread[judged]) <= limit else { return }
            defer { seen += 1 }
            guard seen % each == 0, taken < Self.mostTiles else { return }
            // Every place on JPEG's grid that the denoiser's blocks have.
            let x = min(other % tiles.across * 8 + taken % 2 * 4, tiles.width - 8)
            let y = min(other / tiles.across * 8 + taken / 2 % 2 * 4, tiles.height - 8)
            let room = UnsafeMutableRawPointer(powers.baseAddress! + 8 * taken).assumingMemoryBound(to: Float.self)
            kernels.pointee.tile_powers(plane.row(y) + x, plane.stride, scales.baseAddress!, room)
            taken += 1
        }
        measured[range] = taken
        takeMeans(range, taken)
    }

    /// The mean powers of a range, what is above four times the mean cut off there, until that is its own mean.
    private func takeMeans(_ range: Int, _ taken: Int) {
        var sum = Float(0)
        for place in 0..<8 {
            var mean = SIMD8<Float>.zero
            for tile in 0..<taken { mean += powers[8 * tile + place] }
            mean /= Float(taken)
            for _ in 0..<4 {
                var cut = SIMD8<Float>.zero
                let most = mean * 4
                for tile in 0..<taken { cut += pointwiseMin(powers[8 * tile + place], most) }
                mean = cut / (Float(taken) * Self.cutMean)
            }
            if place == 0 { mean[0] = mean[1] }
            means[8 * range + place] = mean
            sum += mean.sum()
        }
        variances[range] = sum / 64
    }

    /// Where nothing of a brightness is even, detail reads as noise. But noise changes slowly with brightness: no range has
    /// more than three times what a neighbour has, unless that is clipped to nothing.
    private func distrustDetail() {
        func hold(_ range: Int, to neighbour: Int) {
            guard measured[range] > 0, measured[neighbour] > 0, variances[neighbour] > 0.05 else { return }
            let most = 3 * variances[neighbour]
            guard variances[range] > most else { return }
            for place in 8 * range..<8 * (range + 1) { means[place] *= most / variances[range] }
            variances[range] = most
        }
        for range in 1..<Self.ranges { hold(range, to: range - 1) }
        for range in (1..<Self.ranges).reversed() { hold(range - 1, to: range) }
    }

    private func write(into model: inout NoiseModel) {
        var spectrum = (SIMD8<Float>.zero, total: Float(0))
        for place in 0..<8 {
            spectrum.0 = .zero
            for range in 0..<Self.ranges where measured[range] > 0 && variances[range] > 0.01 {
                spectrum.0 += means[8 * range + place] * (Float(measured[range]) / variances[range])
            }
            for down in 0..<8 { model.spectrum[down * 8 + place] = spectrum.0[down] }
        }
        model.normaliseSpectrum()
        var last: Int?
        for range in 0..<Self.ranges where measured[range] > 0 {
            let centre = middle(range), from = last.map(middle) ?? 0
            let low = last.map { variances[$0] } ?? variances[range]
            for code in from..<centre {
                let share = Float(code - from) / Float(centre - from)
                model.variance[code] = low + (variances[range] - low) * share
            }
            last = range
        }
        let top = last.map { variances[$0] } ?? 0
        for code in (last.map(middle) ?? 0)..<NoiseModel.levels { model.variance[code] = top }
    }

    private func middle(_ range: Int) -> Int { (2 * range + 1) * NoiseModel.levels / (2 * Self.ranges) }
}
