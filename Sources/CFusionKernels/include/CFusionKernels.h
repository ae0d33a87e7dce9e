// SPDX-License-Identifier: MIT
// The inner loops of fusion, built once for each level of processor instructions.
#ifndef CFUSIONKERNELS_H
#define CFUSIONKERNELS_H

#include <stddef.h>
#include <stdint.h>

/// The levels. Each includes the instructions of the previous ones.
enum fusion_level {
    /// The baseline of the architecture: SSE2 on x86-64, NEON on arm64.
    FUSION_PORTABLE = 0,
    FUSION_AVX2 = 1,
    FUSION_AVX512 = 2,
};

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

/// How 16-bit samples (codes times 256) map to colours.
struct fusion_color {
    /// The value of black, and the distance from black to white.
    float black, luma_span;
    /// The distance from the most negative to the most positive chroma.
    float chroma_span;
    /// The weights of red and blue in brightness (Y').
    float red, blue;
};

/// The number of similar patches of 8x8 samples that are denoised together.
#define FUSION_GROUP8 16
/// The number of similar patches of 5x5 samples that are denoised together.
#define FUSION_GROUP5 24
/// The maximum number of patches in a group.
#define FUSION_MOST_PATCHES 24
/// Patches this many samples apart, across or down, have independent noise.
#define FUSION_LAGS 12

/// The power of a cell of 32x32 samples in the coefficients that do not stand out of the noise, summed over its
/// blocks.
struct fusion_texture {
    /// For each coefficient, the sum of its powers relative to the noise.
    float power[64];
    /// How many powers were summed.
    float count[64];
};

/// The position of a patch relative to the one it is similar to.
struct fusion_shift {
    int16_t x, y;
};

/// The kernels of one level. Every level computes the same bits.
///
/// Rows and planes are given by their first sample; strides count samples. A kernel reads and writes only what its
/// description names, and needs no alignment, unless it says otherwise.
struct fusion_kernels {
    /// Which level this is.
    enum fusion_level level;

    /// Separates `pairs` pairs of pixels of packed 4:2:2 (four bytes each) into brightness and chroma. `first_luma`
    /// is the offset of the first brightness byte in the four (0 or 1). `a` receives the first chroma byte, `b` the
    /// second.
    void (*split_packed422)(
        const uint8_t *packed, size_t first_luma, size_t pairs, uint8_t *luma, uint8_t *a, uint8_t *b);

    /// Separates `count` pairs of bytes.
    void (*split_pairs)(const uint8_t *packed, size_t count, uint8_t *a, uint8_t *b);

    /// Adds `count` bytes to sums of up to 64 of them, for the plain mean.
    void (*add_row)(const uint8_t *row, size_t count, uint16_t *sum);

    /// `out[i] = round(sum[i] * 256 / frames)` for up to 64 frames.
    void (*mean_row)(const uint16_t *sum, size_t count, unsigned frames, uint16_t *out);

    /// The sum, and the sum of the squares, of each of a row of tiles of 8x8 samples.
    void (*tile_moments)(const uint8_t *rows, size_t stride, size_t tiles, uint16_t *sums, uint32_t *squares);

    /// The squares of a tile's 64 cosine coefficients times `scales`: eight vertical frequencies for each horizontal
    /// one.
    void (*tile_powers)(const uint8_t *rows, size_t stride, const float *scales, float *powers);

    /// Adds to `powers`, in the same order, the squares of the 64 cosine coefficients of `a - b - mean`, the
    /// difference of two tiles, times `weight`.
    void (*add_powers)(
        const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, float mean, float weight,
        float *powers);

    // Denoising: see Shrink.h. Tables indexed by coefficient hold 64 numbers, eight vertical frequencies for each
    // horizontal one. Variances, biases and choices of spectrum are given per tile of 8x8 samples. Samples are either
    // bytes, or codes times 64 that are at least -1024. `tables` holds 16 tables per spectrum. A coefficient (of
    // codes times 2, in the scale of the transform) is converted to eighths of the noise's standard deviation by
    // multiplying it by a power of two and a table's factor, and dividing by 32768. The factor of the mean's
    // coefficient is 0.

    /// Transforms the columns of eight rows starting at `top`. They may be up to 4 rows above the plane and 7 below
    /// it: the plane, at least 8x8 samples, is mirrored at its edges. Writes `8 * (width + 12)` numbers.
    void (*denoise_strip)(
        const int16_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, float *strip);

    /// Adds the powers of a row of whole tiles to the cells they are in, four tiles per cell.
    void (*denoise_activity)(
        const int16_t *plane, size_t stride, size_t tiles, const float *variance, const uint8_t *spectrum,
        const int16_t *tables, struct fusion_activity *cells);

