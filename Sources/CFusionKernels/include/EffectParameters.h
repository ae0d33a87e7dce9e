// SPDX-License-Identifier: MIT
// What the kernels of the family `effects` take.
#ifndef CFUSIONKERNELS_EFFECT_PARAMETERS_H
#define CFUSIONKERNELS_EFFECT_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// From Y', Cb and Cr to the numbers that a net takes.
struct fusion_net_colors {
    /// What is subtracted from Y', and what it is then multiplied by, so that black is 0 and white 255; the factor that
    /// gives chroma the same range.
    float luma_offset;
    float luma_factor;
    float chroma_factor;
    /// What the net takes instead of 0...255: each number times `scale`, plus `offset`.
    float scale;
    float offset;
};

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
    struct fusion_net_colors colors;
    /// The first sample's red; floats from sample to sample, and from red to green and green to blue.
    float *out;
    ptrdiff_t sample_apart;
    ptrdiff_t channel_apart;
};

/// A row of a net's input that `net_turned_row` takes from a picture of 4:2:0, along a line of any direction.
struct fusion_net_turned_row_parameters {
    /// The first sample of each plane, and bytes from row to row.
    const uint8_t *luma;
    ptrdiff_t stride;
    const uint8_t *cb;
    const uint8_t *cr;
    ptrdiff_t chroma_stride;
    /// The size of luma: even, and at most 32766.
    int32_t width;
    int32_t height;
    /// Where the first sample is in luma, of which 0 is the middle of the first sample, and how far each is from the
    /// one before, in 65536ths. All places must fit 32 bits.
    int32_t x;
    int32_t y;
    int32_t step_x;
    int32_t step_y;
    /// How many samples there are.
    size_t count;
    struct fusion_net_colors colors;
    /// Red, green and blue of each.
    float *out;
};

/// A row of a sprite that `draw_sprite` draws.
struct fusion_sprite_row_parameters {
    /// The sprite's samples, and how many there are from row to row. The low 16 bits of each are a number that is
    /// multiplied by its alpha, the high ones its alpha, both from 0 to 255.
    const uint32_t *samples;
    ptrdiff_t stride;
    /// Where the first sample is in the sprite, from 0 on, and how far each is from the one before, in 65536ths.
    int32_t x;
    int32_t y;
    int32_t step_x;
    int32_t step_y;
    /// From 0 to 256.
    int32_t opacity;
    /// How much of each is hidden, from 0 to 255.
    const uint8_t *mask;
    /// How many samples there are.
    size_t count;
    uint8_t *out;
};

#endif
