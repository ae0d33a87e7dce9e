// SPDX-License-Identifier: MIT
// Takes out of a plane the noise that merging could not.

import CFusionKernels
import Glibc

/// Denoises planes of one size. It owns the memory it works in; one plane at a time.
///
/// Overlapping blocks of 8x8 samples, four samples apart both ways, are cosine-transformed; each coefficient is cut
/// according to what it has beyond the noise expected of it, and the blocks are summed under windows that add up to 1. A
/// first pass over some of the blocks finds out where there is texture that a single block cannot tell from noise.
///
/// The picture is worked on in units of rows, in any order; the same bits come out whatever the pool.
final class ResidualDenoiser: @unchecked Sendable {
    /// Rows a unit finishes: whole cells. A unit transforms one more strip of eight rows than its own.
    private static let unitRows = 96
    /// Samples a cell spans across and down.
    private static let cell = 32
    let width: Int
    let height: Int
    private let pool: any FusionPool
    private let kernels: UnsafePointer<fusion_kernels>
    private let units: Int
    private let cellsAcross: Int
    private let cellsDown: Int
    private let activity: UnsafeMutableBufferPointer<fusion_activity>
    private let gains: UnsafeMutableBufferPointer<fusion_gain>
    private let spectra: UnsafeMutableBufferPointer<Float>
    /// For each unit two strips and what one strip carries to the next, twice.
    private let scratch: UnsafeMutableBufferPointer<Float>
    private var stripCount: Int { 8 * (width + 12) }
    private var carryCount: Int { 4 * width }

    /// A plane of samples that are codes times 64.
    struct Source: @unchecked Sendable {
        let samples: UnsafePointer<Int16>
        let stride: Int
    }

    /// A plane of samples that are codes times 256.
    struct Target: @unchecked Sendable {
        let samples: UnsafeMutablePointer<UInt16>
        let stride: Int
    }

    /// A denoiser of planes of at least 8x8 samples.
    init(width: Int, height: Int, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool) {
        (self.width, self.height, self.kernels, self.pool) = (width, height, kernels, pool)
        units = (height + Self.unitRows - 1) / Self.unitRows
        cellsAcross = (width + Self.cell - 1) / Self.cell
        cellsDown = (height + Self.cell - 1) / Self.cell
        activity = .allocate(capacity: cellsAcross * cellsDown)
        gains = .allocate(capacity: cellsAcross * cellsDown)
        spectra = .allocate(capacity: NoiseMap.mostSpectra * NoiseModel.coefficients)
        scratch = .allocate(capacity: units * 2 * (8 * (width + 12) + 4 * width))
        activity.initialize(repeating: fusion_activity())
        gains.initialize(repeating: fusion_gain())
        spectra.initialize(repeating: 0)
        scratch.initialize(repeating: 0)
    }

    deinit {
        activity.deallocate()
        gains.deallocate()
        spectra.deallocate()
        scratch.deallocate()
    }

    /// Denoises `source` into `target`.
    func run(_ source: Source, noise: NoiseMap, into target: Target) {
        takeSpectra(of: noise)
        pool.run(units) { unit in self.lookForTexture(source, noise, unit) }
        pool.run(units) { unit in self.chooseGains(unit) }
        pool.run(units) { unit in self.denoise(source, noise, target, unit) }
    }

    /// The reciprocal noise powers in the scale of the transform (Cosine.h) of samples in codes times 64.
    private func takeSpectra(of noise: NoiseMap) {
        precondition(noise.spectra.count <= NoiseMap.mostSpectra)
        for (index, spectrum) in noise.spectra.enumerated() {
            for across in 0..<8 {
                for down in 0..<8 {
                    let scale = 8 * 64 * Self.scale(across) * Self.scale(down)
                    // A power measured as almost nothing is not worth believing: no coefficient is without noise.
                    let power = max(spectrum[down * 8 + across], 1e-3)
                    spectra[index * 64 + across * 8 + down] = across + down == 0 ? 0 : 1 / (scale * scale * power)
                }
            }
        }
    }

    private static func scale(_ frequency: Int) -> Float {
        frequency == 0 ? 1 : Float(2.squareRoot() * cos(Double(frequency) * .pi / 16))
    }

    private func strip(_ unit: Int, _ which: Int) -> UnsafeMutablePointer<Float> {
        scratch.baseAddress! + unit * 2 * (stripCount + carryCount) + which * stripCount
    }

    private func carry(_ unit: Int, _ which: Int) -> UnsafeMutablePointer<Float> {
        strip(unit, 2) + which * carryCount
    }

    private func cellRows(_ unit: Int) -> Range<Int> {
        let each = Self.unitRows / Self.cell
        return unit * each..<min((unit + 1) * each, cellsDown)
    }

    /// Every other row of tiles tells enough.
    private func lookForTexture(_ source: Source, _ noise: NoiseMap, _ unit: Int) {
        for row in cellRows(unit) {
            let cells = activity.baseAddress! + row * cellsAcross
            cells.update(repeating: fusion_activity(), count: cellsAcross)
            for top in stride(from: row * Self.cell, to: min((row + 1) * Self.cell, height - 7), by: 16) {
                let tiles = top / NoiseMap.tile * noise.across
                kernels.pointee.denoise_strip(source.samples, source.stride, width, height, top, strip(unit, 0))
                kernels.pointee.denoise_activity(
                    strip(unit, 0), width / NoiseMap.tile, noise.variance.baseAddress! + tiles, spectra.baseAddress!,
                    noise.choice.baseAddress! + tiles, cells)
            }
        }
    }

    private func chooseGains(_ unit: Int) {
        let cells = activity.baseAddress!
        for row in cellRows(unit) {
            kernels.pointee.denoise_gains(
                cells + max(row - 1, 0) * cellsAcross, cells + row * cellsAcross,
                cells + min(row + 1, cellsDown - 1) * cellsAcross, cellsAcross,
                gains.baseAddress! + row * cellsAcross)
        }
    }

    /// Goes down the unit's strips, four rows apart, from the one that only reaches into it from above.
    private func denoise(_ source: Source, _ noise: NoiseMap, _ target: Target, _ unit: Int) {
        let rows = unit * Self.unitRows..<min((unit + 1) * Self.unitRows, height)
        let blocks = (width + 3) / 4 + 1
        var (carried, carry) = (carry(unit, 0), carry(unit, 1))
        for top in stride(from: rows.lowerBound - 4, to: rows.upperBound, by: 4) {
            let upper = max(top, 0) / NoiseMap.tile * noise.across
            let lower = min((top + 4) / NoiseMap.tile, noise.down - 1) * noise.across
            let cells = min(top + 4, height - 1) / Self.cell * cellsAcross
            kernels.pointee.denoise_strip(source.samples, source.stride, width, height, top, strip(unit, 0))
            kernels.pointee.denoise_shrink(
                strip(unit, 0), blocks, noise.variance.baseAddress! + upper, noise.variance.baseAddress! + lower,
                noise.across, spectra.baseAddress!, noise.choice.baseAddress! + lower, gains.baseAddress! + cells,
                cellsAcross, strip(unit, 1))
            kernels.pointee.denoise_unstrip(
                strip(unit, 1), width, carried, carry, target.samples + max(top, 0) * target.stride, target.stride,
                top < rows.lowerBound ? 0 : min(4, rows.upperBound - top))
            swap(&carried, &carry)
        }
    }
}
