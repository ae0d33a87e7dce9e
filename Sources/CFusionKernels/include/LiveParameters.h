// SPDX-License-Identifier: MIT
// What the kernels of the family `live` take.
#ifndef CFUSIONKERNELS_LIVE_PARAMETERS_H
#define CFUSIONKERNELS_LIVE_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// A row of cells of the remembered picture that `live_move` moves to where they are in the new frame.
struct fusion_live_move_parameters {
    /// The remembered samples and their doubt, at the place of the row's first sample. Both have the same stride.
    const int16_t *past;
    const uint8_t *doubt;
    ptrdiff_t stride;
    /// How many cells are side by side.
    size_t cells;
    /// How many rows they have: 1 to 8.
    size_t rows;
    /// The motion of each cell: eighths of a sample across and down, two numbers.
    const int16_t *motion;
    /// For each cell, 0 if nothing of it is remembered.
    const uint16_t *share;
    /// What is added to the doubt of samples that were interpolated, in 256ths of it.
    unsigned fade;
    /// The moved samples, and their doubt.
    int16_t *out;
    uint8_t *out_doubt;
    ptrdiff_t out_stride;
};

/// A row that `live_blend` blends with the new frame.
struct fusion_live_blend_parameters {
    /// The squares of `live_squares` of five rows: two above, the row's own, and two below. Each has a block more on
    /// either side, of which the nearest two samples count.
    const uint16_t *squares[5];
    const uint8_t *frame;
    /// What `live_move` made of the row.
    const int16_t *moved;
    const uint8_t *doubt;
    /// For each cell, what else is to be doubted of what `live_move` put between samples, in 255ths of the variance of
    /// noise: how far off it is where the picture is steep.
    const uint16_t *excess;
    /// The number of blocks of 16 samples.
    size_t blocks;
    /// The mean square, relative to what noise explains, up to which what is remembered counts fully, and from which it
    /// does not count: below 5.
    float full;
    float none;
    /// The smallest share of the new frame.
    float least;
    /// Room for `16 * blocks + 32` numbers.
    uint16_t *sums;
    /// The blended row, and its doubt. It may be where the moved one is.
    int16_t *out;
    uint8_t *out_doubt;
};

/// A row that `live_finish` shows.
struct fusion_live_finish_parameters {
    /// The samples of the row, with two rows above and two below. Each has two more samples on either side.
    const int16_t *past;
    ptrdiff_t stride;
    const uint8_t *doubt;
    /// For each cell, as for `live_squares`.
    const int16_t *scale;
    size_t blocks;
    /// Samples that are less doubtful are only rounded.
    unsigned least_doubt;
    /// How far neighbours may differ, in standard deviations of their noise.
    float reach;
    uint8_t *out;
};

#endif
