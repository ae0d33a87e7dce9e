// SPDX-License-Identifier: MIT
// Finds texture that a single block cannot distinguish from noise.

import LivecapCFusionKernels

/// Determines for each cell of 32x32 samples how strongly it may be denoised, from some of the plane's blocks. It
/// owns its working memory and examines one plane at a time.
final class TextureSearch: @unchecked Sendable {
    /// Samples on a side of a cell.
    static let cell = 32
    /// Rows of cells per unit of work.
    private static let unitRows = 3
    let width: Int
    let height: Int
    let cellsAcross: Int
    let cellsDown: Int
    /// For each cell, row by row, and each coefficient: the threshold it is compared with, and the share of it that
    /// is always kept (see `denoise_gains`).
    let thresholds: Scratch<UInt32>
    let floors: Scratch<Int16>
    /// For each spectrum, the factors that measure coefficients in eighths of a standard deviation.
    let measures: UnsafeMutableBufferPointer<Int16>
    private let kernels: UnsafePointer<fusion_kernels>
    /// The number of units of work.
    let units: Int
    private let activity: UnsafeMutableBufferPointer<fusion_activity>
    /// The distance in samples between the rows of tiles that are examined.
    private let apart: Int

    /// Creates a search for planes of at least 8x8 samples. It examines every other row of tiles, which is enough; if
    /// it `isHasty`, every fourth, which is less accurate.
    init(width: Int, height: Int, isHasty: Bool, kernels: UnsafePointer<fusion_kernels>) {
        self.width = width
        self.height = height
        self.kernels = kernels
        apart = isHasty ? Self.cell : Self.cell / 2
        cellsAcross = (width + Self.cell - 1) / Self.cell
        cellsDown = (height + Self.cell - 1) / Self.cell
        units = (cellsDown + Self.unitRows - 1) / Self.unitRows
        activity = .allocate(capacity: cellsAcross * cellsDown)
        thresholds = Scratch(cellsAcross * cellsDown * NoiseModel.coefficients, filledWith: 0)
        floors = Scratch(cellsAcross * cellsDown * NoiseModel.coefficients, filledWith: 0)
        measures = .allocate(capacity: NoiseMap.maxSpectra * NoiseMap.measures * NoiseModel.coefficients)
        activity.initialize(repeating: fusion_activity())
        measures.initialize(repeating: 0)
    }

    deinit {
        activity.deallocate()
        measures.deallocate()
    }

    /// The first of three steps: fills `measures`.
    func measure(_ noise: NoiseMap) { noise.measure(into: measures) }

    private func cellRows(_ unit: Int) -> Range<Int> {
        unit * Self.unitRows..<min((unit + 1) * Self.unitRows, cellsDown)
    }

    /// The second step: examines a unit's blocks.
    func look(_ source: StripSource, _ noise: NoiseMap, _ unit: Int) {
        for row in cellRows(unit) {
            let cells = activity.baseAddress! + row * cellsAcross
            cells.update(repeating: fusion_activity(), count: cellsAcross)
            for top in stride(from: row * Self.cell, to: min((row + 1) * Self.cell, height - 7), by: apart) {
                let tiles = top / NoiseMap.tile * noise.across
                let (variance, choice) = (noise.variance.baseAddress! + tiles, noise.choice.baseAddress! + tiles)
                switch source {
                case .merged(let plane):
                    kernels.pointee.residual.denoise_activity(
                        plane.samples + top * plane.stride, plane.stride, width / NoiseMap.tile, variance, choice,
                        measures.baseAddress!, cells)
                case .frame(let plane):
                    kernels.pointee.residual.denoise_activity_bytes(
                        plane.row(top), plane.stride, width / NoiseMap.tile, variance, choice, measures.baseAddress!,
                        cells)
                }
            }
        }
    }

    /// The last step, after all units have been examined: fills a unit's `thresholds` and `floors`.
    func chooseGains(_ unit: Int) {
        let cells = activity.baseAddress!
        for row in cellRows(unit) {
            kernels.pointee.residual.denoise_gains(
                cells + max(row - 1, 0) * cellsAcross, cells + row * cellsAcross,
                cells + min(row + 1, cellsDown - 1) * cellsAcross, cellsAcross,
                thresholds.base + row * cellsAcross * NoiseModel.coefficients,
                floors.base + row * cellsAcross * NoiseModel.coefficients)
        }
    }
}
