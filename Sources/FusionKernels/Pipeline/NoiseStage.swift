// SPDX-License-Identifier: MIT
// Estimates the noise of a burst, plane by plane.

import LivecapCFusionKernels

/// Estimates the noise of each plane from the frames nearest the reference; if those are not credible, from the
/// reference alone.
final class NoiseStage: @unchecked Sendable {
    /// How many pairs of consecutive frames are used. In small pictures, two pairs have too few squares.
    private static let minPairs = 2, maxPairs = 3
    private let pairs: Int
    private let pool: any FusionPool
    private let chroma: ChromaGrid
    /// The bounds in force.
    private let bounds: NoiseBounds
    private let estimators: [BurstNoise]
    /// What each estimator found: pair by pair, and within each pair plane by plane.
    private var found: [NoiseModel]
    private let isFound: Scratch<Bool>
    private let alone: [SingleFrameNoise]
    private let tiles: [TileMeans]
    /// The noise estimated from the reference alone.
    private var ownModels: [NoiseModel]
    /// The noise of Y', Cb and Cr, each by brightness.
    private(set) var models: [NoiseModel]

    init(_ frame: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>, _ pool: any FusionPool, bounds: NoiseBounds) {
        self.pool = pool
        self.bounds = bounds
        chroma = frame.chroma
        pairs = frame.format.size.area < BurstSquares.ampleArea ? Self.maxPairs : Self.minPairs
        estimators = (0..<pairs * frame.planes.count).map { _ in BurstNoise(kernels, bounds: bounds) }
        found = estimators.map { _ in NoiseModel() }
        isFound = Scratch(estimators.count, filledWith: false)
        alone = frame.planes.map { _ in SingleFrameNoise(kernels: kernels, bounds: bounds) }
        tiles = frame.planes.map { TileMeans(width: $0.width, height: $0.height, kernels: kernels) }
        ownModels = frame.planes.map { _ in NoiseModel() }
        models = frame.planes.map { _ in NoiseModel() }
    }

    func estimate(_ burst: Burst, _ motion: MotionStage) {
        let planes = models.count
        // The pairs nearest the reference.
        let reference = burst.referencePlace
        let near = burst.frames.indices.dropLast().sorted {
            let (a, b) = (
                $0 >= reference ? $0 - reference : reference - 1 - $0,
                $1 >= reference ? $1 - reference : reference - 1 - $1
            )
            return (a, $0) < (b, $1)
        }.prefix(pairs)
        var links = near.map { motion.links[$0]! }
        // Bands of light would be taken for noise.
        let isMatched = near.map { motion.hasRowLight(burst, at: $0) || motion.hasRowLight(burst, at: $0 + 1) }
        for pair in links.indices where isMatched[pair] { links[pair].noise = nil }
        let frames = zip(near, isMatched).map { place, isMatched in
            isMatched
                ? (motion.matchedFrame(burst, at: place), motion.matchedFrame(burst, at: place + 1))
                : (burst.frames[place], burst.frames[place + 1])
        }
        let known = links
        let (estimators, chroma, isFound) = (estimators, chroma, isFound)
        found.withUnsafeMutableBufferPointer { found in
            nonisolated(unsafe) let found = found
            pool.run(near.count * planes) { job in
                let (pair, place) = (job / planes, job % planes)
                guard known[pair].noise == nil, known[pair].areAlike else { return }
                let (across, down) = place == 0 ? (1, 1) : chroma.step
                let (own, other) = frames[pair]
                let planes = PlanePair(
                    own: own.planes[place], other: other.planes[place],
                    motion: known[pair].motion.inPlane(across, down), frame: own, step: (across, down))
                isFound[job] = estimators[job].estimate(planes, into: &found[job])
            }
        }
        var estimates: [[NoiseModel]] = []
        for (pair, link) in links.enumerated() {
            var noise = link.noise ?? []
            if link.noise == nil {
                let own = pair * planes..<(pair + 1) * planes
                noise = link.areAlike && own.allSatisfy({ isFound[$0] }) ? Array(found[own]) : []
                if !isMatched[pair] { motion.remember(noise, at: near[pair]) }
            }
            if !noise.isEmpty { estimates.append(noise) }
        }
        if estimates.isEmpty { return burst.isOneFrame ? assumeNone() : estimateAlone(burst.reference) }
        // A pair with a damaged frame or a cut reads far higher than the others.
        let level = Float(burst.reference.brightness)
        let least = estimates.reduce(Float.infinity) { min($0, $1[0].variance(at: level)) }
        let count = estimates.count
        estimates.removeAll { pair in
            var shown = BoundedEstimate(pair[0].variance(at: level))
            return shown.discard(by: .otherPairs, of: bounds) { $0 > NoiseLimit.pairRatio * least }
        }
        for place in models.indices { models[place].becomeMean(of: estimates, place, bounds) }
        if estimates.count < count { models[0].decidedBy.insert(.otherPairs) }
        let isStill = links.allSatisfy(\.motion.isStill)
        guard let bound = boundOfBurst(burst.reference, isStill: isStill) else { return }
        estimateAlone(burst.reference)
        models[0].decidedBy.insert(bound)
    }

