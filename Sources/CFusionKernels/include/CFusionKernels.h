// SPDX-License-Identifier: MIT
// The inner loops of fusion, built once for each level of the processor's abilities.
#ifndef CFUSIONKERNELS_H
#define CFUSIONKERNELS_H

#include <stddef.h>
#include <stdint.h>

/// The levels, each containing the ones before it.
enum fusion_level {
    /// What every processor of the architecture has: SSE2 on x86-64, NEON on arm64.
    FUSION_PORTABLE = 0,
    FUSION_AVX2 = 1,
    FUSION_AVX512 = 2,
};

/// What a cell of 32x32 samples holds beside its noise, summed over its blocks.
struct fusion_activity {
    /// For each coefficient 64 times the powers relative to the noise, those above 4 taken as 4.
    uint16_t power[64];
    /// How many blocks were summed, at most 8.
    uint16_t count;
};

/// The noise of a block.
struct fusion_block {
    /// In which table the factors are that make it 8, and the power of two they are to be multiplied with first.
    uint8_t table, scale;
    /// What to take off the coefficient of the mean: codes times 128.
    int16_t bias;
};

/// How samples of 16 bits (codes times 256) stand for colours.
struct fusion_color {
    /// What black is, and from black to white.
    float black, luma_span;
    /// From the most negative to the most positive chroma.
    float chroma_span;
    /// The shares of red and blue in brightness.
    float red, blue;
};

/// How many like patches of 8x8 samples are denoised together.
#define FUSION_GROUP8 16
/// How many like patches of 5x5 samples are denoised together.
#define FUSION_GROUP5 24
/// The most patches that are searched for.
#define FUSION_MOST_PATCHES 24
/// Patches so many samples apart, across or down, share no noise.
#define FUSION_LAGS 12

/// What a cell of 32x32 samples holds in the coefficients that do not stand out of the noise, summed over its blocks.
struct fusion_texture {
    /// For each coefficient the powers relative to the noise.
    float power[64];
    /// How many there were.
    float count[64];
};

/// Where a patch lies, seen from the one it is like.
struct fusion_shift {
    int16_t x, y;
};

/// The kernels of one level. Every level computes the same bits.
///
/// Rows and planes are given by their first sample; strides count samples. Nothing beyond what is named is read or
/// written, and no alignment is asked for, unless a kernel says so.
struct fusion_kernels {
    /// Which level this is.
    enum fusion_level level;

    /// Parts `pairs` pairs of pixels of packed 4:2:2 (four bytes each) into brightness and chroma. `first_luma` is the
    /// offset of the first brightness byte among the four (0 or 1); `a` receives the first chroma byte, `b` the second.
    void (*split_packed422)(
        const uint8_t *packed, size_t first_luma, size_t pairs, uint8_t *luma, uint8_t *a, uint8_t *b);

    /// Parts `count` pairs of bytes.
    void (*split_pairs)(const uint8_t *packed, size_t count, uint8_t *a, uint8_t *b);

    /// Adds `count` bytes to sums of up to 64 of them, as the plain mean needs it.
    void (*add_row)(const uint8_t *row, size_t count, uint16_t *sum);

    /// `out[i] = round(sum[i] * 256 / frames)` for up to 64 frames.
    void (*mean_row)(const uint16_t *sum, size_t count, unsigned frames, uint16_t *out);

    /// For each of a row of tiles of 8x8 samples their sum and the sum of their squares.
    void (*tile_moments)(const uint8_t *rows, size_t stride, size_t tiles, uint16_t *sums, uint32_t *squares);

    /// The squares of a tile's 64 cosine coefficients times `scales`, eight vertical frequencies for each horizontal
    /// one.
    void (*tile_powers)(const uint8_t *rows, size_t stride, const float *scales, float *powers);

    /// Adds to `powers` the squares of the 64 cosine coefficients of the difference `a - b - mean` of two tiles, times
    /// `weight`, in the same order.
    void (*add_powers)(
        const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, float mean, float weight,
        float *powers);

    // Denoising: see Shrink.h. Tables by coefficient hold 64 numbers, eight vertical frequencies for each horizontal
    // one. Variances, biases and choices of spectrum are given by tiles of 8x8 samples. Samples are bytes, or codes
    // times 64 from -1024 on. `tables` has 16 for each spectrum: what makes coefficients of codes times 2 eighths of
    // the noise's standard deviation, in the scale of the transform, when they are multiplied by it and a power of two,
    // and divided by 32768; 0 for the coefficient of the mean.

    /// The columns of eight rows from `top` (which may be outside the plane, up to 4 rows above and 7 below),
    /// transformed. The plane is mirrored at its edges; it has at least 8 by 8 samples. Writes `8 * (width + 12)`
    /// numbers.
    void (*denoise_strip)(
        const int16_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, float *strip);

