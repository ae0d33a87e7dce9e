// SPDX-License-Identifier: MIT
// What the kernels of the family `merge` take.
#ifndef CFUSIONKERNELS_MERGE_PARAMETERS_H
#define CFUSIONKERNELS_MERGE_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// Rows of cells (8 samples wide) that `warp_differences` moves.
struct fusion_warp_parameters {
    /// The reference's samples, in Q5.
    const int16_t *reference;
    ptrdiff_t reference_stride;
    /// The other frame's samples at the place of the reference's.
    const uint8_t *src;
    ptrdiff_t stride;
    /// How many cells are side by side.
    size_t cells;
    /// How many rows they have: 1 to 8.
    size_t rows;
    /// The motion of each cell: eighths of a sample across and down, two numbers.
    const int16_t *motion;
    /// The differences, in Q5.
    int16_t *out;
    ptrdiff_t out_stride;
};

/// Rows that `merge_rows` merges. Cells are 8 samples wide: there are `(count + 7) / 8`.
struct fusion_merge_parameters {
    /// The reference's samples.
    const uint8_t *reference;
    ptrdiff_t reference_stride;
    /// The differences of the other frames (Q5, within -10500...10500).
    const int16_t *difference;
    /// The sums of `sum_squares`; the first belongs to the pair before the first.
    const uint16_t *sums;
    /// Differences from row to row, and from frame to frame: even numbers. Half as many sums.
    ptrdiff_t stride;
    ptrdiff_t apart;
    /// The number of other frames, at most 15.
    size_t others;
    /// The share of each cell of a frame, then those of the next frame.
    const uint16_t *share;
    /// Samples per row.
    size_t count;
    /// Rows: 1 to 8.
    size_t rows;
    /// The box sums up to which the weight is full, and from which it is 0: 1 to 4096 apart.
    uint16_t full;
    uint16_t none;
    /// The reference's own weight, at least 1024.
    unsigned own_weight;
    /// The merged samples, in Q6.
    int16_t *out;
    ptrdiff_t out_stride;
    /// One number for each cell, to which all frames' weights are added.
    uint32_t *evidence;
    /// One number for each other frame, to which its weights in the first row are added.
    uint32_t *totals;
};

#endif
