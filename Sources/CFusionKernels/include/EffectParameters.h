// SPDX-License-Identifier: MIT
// What the kernels of the family `effects` take.
#ifndef CFUSIONKERNELS_EFFECT_PARAMETERS_H
#define CFUSIONKERNELS_EFFECT_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// A row of a net's input that `net_row` makes of two rows of quads (Y', Cb, Cr and a number that does not count).
struct fusion_net_row_parameters {
    /// The rows that it lies between, of `cells` quads each, and how far below the upper one, from 0 to 1.
    const float *upper;
    const float *lower;
    float fraction;
    size_t cells;
    /// Where the first sample is, in quads, and how far each is from the one before.
    float start;
    float step;
    /// How many samples there are.
    size_t count;
    /// What is subtracted from Y', and what it is then multiplied by, so that black is 0 and white 255; the factor that
    /// gives chroma the same range.
    float luma_offset;
    float luma_factor;
    float chroma_factor;
    /// What the net takes instead of 0...255: each number times `scale`, plus `offset`.
    float scale;
    float offset;
    /// The first sample's red; floats from sample to sample, and from red to green and green to blue.
    float *out;
    ptrdiff_t sample_apart;
    ptrdiff_t channel_apart;
};

#endif