    /// Adds what a row of whole tiles holds to the cells they are in, four to a cell.
    void (*denoise_activity)(
        const int16_t *plane, size_t stride, size_t tiles, const float *variance, const uint8_t *spectrum,
        const int16_t *tables, struct fusion_activity *cells);

    /// The same of bytes.
    void (*denoise_activity_bytes)(
        const uint8_t *plane, size_t stride, size_t tiles, const float *variance, const uint8_t *spectrum,
        const int16_t *tables, struct fusion_activity *cells);

    /// How to denoise the cells of a row, from what they and the rows of cells above and below hold: for each
    /// coefficient what it and its neighbours are held to (Shrink.h), as the bits of a float such that less those of
    /// their power it is what to take off a share of 32768, and what share is kept in any case.
    void (*denoise_gains)(
        const struct fusion_activity *above, const struct fusion_activity *here, const struct fusion_activity *below,
        size_t cells, uint32_t *thresholds, int16_t *floors);

    /// The noise of a strip's blocks: every other one from `first` (0 or 1) on, where `blocks` are four columns apart,
    /// the first four left of the plane. Variances are those of two rows of tiles, `upper` and `lower`, in equal parts.
    /// So are their biases, in codes; both may be null.
    void (*denoise_levels)(
        const float *upper, const float *lower, size_t tiles, const float *upper_bias, const float *lower_bias,
        const uint8_t *spectrum, size_t first, size_t blocks, struct fusion_block *out);

    /// Denoises the blocks of a strip (places as for `denoise_strip`, blocks and `levels` as for `denoise_levels`).
    /// Finishes its first `rows` rows, at most 4, with what the strip four rows above has left in `carry`, `4 * width`
    /// numbers, and leaves there what is for the next. To codes times 256.
    void (*denoise_blocks)(
        const int16_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, size_t first,
        const struct fusion_block *levels, const int16_t *tables, const uint32_t *thresholds, const int16_t *floors,
        size_t cells, int16_t *carry, uint16_t *out, size_t out_stride, size_t rows);

    /// The same of bytes.
    void (*denoise_blocks_bytes)(
        const uint8_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, size_t first,
        const struct fusion_block *levels, const int16_t *tables, const uint32_t *thresholds, const int16_t *floors,
        size_t cells, int16_t *carry, uint16_t *out, size_t out_stride, size_t rows);

    /// Two rows of `2 * count` bytes to one of `count` means, in Q4 (codes times 16): over four by four, weighted
    /// 1 3 3 1 both ways, halves rounded up. Reads one sample beyond on every side.
    void (*halve_bytes)(const uint8_t *rows, ptrdiff_t stride, size_t count, uint16_t *out);

    /// The same of samples below 4096.
    void (*halve_words)(const uint16_t *rows, ptrdiff_t stride, size_t count, uint16_t *out);

    /// For each of `cells` cells of 8 samples by `height` rows, 1 to 16, the mean in Q4, rounded down.
    void (*mean_cells)(const uint8_t *rows, ptrdiff_t stride, size_t height, size_t cells, uint16_t *out);

    /// For each of `tiles` tiles of 8x8 samples (Q4, below 4096), `step` samples apart, the first at `level`: the sums
    /// over the tile of the squares of the slope across, of both slopes' product, of the squares of the slope down, and
    /// of the samples; four numbers a tile. A slope is a quarter of the difference between the samples on either side,
    /// rounded down: codes a sample, Q3. Reads one sample beyond each side of a tile.
    void (*tile_slopes)(const uint16_t *level, ptrdiff_t stride, size_t tiles, size_t step, int32_t *out);

    /// For each of `tiles` tiles of 8x8 samples of `level` against `other` (both Q4, below 4096) at `places`, four
    /// numbers a tile: the offset of its first sample in `level`, that of the one it is compared with in `other`, and
    /// sixteenths of a sample across and down, 0 to 15. The samples of `other` are interpolated across, then down,
    /// rounded each time, halves up. Sums over the tile of the difference (`level` minus `other`, Q4) times the slope
    /// across, times the slope down, of its squares (Q4, the sum rounded down), and of itself; four numbers a tile.
    /// Slopes are means of both pictures', rounded down, in codes a sample, Q3. Reads in `level` one sample to the left
    /// of a tile, above and below it, and seven to the right; in `other` one to the left and above, eight to the right
    /// and two below.
    void (*tile_differences)(
        const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles,
        const int32_t *places, int32_t *out);

