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
    private let slopes: SlopeMap
    /// One per plane.
    private let places: [PlaceNoise]
    private let hotSpots: HotSpots
    /// One per other frame.
    private let light: [LocalLight]
    /// One per lane, for `places`.
    private let placeScratch: [Scratch<Int16>]

    init(
        _ frame: FusionFrame, chroma: ChromaGrid, method: FusionMethod, kernels: UnsafePointer<fusion_kernels>,
        pool: any FusionPool
    ) {
        self.pool = pool
        self.method = method
        self.chroma = chroma
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
        hotSpots = HotSpots(height: frame.planes[0].height)
        places = frame.planes.enumerated().map { place, plane in
            PlaceNoise(
                width: plane.width, height: plane.height, place == 0 ? .brightness : .chroma, kernels)
        }
        light = (0..<Merger.maxOthers).map { _ in
            LocalLight(width: frame.planes[0].width, height: frame.planes[0].height)
        }
        placeScratch = (0..<lanes).map { _ in Scratch(PlaceNoise.scratchCount, filledWith: 0) }
    }

    /// Finds where the reference is clipped, which merging and denoising depend on.
    func lookForClipping(_ reference: FusionFrame) { clipping.measure(reference.planes[0]) }

    /// Merges all planes.
    func merge(_ burst: Burst, _ motion: MotionStage, _ noise: NoiseStage) {
        let reference = burst.reference
        let others: [[Merger.Other]] = mergers.indices.map { place in
            burst.others.indices.map { index in
                let frame = motion.frame(burst, index)
                return (
                    frame.planes[place], frame.fine.isEmpty ? nil : frame.fine[place],
                    place == 0 ? motion.fields[index] : motion.chromaFields[index]
                )
            }
        }
        let (mergers, merged, clipping, places, light) = (mergers, merged, clipping, places, light)
        pool.run(burst.others.count) { index in
            light[index].measure(
                reference.levels[2], other: motion.frame(burst, index).levels[2], field: motion.fields[index],
                noise: noise.models[0], clipping: clipping)
        }
        lookForPlaces(reference, noise, others)
        pool.run(mergers.count) { place in
            mergers[place].expect(
                knownNoise(from: noise, of: reference, plane: place), places: places[place], others: others[place])
        }
        shareOut(mergers.map(\.strips)) { lane, place, strip in
            mergers[place].merge(
                (reference.planes[place], reference.fine.isEmpty ? nil : reference.fine[place]), others[place],
                light: place == 0 ? light : [], strip: strip, lane: lane, into: merged[place])
        }
        removeHotSpots(burst, motion, noise)
    }

    /// What is known of the noise of a plane.
    private func knownNoise(from noise: NoiseStage, of reference: FusionFrame, plane place: Int) -> KnownNoise {
        KnownNoise(
            model: noise.models[place], brightness: reference.levels[2], clipping: clipping, slopes: slopes,
            step: place == 0 ? (1, 1) : chroma.step)
    }

    /// Takes out hot pixels that the merge could not.
    private func removeHotSpots(_ burst: Burst, _ motion: MotionStage, _ noise: NoiseStage) {
        let others: [HotSpots.Other] = burst.others.indices.filter { motion.rejections[$0] == nil }.map { index in
            (motion.frame(burst, index), motion.whole[index])
        }
        let (hotSpots, plane) = (hotSpots, burst.reference.planes[0])
        guard hotSpots.begin(burst.reference, others, noise: noise.models[0]) else { return }
        shareOut([plane.height]) { _, _, row in hotSpots.look(plane, row: row) }
        hotSpots.remove(from: merged, reference: burst.reference, others: others, step: chroma.step)
    }

    /// How many hot pixels were taken out.
    var hotPixels: Int { hotSpots.count }

    /// Finds how noise differs by place.
    private func lookForPlaces(_ reference: FusionFrame, _ noise: NoiseStage, _ others: [[Merger.Other]]) {
        let (slopes, places, chroma) = (slopes, places, chroma)
        for (place, model) in noise.models.enumerated() { places[place].begin(model) }
        let half = reference.levels[0], canLearn = others[0].count >= PlaceNoise.fewestFrames
        let isMeasured = noise.models.contains(where: \.dependsOnSlopes)
        if isMeasured {
            shareOut([slopes.down]) { _, _, row in slopes.measure(half.view, row: row) }
        } else if canLearn {
            // Enough to learn from: a whole map takes as long as all that is learnt.
            shareOut([slopes.down]) { _, _, row in
                let isNeeded = places.indices.contains { place in
                    slopes.isLookedAt(row, place == 0 ? (1, 1) : chroma.step) { cells in
                        cells < places[place].down && places[place].isSampled[cells]
                    }
                }
                if isNeeded { slopes.measure(half.view, row: row) }
            }
        }
        guard canLearn else { return }
        let subjects = places.indices.map { place in
            PlaceNoise.Subject(
                reference: reference.planes[place], noise: knownNoise(from: noise, of: reference, plane: place),
                others: others[place])
        }
        let placeScratch = placeScratch
        shareOut(places.map(\.down)) { lane, place, row in
            places[place].sample(subjects[place], row: row, placeScratch[lane])
        }
        pool.run(places.count) { places[$0].learn() }
        guard places.contains(where: \.dependsOnPlace) else { return }
        if !isMeasured { shareOut([slopes.down]) { _, _, row in slopes.measure(half.view, row: row) } }
        shareOut(places.map { $0.dependsOnPlace ? $0.down : 0 }) { lane, place, row in
            places[place].finish(subjects[place], row: row, placeScratch[lane])
        }
    }

    /// Runs the parts of all planes, of which each has a number of its own. They form one sequence, so that no thread
    /// waits between planes.
    private func shareOut(_ parts: [Int], _ body: @Sendable (_ lane: Int, _ place: Int, _ part: Int) -> Void) {
        let next = Atomic(0)
        pool.run(lanes) { lane in
            while true {
                var (part, place) = (next.add(1, ordering: .relaxed).oldValue, 0)
                while place < parts.count, part >= parts[place] {
                    part -= parts[place]
                    place += 1
                }
                guard place < parts.count else { return }
                body(lane, place, part)
            }
        }
    }

    /// Describes the noise that remains in each merged plane, for the methods that denoise. `besides` runs at the
    /// same time.
    func describeNoise(_ burst: Burst, _ motion: MotionStage, _ noise: NoiseStage, besides: @Sendable () -> Void) {
        let (merged, maps, leftNoise, places) = (merged, maps, leftNoise, places)
        pool.run(method == .merge ? 1 : merged.count + 1) { part in
            guard part > 0 else { return besides() }
            let place = part - 1
            leftNoise[place].describe(
                knownNoise(from: noise, of: burst.reference, plane: place), places: places[place], of: merged[place],
                mergedBy: (place == 0 ? motion.fields : motion.chromaFields)[..<burst.others.count], into: maps[place])
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

    /// Writes to the picture how many frames' worth of evidence supports each region, and what is missing of the
    /// `others` that are used, why.
    func describeEvidence(in picture: FusedPicture, others: Int) {
        let all = Float(max(1, others))
        for y in 0..<picture.regionsDown {
            for x in 0..<picture.regionsAcross {
                let region = y * picture.regionsAcross + x, brightness = evidence(merged[0], x: x, y: y, step: (1, 1))
                picture.evidence[region] = 1 + brightness
                var color = brightness
                for plane in 1..<max(1, merged.count) {
                    color = min(color, evidence(merged[plane], x: x, y: y, step: chroma.step))
                }
                let isClipped = (0..<4).contains { clipping.share(2 * x + $0 % 2, 2 * y + $0 / 2, (1, 1)) < 1 }
                // Without any other frame, none is missing.
                picture.refusals[region] =
                    others == 0
                    ? nil
                    : Refusal(brightness: 1 - brightness / all, color: 1 - color / all, isClipped: isClipped)
            }
        }
    }

    /// The other frames' mean weight in the cells of a plane that a region of 16x16 pixels has.
    private func evidence(_ plane: MergedPlane, x: Int, y: Int, step: (x: Int, y: Int)) -> Float {
        let down = (plane.height + 7) / 8, (columns, rows) = (2 / step.x, 2 / step.y)
        var (sum, pairs) = (UInt32(0), 0)
        for v in min(rows * y, down - 1)..<min(rows * (y + 1), down) {
            for u in min(columns * x, plane.across - 1)..<min(columns * (x + 1), plane.across) {
                sum += plane.evidence[v * plane.across + u]
                pairs += (min(8, plane.width - 8 * u) + 1) / 2 * min(8, plane.height - 8 * v)
            }
        }
        return Float(sum) / Float(Merger.fullWeight * pairs)
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
