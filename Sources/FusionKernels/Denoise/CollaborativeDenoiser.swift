// SPDX-License-Identifier: MIT
// The best denoising method available here: groups of similar patches, filtered in two passes.

import LivecapCFusionKernels

/// Denoises the planes of pictures of one size. It owns its working memory and denoises one picture at a time.
///
/// In the first pass (Collaborate.h), groups of similar 8x8 patches are transformed together, and coefficients that
/// are no larger than noise are removed; the result is the pilot. In the second pass (Bayes.h), groups of 4x4 patches
/// that are similar in the pilot are filtered by their covariance in it. Every patch of a group is denoised, and
/// every sample is a weighted mean over all patches that contain it. Patches of chroma are grouped by the finished
/// luma.
///
/// Bands of rows are processed in parallel, but never two neighbouring ones, because groups reach into the rows of
/// the next band. Every other band is done first, then those in between, so sums are formed in the same order
/// whatever the thread pool.
final class CollaborativeDenoiser: @unchecked Sendable {
    typealias Source = ResidualDenoiser.Source
    typealias Target = ResidualDenoiser.Target
    /// Rows per band. Groups reach at most `reach` rows above the band and `reach` + 4 rows below it.
    private static let bandRows = 32
    /// The patches for which groups are made start at every fourth row, and in it at every eighth sample: from 0 in one
    /// row, from 4 in the next.
    private static let rowStep = 4
    private static let step = 8
    /// How far away similar patches are searched for, in samples.
    private static let reach = 6
    /// How much the pilot counts in the second pass, compared with one estimate by a group. Small patches leave gaps
    /// between groups, in which it is all there is.
    private static let pilotWeight: Float = 0.2
    /// The minimum variance assumed, in squared codes: this much is added.
    private static let leastVariance: Float = 0.02

    private let chroma: ChromaGrid
    private let kernels: UnsafePointer<fusion_kernels>
    private let pool: any FusionPool
    private let lumaTexture: FineTextureSearch
    private let chromaTexture: FineTextureSearch?
    private let correlation = NoiseCorrelation()
    /// The positions at which similar patches are searched for, nearest first.
    private let shifts: UnsafeMutableBufferPointer<fusion_shift>
    /// For each band, the choices for eight patches.
    private let chosen: UnsafeMutableBufferPointer<UInt16>
    private static let chosenEach = 8 * Int(FUSION_MOST_PATCHES)
    private let noisy: FloatPlane
    private let pilot: FloatPlane
    private let sum: FloatPlane
    private let weight: FloatPlane
    private let guide: FloatPlane?

    /// Creates a denoiser of pictures of `width` by `height` pixels. No plane may be smaller than 8x8 samples.
    init(
        width: Int, height: Int, chroma: ChromaGrid, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool
    ) {
        self.chroma = chroma
        self.kernels = kernels
        self.pool = pool
        lumaTexture = FineTextureSearch(width: width, height: height, kernels: kernels, pool: pool)
        let across = chroma.width(of: width), down = chroma.height(of: height)
        chromaTexture =
            chroma == .none ? nil : FineTextureSearch(width: across, height: down, kernels: kernels, pool: pool)
        guide = chroma == .none ? nil : FloatPlane(width: across, height: down)
        noisy = FloatPlane(width: width, height: height)
        pilot = FloatPlane(width: width, height: height)
        sum = FloatPlane(width: width, height: height)
        weight = FloatPlane(width: width, height: height)
        chosen = .allocate(capacity: Self.bands(height) * Self.chosenEach)
        chosen.initialize(repeating: 0)
        let reach = -Self.reach...Self.reach
        func distance(_ shift: fusion_shift) -> Int { Int(shift.x) * Int(shift.x) + Int(shift.y) * Int(shift.y) }
        let near = reach.flatMap { y in reach.map { x in fusion_shift(x: Int16(x), y: Int16(y)) } }
            .filter { distance($0) <= Self.reach * Self.reach }
            .sorted { (distance($0), $0.y, $0.x) < (distance($1), $1.y, $1.x) }
        shifts = .allocate(capacity: near.count)
        _ = shifts.initialize(from: near)
    }

    deinit {
        chosen.deallocate()
        shifts.deallocate()
    }

    /// Denoises a picture, given its planes (Y', then Cb and Cr if there is chroma) and the noise of each.
    func run(_ sources: [Source], noise: [NoiseMap], into targets: [Target]) {
        precondition(sources.count == (chroma == .none ? 1 : 3), "another number of planes")
        let (width, height) = (lumaTexture.width, lumaTexture.height)
        run(
            sources[0], noise: noise[0], texture: lumaTexture, guide: nil, target: targets[0], width: width,
            height: height)
        guard let guide, let chromaTexture else { return }
        makeGuide(guide)
        for plane in 1...2 {
            run(
                sources[plane], noise: noise[plane], texture: chromaTexture, guide: guide, target: targets[plane],
                width: guide.width, height: guide.height)
        }
    }

    private static func bands(_ height: Int) -> Int { (height + bandRows - 1) / bandRows }

    private func eachBand(_ height: Int, _ body: @escaping @Sendable (Range<Int>) -> Void) {
        pool.run(Self.bands(height)) { band in
            body(band * Self.bandRows..<min((band + 1) * Self.bandRows, height))
        }
    }

    /// Shrinks the finished luma in `noisy` to the size of the chroma planes.
    private func makeGuide(_ guide: FloatPlane) {
        let across = noisy
        eachBand(guide.height) { rows in
            for y in rows {
                let (upper, lower) = self.chroma == .quads ? (2 * y, 2 * y + 1) : (y, y)
                self.kernels.pointee.patches.quarter_row(
                    across.row(upper), across.row(lower), guide.width, guide.row(y))
                guide.mirror(row: y)
            }
        }
        guide.mirrorRows()
    }

