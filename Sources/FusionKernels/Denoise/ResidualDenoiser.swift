// SPDX-License-Identifier: MIT
// Removes the noise that merging could not.

import LivecapCFusionKernels

/// Denoises planes of one size. It owns its working memory and denoises one plane at a time.
///
/// The plane is covered with overlapping blocks of 8x8 samples, in rows four samples apart, staggered like bricks.
/// Each block is cosine-transformed; each coefficient is reduced according to how far its energy exceeds the noise
/// expected of it; and the blocks are summed with windows that add up to 1. Before that, a pass over some of the
/// blocks finds texture that a single block cannot distinguish from noise.
///
/// Units of rows are processed in any order; the result has the same bits whatever the thread pool.
final class ResidualDenoiser: @unchecked Sendable {
    /// Rows per unit, in whole cells: for a single thread, and for threads that share the work. Each unit processes
    /// one strip of eight rows in addition to its own.
    private static let ownRows = 512, sharedRows = 96
    let width: Int
    let height: Int
    private let pool: any FusionPool
    private let kernels: UnsafePointer<fusion_kernels>
    private let units: Int
    private let unitRows: Int
    private let texture: TextureSearch
    /// For each unit, what one strip carries over to the next, and the noise of a strip's blocks.
    private let carries: Scratch<Int16>
    private let levels: Scratch<fusion_block>
    private var blocks: Int { (width + 3) / 4 + 1 }

    /// A plane of samples that are codes times 64 (Q6).
    struct Source: @unchecked Sendable {
        let samples: UnsafePointer<Int16>
        let stride: Int
    }

    /// A plane of samples that are codes times 256.
    struct Target: @unchecked Sendable {
        let samples: UnsafeMutablePointer<UInt16>
        let stride: Int
    }

    /// Creates a denoiser of planes of at least 8x8 samples. One that `isHasty` looks for texture less closely.
    init(
        width: Int, height: Int, isHasty: Bool = false, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool
    ) {
        self.width = width
        self.height = height
        self.kernels = kernels
        self.pool = pool
        unitRows = pool.threads == 1 ? Self.ownRows : Self.sharedRows
        units = (height + unitRows - 1) / unitRows
        texture = TextureSearch(width: width, height: height, isHasty: isHasty, kernels: kernels)
        carries = Scratch(units * 4 * width, filledWith: 0)
        levels = Scratch(units * ((width + 3) / 4 + 1), filledWith: fusion_block())
    }

    /// A plane to denoise, and the denoiser to use.
    struct Job: @unchecked Sendable {
        let denoiser: ResidualDenoiser
        let source: StripSource
        let noise: NoiseMap
        let target: Target
    }

    /// Denoises planes (at most four), each with its own denoiser. The units of all planes are distributed together.
    static func run(_ jobs: [Job], _ pool: any FusionPool) {
        for job in jobs { job.denoiser.texture.measure(job.noise) }
        pool.run(jobs, \.denoiser.texture.units) { job, unit in
            job.denoiser.texture.look(job.source, job.noise, unit)
        }
        pool.run(jobs, \.denoiser.texture.units) { job, unit in job.denoiser.texture.chooseGains(unit) }
        pool.run(jobs, \.denoiser.units) { job, unit in
            job.denoiser.denoise(job.source, noise: job.noise, target: job.target, unit: unit)
        }
    }

    /// Denoises a merged plane into `target`.
    func run(_ source: Source, noise: NoiseMap, into target: Target) {
        run(.merged(source), noise: noise, into: target)
    }

    /// Denoises `source` into `target`.
    func run(_ source: StripSource, noise: NoiseMap, into target: Target) {
        Self.run([Job(denoiser: self, source: source, noise: noise, target: target)], pool)
    }

    /// Processes the unit's strips from top to bottom, four rows apart. The first one starts above the unit and only
    /// reaches into it.
    private func denoise(_ source: StripSource, noise: NoiseMap, target: Target, unit: Int) {
        let rows = unit * unitRows..<min((unit + 1) * unitRows, height)
        let (carry, levels) = (carries.base + unit * 4 * width, levels.base + unit * blocks)
        for top in stride(from: rows.lowerBound - 4, to: rows.upperBound, by: 4) {
            let first = (top / 4 + 1) & 1
            let upper = max(top, 0) / NoiseMap.tile * noise.across
            let lower = min((top + 4) / NoiseMap.tile, noise.down - 1) * noise.across
            var around = fusion_levels_parameters(
                upper: noise.variance.baseAddress! + upper, lower: noise.variance.baseAddress! + lower,
                tiles: noise.across, upper_bias: noise.bias.map { $0 + upper },
                lower_bias: noise.bias.map { $0 + lower }, spectrum: noise.choice.baseAddress! + lower, first: first,
                blocks: blocks, out: levels)
            kernels.pointee.residual.denoise_levels(&around)
            let cells = min(top + 4, height - 1) / TextureSearch.cell * texture.cellsAcross * NoiseModel.coefficients
            var strip = fusion_blocks_parameters(
                stride: source.stride, width: width, height: height, top: top, first: first, levels: levels,
                tables: texture.measures.baseAddress!, thresholds: texture.thresholds.base + cells,
                floors: texture.floors.base + cells, cells: texture.cellsAcross, carry: carry,
                out: target.samples + max(top, 0) * target.stride, out_stride: target.stride,
                rows: top < rows.lowerBound ? 0 : min(4, rows.upperBound - top))
            switch source {
            case .merged(let plane): kernels.pointee.residual.denoise_blocks(plane.samples, &strip)
            case .frame(let plane): kernels.pointee.residual.denoise_blocks_bytes(plane.base, &strip)
            }
        }
    }
}

extension FusionPool {
    /// Calls `body` for each unit of each job, in any order and possibly concurrently.
    fileprivate func run(
        _ jobs: [ResidualDenoiser.Job], _ units: (ResidualDenoiser.Job) -> Int,
        _ body: @Sendable (ResidualDenoiser.Job, Int) -> Void
    ) {
        var counts = InlineArray<4, Int>(repeating: 0)
        for (place, job) in jobs.enumerated() { counts[place] = units(job) }
        let ends = counts
        run(jobs.reduce(0) { $0 + units($1) }) { part in
            var (unit, place) = (part, 0)
            while unit >= ends[place] {
                unit -= ends[place]
                place += 1
            }
            body(jobs[place], unit)
        }
    }
}
