// SPDX-License-Identifier: MIT
// Finds out where there is texture that a single block cannot tell from noise.

import CFusionKernels

/// Looks at some of a plane's blocks, and says for each cell of 32x32 samples how strongly it may be denoised. It owns
/// the memory it works in; one plane at a time.
final class TextureSearch: @unchecked Sendable {
    /// Samples a cell spans across and down.
    static let cell = 32
    /// Rows of cells a unit of work has.
    private static let unitRows = 3
    let width: Int
    let height: Int
    let cellsAcross: Int
    let cellsDown: Int
    /// How strongly each cell is to be denoised, row by row.
    let gains: UnsafeMutableBufferPointer<fusion_gain>
    /// For each spectrum the reciprocal noise powers in the scale of the transform (Cosine.h).
    let spectra: UnsafeMutableBufferPointer<Float>
    private let kernels: UnsafePointer<fusion_kernels>
    /// Units of work.
    let units: Int
    private let activity: UnsafeMutableBufferPointer<fusion_activity>
    private let strips: UnsafeMutableBufferPointer<Float>

    /// A search in planes of at least 8x8 samples.
    init(width: Int, height: Int, kernels: UnsafePointer<fusion_kernels>) {
        (self.width, self.height, self.kernels) = (width, height, kernels)
        cellsAcross = (width + Self.cell - 1) / Self.cell
        cellsDown = (height + Self.cell - 1) / Self.cell
        units = (cellsDown + Self.unitRows - 1) / Self.unitRows
        activity = .allocate(capacity: cellsAcross * cellsDown)
        gains = .allocate(capacity: cellsAcross * cellsDown)
        spectra = .allocate(capacity: NoiseMap.mostSpectra * NoiseModel.coefficients)
        strips = .allocate(capacity: units * 8 * (width + 12))
        activity.initialize(repeating: fusion_activity())
        gains.initialize(repeating: fusion_gain())
        spectra.initialize(repeating: 0)
        strips.initialize(repeating: 0)
    }

    deinit {
        activity.deallocate()
        gains.deallocate()
        spectra.deallocate()
        strips.deallocate()
    }

    /// Fills in `spectra`: the first of three steps.
    func whiten(_ noise: NoiseMap) { noise.whiten(into: spectra) }

    private func cellRows(_ unit: Int) -> Range<Int> {
        unit * Self.unitRows..<min((unit + 1) * Self.unitRows, cellsDown)
    }

    /// Looks at a unit's blocks, the second step. Every other row of tiles tells enough.
    func look(_ source: StripSource, _ noise: NoiseMap, _ unit: Int) {
        let strip = strips.baseAddress! + unit * 8 * (width + 12)
        for row in cellRows(unit) {
            let cells = activity.baseAddress! + row * cellsAcross
            cells.update(repeating: fusion_activity(), count: cellsAcross)
            for top in stride(from: row * Self.cell, to: min((row + 1) * Self.cell, height - 7), by: 16) {
                let tiles = top / NoiseMap.tile * noise.across
                source.transform(top, width: width, height: height, kernels, into: strip)
                kernels.pointee.denoise_activity(
                    strip, width / NoiseMap.tile, noise.variance.baseAddress! + tiles, spectra.baseAddress!,
                    noise.choice.baseAddress! + tiles, cells)
            }
        }
    }

    /// Fills in a unit's `gains`, when all units have been looked at: the last step.
    func chooseGains(_ unit: Int) {
        let cells = activity.baseAddress!
        for row in cellRows(unit) {
            kernels.pointee.denoise_gains(
                cells + max(row - 1, 0) * cellsAcross, cells + row * cellsAcross,
                cells + min(row + 1, cellsDown - 1) * cellsAcross, cellsAcross,
                gains.baseAddress! + row * cellsAcross)
        }
    }
}