    private func run(
        _ source: Source, noise: NoiseMap, texture: FineTextureSearch, guide: FloatPlane?, target: Target,
        width: Int, height: Int
    ) {
        for plane in [noisy, pilot, sum, weight] { plane.shape(width: width, height: height) }
        correlation.take(noise.spectra)
        texture.run(source, noise: noise)
        eachBand(height) { rows in
            for y in rows {
                self.kernels.pointee.patches.widen_row(source.samples + y * source.stride, width, self.noisy.row(y))
                self.noisy.mirror(row: y)
            }
        }
        noisy.mirrorRows()
        sweep { y, x, chosen in
            self.kernels.pointee.patches.patches_like8(
                (guide ?? self.noisy).row(y) + x, self.noisy.stride, self.shifts.baseAddress!, self.shifts.count, chosen
            )
        } filter: { y, x, chosen in
            var group = fusion_group8_parameters(
                plane: self.noisy.row(y) + x, stride: self.noisy.stride, shifts: self.shifts.baseAddress!,
                chosen: chosen, lags: self.correlation.lags(Int(noise.choice[Self.tile(y + 4, x + 4, noise)])),
                texture: texture.floors(texture.cell(x: x + 4, y: y + 4)),
                variance: self.variance(y: y + 4, x: x + 4, chosen: chosen, count: FUSION_GROUP8, noise: noise),
                sum: self.sum.row(y) + x,
                weight: self.weight.row(y) + x)
            self.kernels.pointee.patches.collaborate(&group)
        }
        finish(into: pilot, nil)
        sweep(from: pilot) { y, x, chosen in
            self.kernels.pointee.patches.patches_like4(
                (guide ?? self.pilot).row(y) + x, self.noisy.stride, self.shifts.baseAddress!, self.shifts.count, chosen
            )
        } filter: { y, x, chosen in
            var group = fusion_group4_parameters(
                plane: self.noisy.row(y) + x, pilot: self.pilot.row(y) + x, stride: self.noisy.stride,
                shifts: self.shifts.baseAddress!, chosen: chosen,
                covariance: self.correlation.covariance(Int(noise.choice[Self.tile(y + 2, x + 2, noise)])),
                variance: self.variance(y: y + 2, x: x + 2, chosen: chosen, count: FUSION_GROUP4, noise: noise)
                    * texture.strength(texture.cell(x: x + 2, y: y + 2)),
                sum: self.sum.row(y) + x, weight: self.weight.row(y) + x)
            self.kernels.pointee.patches.collaborate_again(&group)
        }
        finish(into: noisy, target)
    }

    /// The index of the tile that contains a sample of the plane; for one in the margin, the nearest tile.
    private static func tile(_ y: Int, _ x: Int, _ noise: NoiseMap) -> Int {
        min(max(y, 0) / NoiseMap.tile, noise.down - 1) * noise.across
            + min(max(x, 0) / NoiseMap.tile, noise.across - 1)
    }

    /// The mean variance of the `count` patches chosen for the one centred at (x, y), as some may be where fewer
    /// frames were merged.
    private func variance(
        y: Int, x: Int, chosen: UnsafePointer<UInt16>, count: Int32, noise: NoiseMap
    ) -> Float {
        var sum: Float = 0
        for patch in 0..<Int(count) {
            let shift = shifts[Int(chosen[8 * patch])]
            sum += noise.variance[Self.tile(y + Int(shift.y), x + Int(shift.x), noise)]
        }
        return sum / Float(count) + Self.leastVariance
    }

    /// Makes a group for every patch of the lattice that starts in the plane. `search` chooses similar patches for
    /// eight of them at once, `filter` processes the choice of one. The sums start with `pilot` if there is one.
    private func sweep(
        from pilot: FloatPlane? = nil, search: @escaping @Sendable (Int, Int, UnsafeMutablePointer<UInt16>) -> Void,
        filter: @escaping @Sendable (Int, Int, UnsafePointer<UInt16>) -> Void
    ) {
        let (width, height) = (noisy.width, noisy.height)
        eachBand(height) { rows in
            self.sum.clear(rows)
            self.weight.clear(rows)
            guard let pilot else { return }
            for y in rows {
                let (from, sum, weight) = (pilot.row(y), self.sum.row(y), self.weight.row(y))
                for x in 0..<width { (sum[x], weight[x]) = (from[x] * Self.pilotWeight, Self.pilotWeight) }
            }
        }
        let bands = Self.bands(height)
        for parity in 0...1 {
            pool.run((bands + 1 - parity) / 2) { index in
                let band = 2 * index + parity
                let chosen = self.chosen.baseAddress! + band * Self.chosenEach
                let first = band * Self.bandRows
                for y in stride(from: first, to: min(first + Self.bandRows, height), by: Self.rowStep) {
                    let start = y % Self.step
                    for run in stride(from: start, to: width, by: 8 * Self.step) {
                        search(y, run, chosen)
                        for (patch, x) in stride(from: run, to: min(run + 8 * Self.step, width), by: Self.step)
                            .enumerated()
                        {
                            filter(y, x, chosen + patch)
                        }
                    }
                }
            }
        }
    }

    /// Divides the sums by the weights, and converts the rows for `target` if there is one.
    private func finish(into plane: FloatPlane, _ target: Target?) {
        eachBand(plane.height) { rows in
            for y in rows {
                self.kernels.pointee.patches.quotient_row(
                    self.sum.row(y), self.weight.row(y), plane.width, plane.row(y))
                plane.mirror(row: y)
                guard let target else { continue }
                self.kernels.pointee.patches.narrow_row(plane.row(y), plane.width, target.samples + y * target.stride)
            }
        }
        plane.mirrorRows()
    }
}
