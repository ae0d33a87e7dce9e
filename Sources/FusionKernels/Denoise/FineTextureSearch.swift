// SPDX-License-Identifier: MIT
// Finds texture that no single coefficient reveals.

import LivecapCFusionKernels

/// Determines for each cell of 32x32 samples what denoising must leave there. Unlike `TextureSearch`, it ignores
/// coefficients that stand out of the noise, because groups of patches preserve those anyway. It owns its working
/// memory and examines one plane at a time.
final class FineTextureSearch: @unchecked Sendable {
    /// Samples on a side of a cell.
    private static let cell = 32
    /// Rows of cells per unit of work.
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

    /// Creates a search for planes of at least 8x8 samples.
    init(width: Int, height: Int, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool) {
        self.width = width
        self.height = height
        self.kernels = kernels
        self.pool = pool
        cellsAcross = (width + Self.cell - 1) / Self.cell
        cellsDown = (height + Self.cell - 1) / Self.cell
        units = (cellsDown + Self.unitRows - 1) / Self.unitRows
        textures = .allocate(capacity: cellsAcross * cellsDown)
        floors = .allocate(capacity: cellsAcross * cellsDown * 64)
        strengths = .allocate(capacity: cellsAcross * cellsDown)
        spectra = .allocate(capacity: NoiseMap.maxSpectra * NoiseModel.coefficients)
        strips = .allocate(capacity: units * 8 * (width + 12))
        textures.initialize(repeating: fusion_texture())
        for numbers in [floors, strengths, spectra, strips] { numbers.initialize(repeating: 0) }
    }

    deinit {
        textures.deallocate()
        for numbers in [floors, strengths, spectra, strips] { numbers.deallocate() }
    }

    /// The index of the cell that contains a sample of the plane; for one in the right or lower margin, the nearest
    /// cell.
    func cell(x: Int, y: Int) -> Int {
        min(y / Self.cell, cellsDown - 1) * cellsAcross + min(x / Self.cell, cellsAcross - 1)
    }

    /// The share of each coefficient to keep in a cell even if it does not stand out of the noise: 64 numbers.
    func floors(_ cell: Int) -> UnsafePointer<Float> { UnsafePointer(floors.baseAddress! + 64 * cell) }

    /// The share of the noise's variance to remove in a cell: less where there is texture.
    func strength(_ cell: Int) -> Float { strengths[cell] }

    /// Examines a plane.
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
                kernels.pointee.detail.denoise_strip(source.samples, source.stride, width, height, top, strip)
                kernels.pointee.detail.texture_sum(
                    strip, width / NoiseMap.tile, noise.variance.baseAddress! + tiles, spectra.baseAddress!,
                    noise.choice.baseAddress! + tiles, cells)
            }
        }
    }

    private func judge(_ unit: Int) {
        let cells = textures.baseAddress!
        for row in cellRows(unit) {
            kernels.pointee.detail.texture_floors(
                cells + max(row - 1, 0) * cellsAcross, cells + row * cellsAcross,
                cells + min(row + 1, cellsDown - 1) * cellsAcross, cellsAcross,
                floors.baseAddress! + 64 * row * cellsAcross)
            for cell in row * cellsAcross..<(row + 1) * cellsAcross {
                strengths[cell] = 1 - floors[64 * cell..<64 * (cell + 1)].reduce(0, +) / 64
            }
        }
    }
}
