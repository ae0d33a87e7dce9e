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
    /// How strongly each cell is to be denoised, row by row: what each coefficient is held to, and what is kept.
    let thresholds: Scratch<UInt32>
    let floors: Scratch<Int16>
    /// For each spectrum what coefficients are measured with.
    let measures: UnsafeMutableBufferPointer<Int16>
    private let kernels: UnsafePointer<fusion_kernels>
    /// Units of work.
    let units: Int
    private let activity: UnsafeMutableBufferPointer<fusion_activity>
    /// Rows from one row of tiles that is looked at to the next.
    private let apart: Int

    /// A search in planes of at least 8x8 samples. Every other row of tiles tells enough; every fourth, when it `isHasty`,
    /// something.
    init(width: Int, height: Int, isHasty: Bool, kernels: UnsafePointer<fusion_kernels>) {
        (self.width, self.height, self.kernels) = (width, height, kernels)
        apart = isHasty ? Self.cell : Self.cell / 2
        cellsAcross = (width + Self.cell - 1) / Self.cell
        cellsDown = (height + Self.cell - 1) / Self.cell
        units = (cellsDown + Self.unitRows - 1) / Self.unitRows
        activity = .allocate(capacity: cellsAcross * cellsDown)
        thresholds = Scratch(cellsAcross * cellsDown * NoiseModel.coefficients, filledWith: 0)
        floors = Scratch(cellsAcross * cellsDown * NoiseModel.coefficients, filledWith: 0)
        measures = .allocate(capacity: NoiseMap.mostSpectra * NoiseMap.measures * NoiseModel.coefficients)
        activity.initialize(repeating: fusion_activity())
        measures.initialize(repeating: 0)
    }

    deinit {
        activity.deallocate()
        measures.deallocate()
    }

    /// Fills in `measures`: the first of three steps.
    func measure(_ noise: NoiseMap) { noise.measure(into: measures) }

    private func cellRows(_ unit: Int) -> Range<Int> {
        unit * Self.unitRows..<min((unit + 1) * Self.unitRows, cellsDown)
    }

    /// Looks at a unit's blocks, the second step.
    func look(_ source: StripSource, _ noise: NoiseMap, _ unit: Int) {
        for row in cellRows(unit) {
            let cells = activity.baseAddress! + row * cellsAcross
            cells.update(repeating: fusion_activity(), count: cellsAcross)
            for top in stride(from: row * Self.cell, to: min((row + 1) * Self.cell, height - 7), by: apart) {
                let tiles = top / NoiseMap.tile * noise.across
                let (variance, choice) = (noise.variance.baseAddress! + tiles, noise.choice.baseAddress! + tiles)
                switch source {
                case .merged(let plane):
                    kernels.pointee.denoise_activity(
                        plane.samples + top * plane.stride, plane.stride, width / NoiseMap.tile, variance, choice,
                        measures.baseAddress!, cells)
                case .frame(let plane):
                    kernels.pointee.denoise_activity_bytes(
                        plane.row(top), plane.stride, width / NoiseMap.tile, variance, choice, measures.baseAddress!,
                        cells)
                }
            }
        }
    }

    /// Fills in a unit's `thresholds` and `floors`, when all units have been looked at: the last step.
    func chooseGains(_ unit: Int) {
        let cells = activity.baseAddress!
        for row in cellRows(unit) {
            kernels.pointee.denoise_gains(
                cells + max(row - 1, 0) * cellsAcross, cells + row * cellsAcross,
                cells + min(row + 1, cellsDown - 1) * cellsAcross, cellsAcross,
                thresholds.base + row * cellsAcross * NoiseModel.coefficients,
                floors.base + row * cellsAcross * NoiseModel.coefficients)
        }
    }
}