    /// The bound that discards the estimate from the frames, because at the mean brightness of the picture it is not
    /// credible as noise. Nil if it is. `isStill` says that the camera did not move between the frames.
    private func boundOfBurst(_ reference: FusionFrame, isStill: Bool) -> NoiseBound? {
        var shown = BoundedEstimate(models[0].variance(at: Float(reference.brightness)))
        // Noise this weak is always credible.
        guard shown.value > NoiseLimit.aloneLimit.more else { return nil }
        estimateAlone(reference, 0)
        let own = alone[0].most(at: reference.brightness)
        // A frame without an even place gives no estimate, but it has a variance. If its texture is everywhere, and
        // was aligned with its own neighbour, frames differ by as much as that variance.
        let isDiscarded =
            if own > NoiseModel.leastVariance {
                shown.discard(by: .referenceAlone, of: bounds) {
                    let factor = isStill ? NoiseLimit.aloneLimit.still : NoiseLimit.aloneLimit.moving
                    return $0 > factor * own + NoiseLimit.aloneLimit.more
                }
            } else {
                shown.discard(by: .textureVariance, of: bounds) {
                    $0 > NoiseLimit.textureShare * tiles[0].meanVariance
                }
            }
        return isDiscarded ? shown.decidedBy : nil
    }

    /// Identical frames carry no noise.
    private func assumeNone() {
        for place in models.indices { models[place].becomeWhite(NoiseModel.leastVariance) }
    }

    private func estimateAlone(_ reference: FusionFrame) {
        for place in models.indices { estimateAlone(reference, place) }
        swap(&models, &ownModels)
    }

    private func estimateAlone(_ reference: FusionFrame, _ place: Int) {
        // The level whose samples are means of 8x8 pixels.
        tiles[place].measure(
            reference.planes[place], means: reference.levels[2], step: place == 0 ? (1, 1) : chroma.step)
        alone[place].estimate(reference.planes[place], tiles[place], into: &ownModels[place])
        // With no noise at all, nothing in other frames would ever agree with the reference.
        for code in ownModels[place].variance.indices {
            ownModels[place].variance[code] = max(NoiseModel.leastVariance, ownModels[place].variance[code])
        }
    }
}

extension ChromaGrid {
    /// Pixels that a chroma sample covers across and down.
    var step: (Int, Int) { self == .quads ? (2, 2) : (2, 1) }
}

extension NoiseModel {
    fileprivate mutating func becomeWhite(_ all: Float) {
        for code in variance.indices { variance[code] = all }
        for place in spectrum.indices { spectrum[place] = 1 }
        for place in slopeFactors.indices { slopeFactors[place] = 1 }
        (seen, decidedBy) = (0...Self.levels - 1, [])
    }

    /// Sets the model to the mean of several estimates for a plane.
    fileprivate mutating func becomeMean(of models: [[NoiseModel]], _ place: Int, _ bounds: NoiseBounds) {
        let share = 1 / Float(models.count)
        seen = models.reduce(models[0][place].seen) { seen, model in
            let other = model[place].seen
            return min(seen.lowerBound, other.lowerBound)...max(seen.upperBound, other.upperBound)
        }
        decidedBy = []
        for code in variance.indices {
            let least = models.reduce(Float.infinity) { min($0, $1[place].variance[code]) }
            var (sum, count) = (Float(0), Float(0))
            for model in models {
                var shown = BoundedEstimate(model[place].variance[code])
                let isDiscarded = shown.discard(by: .texturedPairs, of: bounds) {
                    model[place].isTextured && $0 > NoiseLimit.texturedRatio * least
                }
                // Outside the brightnesses that were seen, nothing depends on the estimate.
                if seen.contains(code) {
                    decidedBy.formUnion(isDiscarded ? NoiseBounds(.texturedPairs) : model[place].decidedBy)
                }
                guard !isDiscarded else { continue }
                sum += shown.value
                count += 1
            }
            variance[code] = sum / count
        }
        for index in slopeFactors.indices {
            slopeFactors[index] = models.reduce(0) { $0 + $1[place].slopeFactors[index] } * share
        }
        for index in spectrum.indices { spectrum[index] = models.reduce(0) { $0 + $1[place].spectrum[index] } * share }
    }
}
