// SPDX-License-Identifier: MIT
// The limits of the bounds on noise, each with its reason.

/// The limits of each `NoiseBound`.
enum NoiseLimit {
    // calmSamples

    /// The largest ratio of the variance of all samples to that of the calm ones that noise alone explains. It is
    /// larger for smooth noise, because smooth noise has less variance where it happens to be calm.
    static let calmSamples: (white: Float, smooth: Float) = (1.25, 2)
    /// The variance, in squared codes, assumed at least for calm samples that are clipped. Clipped samples show no
    /// noise, however much there is beside them. But so close to white the tone curve is flat, and noise never
    /// exceeds this value.
    static let clippedVariance: Float = 4

    // cleanGroups

    /// The largest ratio of a group's median variance to its lowest tenth that still counts as noise, after allowing
    /// for the spread expected of noise.
    static let groupSpread: Float = 1.25
    /// By how much a variance may at most grow from one brightness to another.
    static func growth(from there: Float, to here: Float) -> Float { max(here / there, there / here).squareRoot() }

    // neighbouringGroups

    /// How far a group may stand above its neighbours.
    static let peakTolerance: Float = 1.5

    // slopeQuantiles

    /// The largest ratios of the factor of a slope, which seven of eight blocks stay below, to the median and to the
    /// lower quartile of the blocks.
    static let slopeQuantiles: (median: Float, quartile: Float) = (8, 16)

    // otherPairs, texturedPairs

    /// The largest ratio between the variances that two pairs show.
    static let pairRatio: Float = 3
    /// A textured estimate may exceed the lowest one at its brightness by this factor and still count as noise.
    /// Beyond that it is texture.
    static let texturedRatio: Float = 1.4

    // referenceAlone, textureVariance

    /// The largest credible noise of the burst: a multiple of the noise that the reference alone allows, plus `more`
    /// squared codes. A single frame reads low where noise is smooth or JPEG has flattened it. A different scene, or
    /// changing light, reads far higher than this limit.
    ///
    /// While the camera is `still`, texture cannot be taken for noise, but cameras that sharpen show 6 to 12 times more
    /// between frames than within calm places. With the limit of `moving` cameras, `sharpened` on a tripod used 0.64 of
    /// its frames' weight for three seeds of six, and 0.97 for the others.
    static let aloneLimit: (moving: Float, still: Float, more: Float) = (4, 32, 4)
    /// The share of a textured picture's variance that may be noise.
    static let textureShare: Float = 0.1

    // whiteNoise

    /// The largest ratio of a coefficient of white noise to the mean of the finest ones.
    static let whiteRatio: Float = 1.5

    // calmPlaces

    /// The largest credible ratio of overall to calm-area variance, as JPEG removes noise from calm areas: 12 if they
    /// have weak noise (`quiet`), 3.8 if they still have strong noise.
    static let calmPlaces: (quiet: Float, strong: Float) = (12, 3.8)
    /// Calm-area variance, in squared codes, above which noise counts as strong.
    static let strongVariance: Float = 4
    /// How far a coefficient may exceed the variance of the calm places that limits it.
    static let calmRoom: Float = 1.25

    // nearbyRanges

    /// How far a range may exceed what the one beside it allows.
    static let rangeRoom: Float = 1.2
}
