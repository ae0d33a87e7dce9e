// SPDX-License-Identifier: MIT
// What is noise in a burst, plane by plane.

import CFusionKernels

/// Estimates the noise of each plane, from the frames nearest the reference.
final class NoiseStage: @unchecked Sendable {
    /// How many other frames are looked at.
    private static let frames = 3
    private let pool: any FusionPool
    private let chroma: ChromaGrid
    private let estimators: [BurstNoise]
    /// The noise of Y', Cb and Cr; all by the brightness.
    private(set) var models: [NoiseModel]

    init(_ chroma: ChromaGrid, _ kernels: UnsafePointer<fusion_kernels>, _ pool: any FusionPool) {
        (self.pool, self.chroma) = (pool, chroma)
        let planes = chroma == .none ? 1 : 3
        estimators = (0..<planes).map { _ in BurstNoise(kernels) }
        models = (0..<planes).map { _ in NoiseModel(white: 1) }
    }

    func estimate(_ burst: Burst, _ motion: MotionStage) {
        let (estimators, chroma) = (estimators, chroma)
        models.withUnsafeMutableBufferPointer { models in
            nonisolated(unsafe) let models = models
            pool.run(models.count) { place in
                let (across, down) = place == 0 ? (1, 1) : chroma.step
                let others = burst.others.indices.prefix(Self.frames).map { index in
                    (motion.frame(burst, index).planes[place], motion.whole[index].inPlane(across, down))
                }
                let isKnown = estimators[place].estimate(
                    burst.reference.planes[place], others, frame: burst.reference, step: (across, down),
                    into: &models[place])
                if !isKnown { models[place] = NoiseModel(white: 4) }
            }
        }
    }
}

extension ChromaGrid {
    /// Pixels a chroma sample serves across and down.
    var step: (Int, Int) { self == .quads ? (2, 2) : (2, 1) }
}