    /// The same for samples that are bytes.
    void (*denoise_activity_bytes)(
        const uint8_t *plane, size_t stride, size_t tiles, const float *variance, const uint8_t *spectrum,
        const int16_t *tables, struct fusion_activity *cells);

    /// How to denoise the cells of a row, from their activity and that of the rows of cells above and below. For each
    /// coefficient it writes a threshold for the power of the coefficient and its neighbours (Shrink.h), and the
    /// share that is always kept. The threshold has the form of a float's bits: subtracting the bits of the power
    /// gives the bits of what to take off a share of 32768.
    void (*denoise_gains)(
        const struct fusion_activity *above, const struct fusion_activity *here, const struct fusion_activity *below,
        size_t cells, uint32_t *thresholds, int16_t *floors);

    /// The noise of a strip's blocks: every other one, starting with `first` (0 or 1). Blocks are four columns apart,
    /// and the first one begins four columns left of the plane. Variances are the means of those in two rows of
    /// tiles, `upper` and `lower`. So are biases, in codes; both of their pointers may be null.
    void (*denoise_levels)(
        const float *upper, const float *lower, size_t tiles, const float *upper_bias, const float *lower_bias,
        const uint8_t *spectrum, size_t first, size_t blocks, struct fusion_block *out);

    /// Denoises the blocks of a strip (positions as for `denoise_strip`, blocks and `levels` as for
    /// `denoise_levels`). It finishes the strip's first `rows` rows, at most 4, by adding what the strip four rows
    /// above has left in `carry`, `4 * width` numbers, and leaves there what the next strip needs. The output is in
    /// codes times 256.
    void (*denoise_blocks)(
        const int16_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, size_t first,
        const struct fusion_block *levels, const int16_t *tables, const uint32_t *thresholds, const int16_t *floors,
        size_t cells, int16_t *carry, uint16_t *out, size_t out_stride, size_t rows);

    /// The same for samples that are bytes.
    void (*denoise_blocks_bytes)(
        const uint8_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, size_t first,
        const struct fusion_block *levels, const int16_t *tables, const uint32_t *thresholds, const int16_t *floors,
        size_t cells, int16_t *carry, uint16_t *out, size_t out_stride, size_t rows);

    /// Converts two rows of `2 * count` bytes to one row of `count` means in Q4 (codes times 16), over 4x4 samples
    /// with weights 1 3 3 1 in both directions, halves rounded up. Reads one sample beyond on every side.
    void (*halve_bytes)(const uint8_t *rows, ptrdiff_t stride, size_t count, uint16_t *out);

    /// The same for samples below 4096.
    void (*halve_words)(const uint16_t *rows, ptrdiff_t stride, size_t count, uint16_t *out);

    /// The mean in Q4, rounded down, of each of `cells` cells of 8 samples by `height` rows, 1 to 16.
    void (*mean_cells)(const uint8_t *rows, ptrdiff_t stride, size_t height, size_t cells, uint16_t *out);

    /// The slopes of `tiles` tiles of 8x8 samples (Q4, below 4096). The first tile is at `level`; the others follow,
    /// `step` samples apart. Writes four sums per tile: of the squared slope across, of the product of both slopes,
    /// of the squared slope down, and of the samples. A slope is a quarter of the difference between the two
    /// neighbours of a sample, rounded down: in codes per sample, Q3. Reads one sample beyond each side of a tile.
    void (*tile_slopes)(const uint16_t *level, ptrdiff_t stride, size_t tiles, size_t step, int32_t *out);

    /// Compares `tiles` tiles of 8x8 samples of `level` with `other` (both Q4, below 4096). `places` holds four
    /// numbers per tile: the offset of its first sample in `level`; that of the sample it is compared with in
    /// `other`; and fractions across and down, 0 to 15 sixteenths of a sample. The samples of `other` are
    /// interpolated across, then down, each time rounded, halves up.
    ///
    /// Writes four sums per tile: of the difference (`level` minus `other`, Q4) times the slope across, of the
    /// difference times the slope down, of the squared difference (Q4, the sum rounded down), and of the difference.
    /// Slopes are means of those in both pictures, rounded down, in codes per sample, Q3.
    ///
    /// Reads in `level` one sample to the left of a tile, above and below it, and seven to the right; in `other` one
    /// to the left and above, eight to the right and two below.
    void (*tile_differences)(
        const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles,
        const int32_t *places, int32_t *out);

    /// The sums of absolute differences between tiles, given as for `tile_slopes`, and `other` at the offsets
    /// `places`. Reads only the tiles.
    void (*tile_distances)(
        const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles,
        size_t step, const int32_t *places, uint32_t *out);

