// SPDX-License-Identifier: MIT
// What is known of the noise of one plane, and of what it depends on.

/// The noise of a plane of the reference, by brightness, and where the picture makes it weaker or stronger: the stages
/// after `NoiseStage` read it.
struct KnownNoise {
    let model: NoiseModel
    /// A level of the reference's pyramid in which a cell of 8x8 samples covers `step` samples.
    let brightness: LevelPlane
    /// Where samples are clipped, and have no noise.
    let clipping: Clipping
    /// Where the picture is steep.
    let slopes: SlopeMap
    /// How many pixels a sample of the plane covers.
    let step: (x: Int, y: Int)

    /// The brightness of a cell, in codes. Levels are never brighter than white, so it is at most 255.
    @inline(__always) func code(_ x: Int, _ y: Int) -> Int { Int(brightness.view.code(x * step.x, y * step.y)) }

    /// The share of a cell's samples that can have noise.
    @inline(__always) func noisyShare(_ x: Int, _ y: Int) -> Float {
        clipping.isClipped ? clipping.share(x, y, step) : 1
    }
}