    /// For each tile as for `tile_slopes`, against `other` at the offsets `places`: the sum of absolute differences.
    /// Reads the tiles alone.
    void (*tile_distances)(
        const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles,
        size_t step, const int32_t *places, uint32_t *out);

    /// `rows` rows of codes in Q5.
    void (*widen_codes)(
        const uint8_t *codes, ptrdiff_t stride, size_t count, size_t rows, int16_t *out, ptrdiff_t out_stride);

    /// What `rows` (1 to 8) rows of `cells` cells of 8 samples of `src`, each moved by its own `motion` (eighths of a
    /// sample across and down, two numbers a cell), differ from the reference's samples in Q5: moved minus reference,
    /// within -10500...10500. Moved by cubic convolution with taps of 6 bits, across, then down, where the products
    /// are rounded up each, and 2 is taken away for it where the motion down is between samples; exact for whole
    /// samples. Reads the moved cell, one sample to its left and seven to its right, one row above it and two below.
    void (*warp_differences)(
        const int16_t *reference, ptrdiff_t reference_stride, const uint8_t *src, ptrdiff_t stride, size_t cells,
        size_t rows, const int16_t *motion, int16_t *out, ptrdiff_t out_stride);

    /// For `rows` (1 to 8) rows of `cells` cells of 8 samples the squares `d * d`, where
    /// `d = difference * scale / 65536`, rounded down and held within -most...most, at most 80. Each cell has a scale
    /// and a most. `sums` has for each two samples side by side both squares, and those of the four rows before.
    /// `before` holds these four rows of pairs, the oldest first, `4 * cells` apart; in the end, the last four there
    /// are. Rows of differences are `stride` (an even number) apart, rows of sums half as much.
    void (*sum_squares)(
        const int16_t *difference, ptrdiff_t stride, size_t cells, size_t rows, const int16_t *scale,
        const int16_t *most, uint16_t *before, uint16_t *sums);

    /// Merges `rows` (1 to 8) rows of `count` samples with those of `others` (at most 15) other frames, by differences
    /// (Q5, within -10500...10500). Each two samples side by side, the second of which may be beyond the last, are
    /// weighed by the sum of three of the sums: those of the pair before, of its own, and of the pair behind it; or by
    /// 65535 if that is more. The weight is `none` minus this sum, at least 0 and at most `none - full` (which is 1 to
    /// 4096), times `share / 65536`, rounded down. Each of the `cells = (count + 7) / 8` cells of 8 samples has a
    /// share, those of one frame after those of another.
    ///
    /// The total of differences times weights / 8192, each rounded, halves up, and held to 16 bits, times
    /// `16384 / (the sum of weights + own_weight)` is what is added to the reference, which makes Q6; rounded, halves
    /// up, and held within -1024...32767. `own_weight` is at least 1024. Rows of differences are `stride` apart and
    /// frames `apart` (even numbers), those of sums half as much; the first sum is that of the pair before the first.
    ///
    /// Adds all frames' weights to the evidence of each cell, a pair's once, and to `totals` each frame's weights in
    /// the first row.
    void (*merge_rows)(
        const uint8_t *reference, ptrdiff_t reference_stride, const int16_t *difference, const uint16_t *sums,
        ptrdiff_t stride, ptrdiff_t apart, size_t others, const uint16_t *share, size_t count, size_t rows,
        uint16_t full, uint16_t none, unsigned own_weight, int16_t *out, ptrdiff_t out_stride, uint32_t *evidence,
        uint32_t *totals);

    /// `pairs` pairs of brightness samples and their chroma to brightness: `row` holds what Y', Cb - 128 and Cr - 128
    /// are multiplied with, and what is added. Held within 0...255 and rounded, halves up.
    void (*match_luma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *row, uint8_t *out);

    /// The same to a chroma sample, counted from 128; Y' is the pair's mean.
    void (*match_chroma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *row, uint8_t *out);

    /// The same by way of red, green and blue, of which more than 1 is 1: `channels` holds, for each, what Y', Cb - 128
    /// and Cr - 128 are multiplied with, and what is added; `row`, what the three are multiplied with, and what is
    /// added.
    void (*match_clipped_luma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *channels,
        const float *row, uint8_t *out);

    /// The same to a chroma sample, counted from 128: the mean of the pair's two pixels.
    void (*match_clipped_chroma)(
        const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *channels,
        const float *row, uint8_t *out);

    /// `out = gain * luma + lift`, held within 0...255 and rounded, halves up.
    void (*match_grey)(const uint8_t *luma, size_t count, float gain, float lift, uint8_t *out);

    /// Two squares of 16x16 samples: the sum of the differences `a - b`, and of their squares.
    void (*compare_squares)(
        const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int32_t *out);