    /// Converts `rows` rows of codes to Q5 (codes times 32).
    void (*widen_codes)(
        const uint8_t *codes, ptrdiff_t stride, size_t count, size_t rows, int16_t *out, ptrdiff_t out_stride);

    /// The differences between `rows` (1 to 8) rows of `cells` cells of 8 samples of `src`, each moved by its own
    /// `motion` (eighths of a sample across and down, two numbers per cell), and the reference's samples in Q5: moved
    /// minus reference, within -10500...10500.
    ///
    /// Cells are moved by cubic convolution with 6-bit taps, across, then down. Down, each product is rounded up; if
    /// the motion down has a fraction, 2 is subtracted to compensate. Whole-sample motion is exact. Reads the moved
    /// cell, one sample to its left and seven to its right, one row above it and two below.
    void (*warp_differences)(
        const int16_t *reference, ptrdiff_t reference_stride, const uint8_t *src, ptrdiff_t stride, size_t cells,
        size_t rows, const int16_t *motion, int16_t *out, ptrdiff_t out_stride);

    /// For `rows` (1 to 8) rows of `cells` cells of 8 samples, sums up the squares `d * d`, where
    /// `d = difference * scale / 65536`, rounded down and held within -most...most, at most 80. Each cell has a scale
    /// and a limit (`most`).
    ///
    /// Each element of `sums` belongs to two adjacent samples; it is the sum of both squares and of those of the four
    /// rows before. `before` holds the squares of these four rows for pairs of samples, the oldest first, `4 * cells`
    /// apart; afterwards, it holds the last four. Rows of differences are `stride` (an even number) apart, rows of
    /// sums half as much.
    void (*sum_squares)(
        const int16_t *difference, ptrdiff_t stride, size_t cells, size_t rows, const int16_t *scale,
        const int16_t *most, uint16_t *before, uint16_t *sums);

    /// Merges `rows` (1 to 8) rows of `count` samples with those of `others` (at most 15) other frames, given as
    /// differences (Q5, within -10500...10500).
    ///
    /// Two adjacent samples share a weight (the second one may be beyond the last). It depends on the box sum: three
    /// elements of `sums`, for the pair before, the pair itself and the pair after it, saturated at 65535. The weight
    /// is `none` minus the box sum, at least 0 and at most `none - full` (which is 1 to 4096), times `share / 65536`,
    /// rounded down. Each of the `cells = (count + 7) / 8` cells of 8 samples has a share; those of one frame follow
    /// those of another.
    ///
    /// The total is the sum of differences times weights / 8192, each rounded, halves up, and saturated to 16 bits.
    /// The total times `16384 / (the sum of weights + own_weight)` is added to the reference, in Q6, rounded, halves
    /// up; the result is held within -1024...32767. `own_weight` is at least 1024. Rows of differences are `stride`
    /// apart and frames `apart` (even numbers), those of sums half as much. The first element of `sums` belongs to
    /// the pair before the first.
    ///
    /// Adds all frames' weights to the evidence of each cell, once per pair; and to `totals`, each frame's weights in
    /// the first row.
    void (*merge_rows)(
        const uint8_t *reference, ptrdiff_t reference_stride, const int16_t *difference, const uint16_t *sums,
        ptrdiff_t stride, ptrdiff_t apart, size_t others, const uint16_t *share, size_t count, size_t rows,
        uint16_t full, uint16_t none, unsigned own_weight, int16_t *out, ptrdiff_t out_stride, uint32_t *evidence,
        uint32_t *totals);

    /// Computes matched brightness from `pairs` pairs of brightness samples and their chroma: `row` holds the factors
    /// of Y', Cb - 128 and Cr - 128, and a constant to add. Held within 0...255 and rounded, halves up.
    void (*match_luma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *row, uint8_t *out);

    /// The same for a chroma sample, relative to 128; Y' is the mean of the pair.
    void (*match_chroma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *row, uint8_t *out);

    /// Matched brightness by way of red, green and blue, each clipped at 1. `channels` holds, for each of them, the
    /// factors of Y', Cb - 128 and Cr - 128 and a constant to add; `row` holds the factors of the three, and a
    /// constant to add.
    void (*match_clipped_luma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *channels,
        const float *row, uint8_t *out);

    /// The same for a chroma sample, relative to 128: the mean of the results for both pixels of the pair.
    void (*match_clipped_chroma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *channels,
        const float *row, uint8_t *out);

    /// `out = gain * luma + lift`, held within 0...255 and rounded, halves up.
    void (*match_grey)(const uint8_t *luma, size_t count, float gain, float lift, uint8_t *out);

    /// For two squares of 16x16 samples, the sum of the differences `a - b`, and the sum of their squares.
    void (*compare_squares)(
        const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int32_t *out);

