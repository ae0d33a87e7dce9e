// SPDX-License-Identifier: MIT
// What the kernels of the family `patches` take.
#ifndef CFUSIONKERNELS_PATCH_PARAMETERS_H
#define CFUSIONKERNELS_PATCH_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// The number of similar patches of 8x8 samples that are denoised together.
#define FUSION_GROUP8 16
/// The number of similar patches of 4x4 samples that are denoised together.
#define FUSION_GROUP4 24
/// The maximum number of patches in a group.
#define FUSION_MOST_PATCHES 24
/// Patches this many samples apart, across or down, have independent noise.
#define FUSION_LAGS 12

/// The position of a patch relative to the one it is similar to.
struct fusion_shift {
    int16_t x, y;
};

/// A group of similar patches of 8x8 samples, for `collaborate`.
struct fusion_group8_parameters {
    /// The patch that the others are similar to. The sums and weights have the same stride.
    const float *plane;
    ptrdiff_t stride;
    const struct fusion_shift *shifts;
    /// The indices of the shifts of `FUSION_GROUP8` patches, eight apart.
    const uint16_t *chosen;
    /// For each distance down and across (each below `FUSION_LAGS`), the covariance of the coefficients of patches that
    /// far apart, for a sample variance of 1 and in the scale of the transform.
    const float *lags;
    /// The share of each coefficient that is always kept.
    const float *texture;
    /// The variance of the noise.
    float variance;
    /// What the patches, and their weights, are added to.
    float *sum;
    float *weight;
};

/// A group of similar patches of 4x4 samples, for `collaborate_again`.
struct fusion_group4_parameters {
    /// The patch that the others are similar to, and the same in the pilot. The sums and weights have the same stride.
    const float *plane;
    const float *pilot;
    ptrdiff_t stride;
    const struct fusion_shift *shifts;
    /// The indices of the shifts of `FUSION_GROUP4` patches, eight apart.
    const uint16_t *chosen;
    /// The covariance of noise with a variance of 1: 16 rows of 16 samples.
    const float *covariance;
    /// The variance of the noise.
    float variance;
    /// What the patches, and their weights, are added to.
    float *sum;
    float *weight;
};

#endif
