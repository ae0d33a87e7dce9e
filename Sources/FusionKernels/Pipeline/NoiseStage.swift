// SPDX-License-Identifier: MIT
// What is noise in a burst, plane by plane.

import CFusionKernels

/// Estimates the noise of each plane: from the frames nearest the reference, and where those cannot be believed, from the
/// reference alone.
final class NoiseStage: @unchecked Sendable {
    /// How many other frames are looked at.
    private static let frames = 3
    /// Frames may read so many times the noise the reference alone does, plus so many squared codes: one frame reads low
    /// where the noise is smooth or JPEG flattened it. Other scenes, or light, read far more.
    private static let believed: (factor: Float, more: Float) = (4, 8)
    private let pool: any FusionPool
    private let chroma: ChromaGrid
    private let estimators: [BurstNoise]
    private let alone: [SingleFrameNoise]
    private let tiles: [TileMeans]
    /// What the reference alone says.
    private var ownModels: [NoiseModel]
    /// The noise of Y', Cb and Cr; all by the brightness.
    private(set) var models: [NoiseModel]

    init(_ frame: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>, _ pool: any FusionPool) {
        (self.pool, chroma) = (pool, frame.chroma)
        estimators = frame.planes.map { _ in BurstNoise(kernels) }
        alone = frame.planes.map { _ in SingleFrameNoise(kernels: kernels) }
        tiles = frame.planes.map { TileMeans(width: $0.width, height: $0.height, kernels: kernels) }
        ownModels = frame.planes.map { _ in NoiseModel() }
        models = frame.planes.map { _ in NoiseModel() }
    }

    func estimate(_ burst: Burst, _ motion: MotionStage) {
        var areKnown = (true, true, true)
        let (estimators, chroma) = (estimators, chroma)
        models.withUnsafeMutableBufferPointer { models in
            withUnsafeMutableBytes(of: &areKnown) { areKnown in
                nonisolated(unsafe) let (models, areKnown) = (models, areKnown)
                pool.run(models.count) { place in
                    let (across, down) = place == 0 ? (1, 1) : chroma.step
                    let others = burst.others.indices.prefix(Self.frames).map { index in
                        (motion.frame(burst, index).planes[place], motion.whole[index].inPlane(across, down))
                    }
                    let isKnown = estimators[place].estimate(
                        burst.reference.planes[place], others, frame: burst.reference, step: (across, down),
                        into: &models[place])
                    areKnown[place] = isKnown ? 1 : 0
                }
            }
        }
        let isKnown = areKnown.0 && (chroma == .none || areKnown.1 && areKnown.2)
        if !isKnown || !isBelievable(burst.reference) { estimateAlone(burst.reference) }
    }

    /// Whether what the frames say of the brightness where most of the picture is can be noise.
    private func isBelievable(_ reference: FusionFrame) -> Bool {
        let found = models[0].variance(at: Float(reference.brightness))
        // So little is believed without asking.
        guard found > Self.believed.more else { return true }
        estimateAlone(reference, 0)
        let own = ownModels[0].variance(at: Float(reference.brightness))
        // A frame without an even place tells nothing.
        return own <= Self.leastVariance || found <= Self.believed.factor * own + Self.believed.more
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
        // Without any noise nothing else would ever agree.
        for code in ownModels[place].variance.indices {
            ownModels[place].variance[code] = max(Self.leastVariance, ownModels[place].variance[code])
        }
    }

    /// Of rounding to codes alone.
    private static let leastVariance: Float = 0.1
}

extension ChromaGrid {
    /// Pixels a chroma sample serves across and down.
    var step: (Int, Int) { self == .quads ? (2, 2) : (2, 1) }
}