    /// Adds to each 16-bit sample the correction that `table` has for its value. The table has 1024 steps from 1/16
    /// below black to 1/16 above white, as shares of white; values outside use the first or the last one. Held within
    /// 0...65535 and rounded, halves up.
    void (*lift_grey)(uint16_t *luma, size_t count, const float *table, float black, float span);

    /// The same for the red, green and blue of colours: `pairs` pairs of brightness samples in each of two rows, with
    /// their chroma. The corrections are looked up once, for the mean of all of these samples, and rounded, halves
    /// up. No element of the table exceeds half of white. If a row has no partner, or two rows share a row of chroma,
    /// that row is passed twice.
    void (*lift_colors)(
        uint16_t *upper, uint16_t *lower, uint16_t *cb, uint16_t *cr, uint16_t *lower_cb, uint16_t *lower_cr,
        size_t pairs, const float *table, const struct fusion_color *color);

    /// The sum of `|a - b - lift|` over a row of at most 65536 samples below 4096; `lift` is from -4095 to 4095.
    uint32_t (*row_distance)(const uint16_t *a, const uint16_t *b, size_t count, int lift);

    // Collaborative denoising of planes of floats in codes: see Collaborate.h and Bayes.h. Patches are given by their
    // first sample. `chosen` holds indices of shifts for eight patches at a time; those of one patch are eight apart.

    /// `out[i] = row[i] / 64`
    void (*widen_row)(const int16_t *row, size_t count, float *out);

    /// `out[i] = sum[i] / weight[i]`
    void (*quotient_row)(const float *sum, const float *weight, size_t count, float *out);

    /// `out[i] = round(row[i] * 256)`, held to codes 0 to 255; 0 if `row[i]` is NaN.
    void (*narrow_row)(const float *row, size_t count, uint16_t *out);

    /// `out[i] = ((row[i] - zero) * factor + target) >> 20`, held to 0 to 255. The value before the shift must fit 32
    /// bits.
    void (*byte_row)(
        const uint16_t *row, size_t count, int32_t zero, int32_t factor, int32_t target, uint8_t *out);

    /// The means of 2x2 samples: two from each of two rows.
    void (*quarter_row)(const float *upper, const float *lower, size_t count, float *out);

    /// Adds the powers of the whole tiles of a strip (see `denoise_strip`) to the cells they are in, four tiles per
    /// cell.
    void (*texture_sum)(
        const float *strip, size_t tiles, const float *variance, const float *spectra, const uint8_t *spectrum,
        struct fusion_texture *cells);

    /// For each coefficient in the cells of a row, the share to keep even if it does not stand out: from 0 where
    /// there is no texture to 0.7. It is computed from the cells and those in the rows of cells above and below. 64
    /// numbers per cell.
    void (*texture_floors)(
        const struct fusion_texture *above, const struct fusion_texture *here, const struct fusion_texture *below,
        size_t cells, float *floors);

    /// For eight patches of 8x8 samples, 4 samples apart starting at `plane`, the indices of the shifts to the 16
    /// most similar patches, most similar first. Each rank is listed for all eight patches before the next rank:
    /// `8 * 16` numbers. There are 16 to 512 shifts. Reads rows of 40 samples at every shift.
    void (*patches_like8)(
        const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, size_t count, uint16_t *chosen);

    /// The same for patches of 5x5 samples, and the 24 most similar ones.
    void (*patches_like5)(
        const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, size_t count, uint16_t *chosen);

    /// Denoises the 16 patches chosen for the one at `plane`, and adds them to `sum` and their weights to `weight`.
    /// `lags` holds, for each distance down and across (each below 12), the covariance of the coefficients of patches
    /// that far apart, for a sample variance of 1 and in the scale of the transform. `texture` holds the share of
    /// each coefficient that is always kept.
    void (*collaborate)(
        const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, const uint16_t *chosen,
        const float *lags, const float *texture, float variance, float *sum, float *weight);

    /// Denoises the 24 patches of 5x5 samples chosen for the one at `plane`, using their mean and covariance in
    /// `pilot`, and adds them to `sum` and `weight`. `covariance` is that of noise with a variance of 1: 25 rows of
    /// 32 samples, of which the last 7 are 0. If a patch would differ from `pilot` in any sample by more than 16
    /// standard deviations, or contain NaN, its pilot is added instead. Reads and writes three samples beyond each
    /// row of a patch, but writes back what was there.
    void (*collaborate_again)(
        const float *plane, const float *pilot, ptrdiff_t stride, const struct fusion_shift *shifts,
        const uint16_t *chosen, const float *covariance, float variance, float *sum, float *weight);
};

/// The kernels of a level, or null if this processor or this build does not support it.
const struct fusion_kernels *fusion_kernels_of(enum fusion_level level);

#endif
