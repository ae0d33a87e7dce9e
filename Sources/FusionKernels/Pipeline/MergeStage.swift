// SPDX-License-Identifier: MIT
// Merges a burst's planes, then denoises the result.

import LivecapCFusionKernels
import LivecapFrames
import Synchronization

/// Merges and denoises a burst's planes. It owns the merged planes and the maps of their noise.
final class MergeStage: @unchecked Sendable {
    private let pool: any FusionPool
    private let method: FusionMethod
    private let chroma: ChromaGrid
    private let lanes: Int
    private let mergers: [Merger]
    private let merged: [MergedPlane]
    private let maps: [NoiseMap]
    /// One per plane, for the method that denoises within a frame interval (`balanced`).
    private let denoisers: [ResidualDenoiser]
    /// For the slow method (`quality`).
    private let collaborative: CollaborativeDenoiser?
    /// One per plane.
    private let leftNoise: [MergedNoise]
    private let clipping: Clipping
    /// Measured only for noise that depends on slopes.
    private let slopes: SlopeMap

    init(
        _ frame: FusionFrame, _ chroma: ChromaGrid, _ method: FusionMethod, _ kernels: UnsafePointer<fusion_kernels>,
        _ pool: any FusionPool
    ) {
        (self.pool, self.method, self.chroma) = (pool, method, chroma)
        let lanes = max(1, pool.threads)
        self.lanes = lanes
        // A lane processes one strip at a time, of any plane; the brightness plane is the widest.
        let scratch = (0..<lanes).map { _ in StripScratch(width: frame.planes[0].width) }
        mergers = frame.planes.map { Merger(width: $0.width, height: $0.height, scratch: scratch, kernels) }
        merged = frame.planes.map { MergedPlane(width: $0.width, height: $0.height) }
        maps = frame.planes.map { plane in
            let map = NoiseMap(width: plane.width, height: plane.height)
            map.spectra = Array(repeating: map.spectra[0], count: NoiseMap.maxSpectra)
            return map
        }
        let (isQuick, isThorough) = (method == .balanced, method == .quality)
        denoisers = frame.planes.prefix(isQuick ? frame.planes.count : 0).map {
            ResidualDenoiser(width: $0.width, height: $0.height, kernels: kernels, pool: pool)
        }
        let size = frame.format.size
        collaborative =
            isThorough
            ? CollaborativeDenoiser(
                width: size.width, height: size.height, chroma: chroma, kernels: kernels, pool: pool)
            : nil
        leftNoise = frame.planes.map { _ in MergedNoise() }
        clipping = Clipping(width: frame.planes[0].width, height: frame.planes[0].height)
        slopes = SlopeMap(width: frame.planes[0].width, height: frame.planes[0].height)
    }

    /// Finds where the reference is clipped, which merging and denoising depend on.
    func lookForClipping(_ reference: FusionFrame) { clipping.measure(reference.planes[0]) }

    /// Merges all planes.
    func merge(_ burst: Burst, _ motion: MotionStage, _ noise: NoiseStage) {
        let reference = burst.reference
        let brightness = reference.levels[2]
        let others: [[Merger.Other]] = mergers.indices.map { place in
            burst.others.indices.map { index in
                let frame = motion.frame(burst, index)
                return (
                    frame.planes[place], frame.fine.isEmpty ? nil : frame.fine[place],
                    place == 0 ? motion.fields[index] : motion.chromaFields[index]
                )
            }
        }
        let (mergers, merged, chroma, clipping) = (mergers, merged, chroma, clipping)
        if noise.models.contains(where: \.dependsOnSlopes) { slopes.measure(reference.levels[0].view) }
        let slopes = slopes
        pool.run(mergers.count) { place in
            let model = noise.models[place]
            mergers[place].expect(
                model, brightness, clipping, model.dependsOnSlopes ? slopes : nil, others[place],
                step: place == 0 ? (1, 1) : chroma.step)
        }
        // The strips of all planes form one sequence, so that no thread waits between planes.
        let next = Atomic(0)
        pool.run(lanes) { lane in
            while true {
                var (strip, place) = (next.add(1, ordering: .relaxed).oldValue, 0)
                while place < mergers.count, strip >= mergers[place].strips {
                    strip -= mergers[place].strips
                    place += 1
                }
                guard place < mergers.count else { return }
                mergers[place].merge(
                    (reference.planes[place], reference.fine.isEmpty ? nil : reference.fine[place]), others[place],
                    strip: strip, lane: lane, into: merged[place])
            }
        }
    }

    /// Describes the noise that remains in each merged plane, for the methods that denoise. `besides` runs at the
    /// same time.
    func describeNoise(_ burst: Burst, _ motion: MotionStage, _ noise: NoiseStage, besides: @Sendable () -> Void) {
        let (merged, maps, leftNoise, chroma, clipping) = (merged, maps, leftNoise, chroma, clipping)
        let slopes = slopes
        pool.run(method == .merge ? 1 : merged.count + 1) { part in
            guard part > 0 else { return besides() }
            let place = part - 1, plane = merged[place]
            leftNoise[place].describe(
                noise.models[place], (place == 0 ? motion.fields : motion.chromaFields)[..<burst.others.count],
                evidence: plane.evidence, full: Float(Merger.fullWeight), brightness: burst.reference.levels[2],
                clipping, noise.models[place].dependsOnSlopes ? slopes : nil,
                step: place == 0 ? (1, 1) : chroma.step, size: (plane.width, plane.height), into: maps[place])
        }
    }

    /// The mean weight of another frame.
    func share(of other: Int) -> Double { mergers[0].share(of: other) }

    /// Denoises all planes into `picture`, or just copies them for the `merge` method.
    func denoise(into picture: FusedPicture) {
        guard method != .merge else {
            for (plane, out) in zip(merged, picture.planes) { plane.copy(to: out.samples.baseAddress!) }
            return
        }
        let sources = merged.map { ResidualDenoiser.Source(samples: $0.samples.base, stride: $0.stride) }
        let targets = picture.planes.map {
            ResidualDenoiser.Target(samples: $0.samples.baseAddress!, stride: $0.width)
        }
        if let collaborative { return collaborative.run(sources, noise: maps, into: targets) }
        ResidualDenoiser.run(
            denoisers.indices.map { place in
                .init(
                    denoiser: denoisers[place], source: .merged(sources[place]), noise: maps[place],
                    target: targets[place])
            }, pool)
    }

    /// Writes to the picture how many frames' worth of evidence supports each region.
    func describeEvidence(in picture: FusedPicture) {
        let plane = merged[0], down = (plane.height + 7) / 8
        for y in 0..<picture.regionsDown {
            for x in 0..<picture.regionsAcross {
                var sum: UInt32 = 0
                for v in 2 * y..<min(2 * y + 2, down) {
                    for u in 2 * x..<min(2 * x + 2, plane.across) { sum += plane.evidence[v * plane.across + u] }
                }
                let pairs = (min(16, plane.width - 16 * x) + 1) / 2 * min(16, plane.height - 16 * y)
                picture.evidence[y * picture.regionsAcross + x] = 1 + Float(sum) / Float(Merger.fullWeight * pairs)
            }
        }
    }
}

extension MergedPlane {
    /// Copies the plane unchanged, converting Q6 to codes times 256.
    fileprivate func copy(to out: UnsafeMutablePointer<UInt16>) {
        for y in 0..<height {
            let row = row(y)
            for x in 0..<width { out[y * width + x] = UInt16(max(0, min(16383, row[x]))) << 2 }
        }
    }
}