    /// Adds to each sample of 16 bits what `table` says for its value: 1024 steps, from a sixteenth below black to a
    /// sixteenth above white, in shares of white; values beyond take the first or the last. Held within 0...65535 and
    /// rounded, halves up.
    void (*lift_grey)(uint16_t *luma, size_t count, const float *table, float black, float span);

    /// The same for the red, green and blue of colours: `pairs` pairs of brightness samples in each of two rows with
    /// their chroma, looked up once for the mean of all of them, what is added being rounded, halves up. Nothing in
    /// the table is more than half of white. Where a row has no partner, or chroma has one row for
    /// two, the same row is given twice.
    void (*lift_colors)(
        uint16_t *upper, uint16_t *lower, uint16_t *cb, uint16_t *cr, uint16_t *lower_cb, uint16_t *lower_cr,
        size_t pairs, const float *table, const struct fusion_color *color);

    /// The sum of `|a - b - lift|` over a row of samples below 4096, `lift` from -4095 to 4095, at most 65536 of them.
    uint32_t (*row_distance)(const uint16_t *a, const uint16_t *b, size_t count, int lift);

    // Collaborative denoising of planes of floats in codes: see Collaborate.h and Bayes.h. Patches are given by their
    // first sample. Those `chosen` are numbers of shifts, a patch's eight apart.

    /// `out[i] = row[i] / 64`
    void (*widen_row)(const int16_t *row, size_t count, float *out);

    /// `out[i] = sum[i] / weight[i]`
    void (*quotient_row)(const float *sum, const float *weight, size_t count, float *out);

    /// `out[i] = round(row[i] * 256)`, held to codes 0 to 255; 0 where `row[i]` is no number.
    void (*narrow_row)(const float *row, size_t count, uint16_t *out);

    /// `out[i] = ((row[i] - zero) * factor + target) >> 20`, held to 0 to 255; what is shifted has 31 bits and a sign.
    void (*byte_row)(
        const uint16_t *row, size_t count, int32_t zero, int32_t factor, int32_t target, uint8_t *out);

    /// The means of two samples each of two rows.
    void (*quarter_row)(const float *upper, const float *lower, size_t count, float *out);

    /// Adds what the whole tiles of a strip (see `denoise_strip`) hold to the cells they are in, four to a cell.
    void (*texture_sum)(
        const float *strip, size_t tiles, const float *variance, const float *spectra, const uint8_t *spectrum,
        struct fusion_texture *cells);

    /// For the cells of a row, from what they and the rows of cells above and below hold: what share of each
    /// coefficient is to be kept though it does not stand out, from 0 where there is no texture to 0.7. 64 numbers a
    /// cell.
    void (*texture_floors)(
        const struct fusion_texture *above, const struct fusion_texture *here, const struct fusion_texture *below,
        size_t cells, float *floors);

    /// For eight patches of 8x8 samples, 4 samples apart from `plane` on, the numbers of the shifts to the 16 patches
    /// most like them, the most alike first, for all eight before the next: `8 * 16` numbers. There are at most 512
    /// shifts, at least 16. Reads rows of 40 samples at every shift.
    void (*patches_like8)(
        const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, size_t count, uint16_t *chosen);

    /// The same for patches of 5x5 samples, and the 24 most like them.
    void (*patches_like5)(
        const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, size_t count, uint16_t *chosen);

    /// Denoises the 16 patches chosen for the one at `plane`, and adds them to `sum`, and what they weigh to `weight`.
    /// `lags` has for each distance down and across, below 12 each, the covariance of the coefficients of patches so
    /// far apart, for a sample variance of 1 and in the scale of the transform; `texture` what share of each is kept
    /// always.
    void (*collaborate)(
        const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, const uint16_t *chosen,
        const float *lags, const float *texture, float variance, float *sum, float *weight);

    /// Denoises the 24 patches of 5x5 samples chosen for the one at `plane`, by their mean and covariance in `pilot`,
    /// and adds them to `sum` and `weight`. `covariance` is the noise's for a variance of 1: 25 rows of 32 samples, the
    /// last 7 of them 0. A patch that would differ in any sample by more than 16 standard deviations from `pilot`, or
    /// hold what is no number, is added as it is in `pilot`. Reads and writes three samples behind each row of a patch;
    /// what is written there does not change.
    void (*collaborate_again)(
        const float *plane, const float *pilot, ptrdiff_t stride, const struct fusion_shift *shifts,
        const uint16_t *chosen, const float *covariance, float variance, float *sum, float *weight);
};

/// The kernels of a level; null where this processor, or this build, does not have it.
const struct fusion_kernels *fusion_kernels_of(enum fusion_level level);

#endif
