// SPDX-License-Identifier: MIT
// What the kernels of the families `residual` and `detail` take and keep.
#ifndef CFUSIONKERNELS_DENOISE_PARAMETERS_H
#define CFUSIONKERNELS_DENOISE_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// How far the power of a cell of 32x32 samples exceeds its noise, summed over some of its blocks.
struct fusion_activity {
    /// For each coefficient, the sum of 64 times its power relative to the noise, where powers above 4 count as 4.
    uint16_t power[64];
    /// The number of blocks summed, at most 8.
    uint16_t count;
};

/// The noise of a block, in the form that converts its coefficients to eighths of a standard deviation.
struct fusion_block {
    /// The index of the table of factors, and the power of two by which coefficients are multiplied first.
    uint8_t table, scale;
    /// What to subtract from the coefficient of the mean: codes times 128.
    int16_t bias;
};

/// The power of a cell of 32x32 samples in the coefficients that do not stand out of the noise, summed over its
/// blocks.
struct fusion_texture {
    /// For each coefficient, the sum of its powers relative to the noise.
    float power[64];
    /// How many powers were summed.
    float count[64];
};

/// The noise around a strip, tile by tile, for `denoise_levels`.
struct fusion_levels_parameters {
    /// The variances of the row of tiles that the strip begins in.
    const float *upper;
    /// The variances of the row of tiles that the strip ends in.
    const float *lower;
    /// The number of tiles in a row.
    size_t tiles;
    /// The biases of the same rows, in codes; both are null if there are none.
    const float *upper_bias;
    const float *lower_bias;
    /// The choice of spectrum of each tile.
    const uint8_t *spectrum;
    /// The strip's first block: 0 or 1.
    size_t first;
    /// How many blocks the strip has, including those between, which are left out.
    size_t blocks;
    /// The noise of every other block, beginning with the first.
    struct fusion_block *out;
};

/// A strip of blocks, and how to denoise them: everything that `denoise_blocks` takes besides the plane.
struct fusion_blocks_parameters {
    /// Samples of the plane from row to row.
    size_t stride;
    /// The plane's size, at least 8x8.
    size_t width;
    size_t height;
    /// The strip's first row, from 4 rows above the plane.
    ptrdiff_t top;
    /// The strip's first block: 0 or 1.
    size_t first;
    /// The noise of every other block, beginning with the first.
    const struct fusion_block *levels;
    /// The tables of factors of all spectra.
    const int16_t *tables;
    /// What `denoise_gains` found for the cells of the row: 64 numbers for each cell.
    const uint32_t *thresholds;
    const int16_t *floors;
    /// The number of these cells.
    size_t cells;
    /// What the strip four rows above has left: `4 * width` numbers, replaced with what the next strip needs.
    int16_t *carry;
    /// The first finished row, in codes times 256.
    uint16_t *out;
    size_t out_stride;
    /// How many of the strip's first rows to finish, at most 4.
    size_t rows;
};

#endif
