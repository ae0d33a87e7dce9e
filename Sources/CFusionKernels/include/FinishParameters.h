// SPDX-License-Identifier: MIT
// What the kernels of the family `finish` take.
#ifndef CFUSIONKERNELS_FINISH_PARAMETERS_H
#define CFUSIONKERNELS_FINISH_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// How 16-bit samples (codes times 256) map to colours.
struct fusion_color {
    /// The value of black, and the distance from black to white.
    float black, luma_span;
    /// The distance from the most negative to the most positive chroma.
    float chroma_span;
    /// The weights of red and blue in brightness (Y').
    float red, blue;
};

/// Two rows of pixels that `lift_colors` corrects in place.
struct fusion_lift_parameters {
    /// Brightness: `2 * pairs` samples in each row.
    uint16_t *upper;
    uint16_t *lower;
    /// The upper row's chroma: `pairs` samples.
    uint16_t *cb;
    uint16_t *cr;
    /// The lower row's chroma.
    uint16_t *lower_cb;
    uint16_t *lower_cr;
    size_t pairs;
    /// The corrections, as for `lift_grey`; none exceeds half of white.
    const float *table;
    const struct fusion_color *color;
};

#endif
