// SPDX-License-Identifier: MIT
// Finds out where there is texture that no single coefficient shows.

import CFusionKernels

/// Looks at a plane's blocks, and says for each cell of 32x32 samples what denoising has to leave there. It owns
/// the memory it works in; one plane at a time. Unlike `TextureSearch` it leaves out what stands out of the noise, which groups
/// of patches find anyway.
final class FineTextureSearch: @unchecked Sendable {
    /// Samples a cell spans across and down.
    private static let cell = 32
    /// Rows of cells a unit of work has.
    private static let unitRows = 3
    let width: Int
    let height: Int
    private let pool: any FusionPool
    private let kernels: UnsafePointer<fusion_kernels>
    private let cellsAcross: Int
    private let cellsDown: Int
    private let units: Int
    private let textures: UnsafeMutableBufferPointer<fusion_texture>
    private let floors: UnsafeMutableBufferPointer<Float>
    private let strengths: UnsafeMutableBufferPointer<Float>
    private let spectra: UnsafeMutableBufferPointer<Float>
    private let strips: UnsafeMutableBufferPointer<Float>

    /// A search in planes of at least 8x8 samples.
    init(width: Int, height: Int, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool) {
        (self.width, self.height, self.kernels, self.pool) = (width, height, kernels, pool)
        cellsAcross = (width + Self.cell - 1) / Self.cell
        cellsDown = (height + Self.cell - 1) / Self.cell
        units = (cellsDown + Self.unitRows - 1) / Self.unitRows
        textures = .allocate(capacity: cellsAcross * cellsDown)
        floors = .allocate(capacity: cellsAcross * cellsDown * 64)
        strengths = .allocate(capacity: cellsAcross * cellsDown)
        spectra = .allocate(capacity: NoiseMap.mostSpectra * NoiseModel.coefficients)
        strips = .allocate(capacity: units * 8 * (width + 12))
        textures.initialize(repeating: fusion_texture())
        for numbers in [floors, strengths, spectra, strips] { numbers.initialize(repeating: 0) }
    }

    deinit {
        textures.deallocate()
        for numbers in [floors, strengths, spectra, strips] { numbers.deallocate() }
    }

    /// The number of the cell that a sample of the plane, or of its margin, is in.
    func cell(x: Int, y: Int) -> Int {
        min(y / Self.cell, cellsDown - 1) * cellsAcross + min(x / Self.cell, cellsAcross - 1)
    }

    /// What share of each coefficient is to be kept in a cell, though it does not stand out of the noise.
    func floors(_ cell: Int) -> UnsafePointer<Float> { UnsafePointer(floors.baseAddress! + 64 * cell) }

    /// How much of the noise's variance is to be taken out in a cell: less where there is texture.
    func strength(_ cell: Int) -> Float { strengths[cell] }

    /// Looks at a plane.
    func run(_ source: ResidualDenoiser.Source, noise: NoiseMap) {
        noise.whiten(into: spectra)
        pool.run(units) { unit in self.look(source, noise, unit) }
        pool.run(units) { unit in self.judge(unit) }
    }

    private func cellRows(_ unit: Int) -> Range<Int> {
        unit * Self.unitRows..<min((unit + 1) * Self.unitRows, cellsDown)
    }

    private func look(_ source: ResidualDenoiser.Source, _ noise: NoiseMap, _ unit: Int) {
        let strip = strips.baseAddress! + unit * 8 * (width + 12)
        for row in cellRows(unit) {
            let cells = textures.baseAddress! + row * cellsAcross
            cells.update(repeating: fusion_texture(), count: cellsAcross)
            for top in stride(from: row * Self.cell, to: min((row + 1) * Self.cell, height - 7), by: 8) {
                let tiles = top / NoiseMap.tile * noise.across
                kernels.pointee.denoise_strip(source.samples, source.stride, width, height, top, strip)
                kernels.pointee.texture_sum(
                    strip, width / NoiseMap.tile, noise.variance.baseAddress! + tiles, spectra.baseAddress!,
                    noise.choice.baseAddress! + tiles, cells)
            }
        }
    }

    private func judge(_ unit: Int) {
        let cells = textures.baseAddress!
        for row in cellRows(unit) {
            kernels.pointee.texture_floors(
                cells + max(row - 1, 0) * cellsAcross, cells + row * cellsAcross,
                cells + min(row + 1, cellsDown - 1) * cellsAcross, cellsAcross,
                floors.baseAddress! + 64 * row * cellsAcross)
            for cell in row * cellsAcross..<(row + 1) * cellsAcross {
                strengths[cell] = 1 - floors[64 * cell..<64 * (cell + 1)].reduce(0, +) / 64
            }
        }
    }
}
