// SPDX-License-Identifier: MIT
// Every kernel: what it computes, and its parameters.
//
// This is the one place that lists them. It has no guard: whatever is made of all kernels (their table, each level's
// declarations and table) defines FAMILY, KERNEL and FAMILY_END, and includes it. A kernel is
// KERNEL(result, name, parameters); its body is the function of that name in Kernels/.
//
// Rows and planes are given by their first sample; strides count samples. A kernel reads and writes only what its
// description names, and needs no alignment, unless it says otherwise. Every level computes the same bits.

// Camera formats to planes.
FAMILY(unpack)

/// Separates `pairs` pairs of pixels of packed 4:2:2 (four bytes each) into brightness and chroma. `first_luma` is the
/// offset of the first brightness byte in the four (0 or 1). `a` receives the first chroma byte, `b` the second.
KERNEL(void, split_packed422,
    const uint8_t *packed, size_t first_luma, size_t pairs, uint8_t *luma, uint8_t *a, uint8_t *b)

/// Separates `count` pairs of bytes.
KERNEL(void, split_pairs, const uint8_t *packed, size_t count, uint8_t *a, uint8_t *b)

// Fine rows hold codes in Q6 (codes times 64), from 0 to 16383, for samples of more than 8 bits.

/// Converts `count` little-endian words, `step` words apart and the first one at any address, to a fine row.
KERNEL(void, unpack_words,
    const uint8_t *packed, size_t step, size_t count, const struct fusion_words *how, int16_t *out)

/// Converts `width` pixels of three bytes to fine rows: `luma` of `width` samples, and chroma for each pair of pixels.
/// An odd row's last pixel is paired with itself.
KERNEL(void, unpack_pixels,
    const uint8_t *pixels, size_t width, const struct fusion_pixels *how, int16_t *luma, int16_t *cb, int16_t *cr)

/// Rounds a fine row to bytes, halves up, held to 255.
KERNEL(void, round_codes, const int16_t *fine, size_t count, uint8_t *out)

FAMILY_END(unpack)

// The plain mean of frames.
FAMILY(mean)

/// Adds `count` bytes to sums of up to 64 of them, for the plain mean.
KERNEL(void, add_row, const uint8_t *row, size_t count, uint16_t *sum)

/// `out[i] = round(sum[i] * 256 / frames)` for up to 64 frames.
KERNEL(void, mean_row, const uint16_t *sum, size_t count, unsigned frames, uint16_t *out)

FAMILY_END(mean)

// Smaller pictures, for finding motion.
FAMILY(pyramid)

/// Converts two rows of `2 * count` bytes to one row of `count` means in Q4 (codes times 16), over 4x4 samples with
/// weights 1 3 3 1 in both directions, halves rounded up. Reads one sample beyond on every side.
KERNEL(void, halve_bytes, const uint8_t *rows, ptrdiff_t stride, size_t count, uint16_t *out)

/// The same for samples below 4096.
KERNEL(void, halve_words, const uint16_t *rows, ptrdiff_t stride, size_t count, uint16_t *out)

/// The mean in Q4, rounded down, of each of `cells` cells of 8 samples by `height` rows, 1 to 16.
KERNEL(void, mean_cells, const uint8_t *rows, ptrdiff_t stride, size_t height, size_t cells, uint16_t *out)

FAMILY_END(pyramid)

// How strong noise is, and how correlated.
FAMILY(noise)

/// The sum, and the sum of the squares, of each of a row of tiles of 8x8 samples.
KERNEL(void, tile_moments, const uint8_t *rows, size_t stride, size_t tiles, uint16_t *sums, uint32_t *squares)

/// The squares of a tile's 64 cosine coefficients times `scales`: eight vertical frequencies for each horizontal one.
KERNEL(void, tile_powers, const uint8_t *rows, size_t stride, const float *scales, float *powers)

/// Adds to `powers`, in the same order, the squares of the 64 cosine coefficients of `a - b - mean`, the difference of
/// two tiles, times `weight`.
KERNEL(void, add_powers,
    const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, float mean, float weight, float *powers)

/// For two squares of 16x16 samples, the sum of the differences `a - b`, and the sum of their squares.
KERNEL(void, compare_squares, const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int32_t *out)

FAMILY_END(noise)

// How tiles differ from another picture, and how that depends on their place.
FAMILY(motion)

/// The slopes of `tiles` tiles of 8x8 samples (Q4, below 4096). The first tile is at `level`; the others follow, `step`
/// samples apart. Writes four sums per tile: of the squared slope across, of the product of both slopes, of the squared
/// slope down, and of the samples. A slope is a quarter of the difference between the two neighbours of a sample,
/// rounded down: in codes per sample, Q3. Reads one sample beyond each side of a tile.
KERNEL(void, tile_slopes, const uint16_t *level, ptrdiff_t stride, size_t tiles, size_t step, int32_t *out)

/// Compares `tiles` tiles of 8x8 samples of `level` with `other` (both Q4, below 4096). `places` holds four numbers per
/// tile: the offset of its first sample in `level`; that of the sample it is compared with in `other`; and fractions
/// across and down, 0 to 15 sixteenths of a sample. The samples of `other` are interpolated across, then down, each
/// time rounded, halves up.
///
/// Writes four sums per tile: of the difference (`level` minus `other`, Q4) times the slope across, of the difference
/// times the slope down, of the squared difference (Q4, the sum rounded down), and of the difference. Slopes are means
/// of those in both pictures, rounded down, in codes per sample, Q3.
///
/// Reads in `level` one sample to the left of a tile, above and below it, and seven to the right; in `other` one to the
/// left and above, eight to the right and two below.
KERNEL(void, tile_differences,
    const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles,
    const int32_t *places, int32_t *out)

/// The sums of absolute differences between tiles, given as for `tile_slopes`, and `other` at the offsets `places`.
/// Reads only the tiles.
KERNEL(void, tile_distances,
    const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles, size_t step,
    const int32_t *places, uint32_t *out)

/// The sum of `|a - b - lift|` over a row of at most 65536 samples below 4096; `lift` is from -4095 to 4095.
KERNEL(uint32_t, row_distance, const uint16_t *a, const uint16_t *b, size_t count, int lift)

FAMILY_END(motion)

// Frames matched to the colours of the reference.
FAMILY(color)

/// Computes matched brightness from `pairs` pairs of brightness samples and their chroma: `row` holds the factors of
/// Y', Cb - 128 and Cr - 128, and a constant to add. Held within 0...255 and rounded, halves up.
KERNEL(void, match_luma,
    const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *row, uint8_t *out)

/// The same for a chroma sample, relative to 128; Y' is the mean of the pair.
KERNEL(void, match_chroma,
    const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *row, uint8_t *out)

/// Matched brightness by way of red, green and blue, each clipped at 1. `channels` holds, for each of them, the factors
/// of Y', Cb - 128 and Cr - 128 and a constant to add; `row` holds the factors of the three, and a constant to add.
KERNEL(void, match_clipped_luma,
    const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *channels, const float *row,
    uint8_t *out)

/// The same for a chroma sample, relative to 128: the mean of the results for both pixels of the pair.
KERNEL(void, match_clipped_chroma,
    const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, size_t pairs, const float *channels, const float *row,
    uint8_t *out)

/// `out = gain * luma + lift`, held within 0...255 and rounded, halves up.
KERNEL(void, match_grey, const uint8_t *luma, size_t count, float gain, float lift, uint8_t *out)

FAMILY_END(color)

// Other frames moved, compared with the reference, weighted and merged.
FAMILY(merge)

/// Converts `rows` rows of codes to Q5 (codes times 32).
KERNEL(void, widen_codes,
    const uint8_t *codes, ptrdiff_t stride, size_t count, size_t rows, int16_t *out, ptrdiff_t out_stride)

/// The differences between cells of another frame, each moved by its own motion, and the reference's samples, in Q5:
/// moved minus reference, within -10500...10500.
///
/// Cells are moved by cubic convolution with 6-bit taps, across, then down. Down, each product is rounded up; if the
/// motion down has a fraction, 2 is subtracted to compensate. Whole-sample motion is exact. Reads the moved cell, one
/// sample to its left and seven to its right, one row above it and two below.
KERNEL(void, warp_differences, const struct fusion_warp_parameters *warp)

/// The same for fine rows of the reference and of the other frame, which have the same stride. The result, in Q5, is
/// rounded once, halves up.
KERNEL(void, warp_fine_differences,
    const int16_t *reference, const int16_t *src, ptrdiff_t stride, size_t cells, size_t rows, const int16_t *motion,
    int16_t *out, ptrdiff_t out_stride)

/// Four sums over a cell of 8x8 samples, from its differences (within -10500...10500) in 1 to 15 `frames`, which are
/// `apart`, and the reference's samples in Q5. All rows are `stride` apart. First 64 times the squares of all
/// differences, each held within -most...most (at most 8191), from their frame's mean in the cell; then 64 times the
/// squares of their sums over the frames, from the mean of these. Last, the squared fourth differences (1 -4 6 -4 1)
/// across and down, where they lie within the cell, of the sum of all frames' samples.
KERNEL(void, spread_sums,
    const int16_t *difference, ptrdiff_t stride, ptrdiff_t apart, size_t frames, const int16_t *reference, int most,
    int64_t *sums)

/// For `rows` (1 to 8) rows of `cells` cells of 8 samples, sums up the squares `d * d`, where `d = difference * scale /
/// 65536`, rounded down and held within -most...most, at most 80. Each cell has a scale and a limit (`most`).
///
/// Each element of `sums` belongs to two adjacent samples; it is the sum of both squares and of those of the four rows
/// before. `before` holds the squares of these four rows for pairs of samples, the oldest first, `4 * cells` apart;
/// afterwards, it holds the last four. Rows of differences are `stride` (an even number) apart, rows of sums half as
/// much.
KERNEL(void, sum_squares,
    const int16_t *difference, ptrdiff_t stride, size_t cells, size_t rows, const int16_t *scale, const int16_t *most,
    uint16_t *before, uint16_t *sums)

/// Merges rows of samples with those of other frames.
///
/// Two adjacent samples share a weight (the second one may be beyond the last). It depends on the box sum: three
/// elements of `sums`, for the pair before, the pair itself and the pair after it, saturated at 65535. The weight is
/// `none` minus the box sum, at least 0 and at most `none - full`, times `share / 65536`, rounded down.
///
/// The total is the sum of differences times weights / 8192, each rounded, halves up, and saturated to 16 bits. The
/// total times `16384 / (the sum of weights + own_weight)` is added to the reference, in Q6, rounded, halves up; the
/// result is held within -1024...32767.
///
/// Adds all frames' weights to the evidence of each cell, once per pair; and to `totals`, each frame's weights in the
/// first row.
KERNEL(void, merge_rows, const struct fusion_merge_parameters *merge)

FAMILY_END(merge)

// Denoising by overlapping blocks: see Shrink.h. Tables indexed by coefficient hold 64 numbers, eight vertical
// frequencies for each horizontal one. Variances, biases and choices of spectrum are given per tile of 8x8 samples.
// Samples are either bytes, or codes times 64 that are at least -1024. `tables` holds 16 tables per spectrum. A
// coefficient (of codes times 2, in the scale of the transform) is converted to eighths of the noise's standard
// deviation by multiplying it by a power of two and a table's factor, and dividing by 32768. The factor of the mean's
// coefficient is 0.
FAMILY(residual)

/// Adds the powers of a row of whole tiles to the cells they are in, four tiles per cell.
KERNEL(void, denoise_activity,
    const int16_t *plane, size_t stride, size_t tiles, const float *variance, const uint8_t *spectrum,
    const int16_t *tables, struct fusion_activity *cells)

/// The same for samples that are bytes.
KERNEL(void, denoise_activity_bytes,
    const uint8_t *plane, size_t stride, size_t tiles, const float *variance, const uint8_t *spectrum,
    const int16_t *tables, struct fusion_activity *cells)

/// How to denoise the cells of a row, from their activity and that of the rows of cells above and below. For each
/// coefficient it writes a threshold for the power of the coefficient and its neighbours (Shrink.h), and the share that
/// is always kept. The threshold has the form of a float's bits: subtracting the bits of the power gives the bits of
/// what to take off a share of 32768.
KERNEL(void, denoise_gains,
    const struct fusion_activity *above, const struct fusion_activity *here, const struct fusion_activity *below,
    size_t cells, uint32_t *thresholds, int16_t *floors)

/// The noise of a strip's blocks: every other one. Blocks are four columns apart, and the first one begins four columns
/// left of the plane. Variances and biases are the means of those of the tiles that a block covers.
KERNEL(void, denoise_levels, const struct fusion_levels_parameters *levels)

/// Denoises the blocks of a strip (positions as for `denoise_strip`, blocks as for `denoise_levels`), in codes times
/// 64. It finishes the strip's first rows by adding what the strip four rows above has left in `carry`, and leaves
/// there what the next strip needs.
KERNEL(void, denoise_blocks, const int16_t *plane, const struct fusion_blocks_parameters *strip)

/// The same for samples that are bytes.
KERNEL(void, denoise_blocks_bytes, const uint8_t *plane, const struct fusion_blocks_parameters *strip)

FAMILY_END(residual)

// Texture hidden by noise: see Texture.h. Tables are indexed as those of `residual`.
FAMILY(detail)

/// Transforms the columns of eight rows starting at `top`. They may be up to 4 rows above the plane and 7 below it: the
/// plane, at least 8x8 samples, is mirrored at its edges. Writes `8 * (width + 12)` numbers.
KERNEL(void, denoise_strip,
    const int16_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, float *strip)

/// Adds the powers of the whole tiles of a strip (see `denoise_strip`) to the cells they are in, four tiles per cell.
KERNEL(void, texture_sum,
    const float *strip, size_t tiles, const float *variance, const float *spectra, const uint8_t *spectrum,
    struct fusion_texture *cells)

/// For each coefficient in the cells of a row, the share to keep even if it does not stand out: from 0 where there is
/// no texture to 0.7. It is computed from the cells and those in the rows of cells above and below. 64 numbers per
/// cell.
KERNEL(void, texture_floors,
    const struct fusion_texture *above, const struct fusion_texture *here, const struct fusion_texture *below,
    size_t cells, float *floors)

FAMILY_END(detail)

// Collaborative denoising of planes of floats in codes: see Collaborate.h and Bayes.h. Patches are given by their first
// sample. `chosen` holds indices of shifts for eight patches at a time; those of one patch are eight apart.
FAMILY(patches)

/// `out[i] = row[i] / 64`
KERNEL(void, widen_row, const int16_t *row, size_t count, float *out)

/// `out[i] = sum[i] / weight[i]`
KERNEL(void, quotient_row, const float *sum, const float *weight, size_t count, float *out)

/// `out[i] = round(row[i] * 256)`, held to codes 0 to 255; 0 if `row[i]` is NaN.
KERNEL(void, narrow_row, const float *row, size_t count, uint16_t *out)

/// The means of 2x2 samples: two from each of two rows.
KERNEL(void, quarter_row, const float *upper, const float *lower, size_t count, float *out)

/// For eight patches of 8x8 samples, 8 samples apart starting at `plane`, the indices of the shifts to the 16 most
/// similar patches, most similar first. Each rank is listed for all eight patches before the next rank: `8 * 16`
/// numbers. There are 16 to 512 shifts. Reads rows of 64 samples at every shift.
KERNEL(void, patches_like8,
    const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, size_t count, uint16_t *chosen)

/// The same for patches of 4x4 samples, also 8 samples apart, and the 24 most similar ones. Reads rows of 60 samples.
KERNEL(void, patches_like4,
    const float *plane, ptrdiff_t stride, const struct fusion_shift *shifts, size_t count, uint16_t *chosen)

/// Denoises the 16 patches of 8x8 samples chosen for one patch, and adds them to `sum` and their weights to `weight`.
KERNEL(void, collaborate, const struct fusion_group8_parameters *group)

/// Denoises the 24 patches of 4x4 samples chosen for one patch, using their mean and covariance in `pilot`, and adds
/// them to `sum` and `weight`. If a patch would differ from `pilot` in any sample by more than 16 standard deviations,
/// or contain NaN, its pilot is added instead.
KERNEL(void, collaborate_again, const struct fusion_group4_parameters *group)

FAMILY_END(patches)

// A stream of frames, each fused with what is remembered of those before. Remembered samples are codes in Q6, 0 to
// 16383. Their doubt is the variance of their noise relative to that of a frame, in 255ths: 255 for a sample that is
// no better than the frame's, 1 for the best. Rows consist of blocks of 16 samples, two cells of 8 samples each;
// beyond the end of a row, up to a whole block, values are read and written, but do not matter.
FAMILY(live)

/// Moves cells by interpolation over 8x8 samples (Live.h has the taps), each product rounded to Q6, halves up, and
/// sums held within 0...16383; first down, then across. Whole-sample motion is exact. The doubt is that of the
/// nearest sample (halves to the right, and down), plus `fade` 256ths of it, rounded up, if the motion has a
/// fraction; held to 255. Cells without a share are 0, and their doubt is 255. Reads eight samples on either side of
/// the moved cells' blocks, three rows above and four below. If the last block has only one cell, the rest of it is
/// moved like that.
KERNEL(void, live_move, const struct fusion_live_move_parameters *move)

/// How a frame differs from moved samples, by cell: for each of the two cells of 8x8 samples in a block, the sum of
/// the differences (frame minus moved) in Q4, each rounded down; the sum of their squares; and the sum of the slopes
/// of the moved samples, which are the absolute differences of neighbours within the cell, across and down, in Q3,
/// each rounded down. Reads one sample of `moved` to the right of the last block.
KERNEL(void, live_spread,
    const uint8_t *frame, ptrdiff_t stride, const int16_t *moved, ptrdiff_t moved_stride, size_t blocks, int32_t *out)

/// `d * d` for each sample, where `d = (64 * frame - moved) * scale / 32768`, rounded, halves up, and held within
/// -80...80. Each cell has a scale.
KERNEL(void, live_squares,
    const uint8_t *frame, const int16_t *moved, const int16_t *scale, size_t blocks, uint16_t *out)

/// Blends a row with the new frame.
///
/// The box sum of a sample is that of the squares over 5x5 samples, each addition saturated at 65535: first down,
/// then across. It is compared with `expected = 1600 * (1 + doubt / 255)`, which is what noise alone leaves, since
/// scales turn its standard deviation into 8: `low` and `high` are `full` and `none` times that, rounded. The sample
/// counts for `trust = high - max(low, min(sum, high))` of `span = high - low`; the share of the new frame is
/// `off * span / (off * span + 255 * trust)`, at least `least`, where `off = doubt + excess * (1 + doubt / 255)`.
/// Then `out = moved + (64 * frame - moved) * share`, and the new doubt is `255 * share`.
KERNEL(void, live_blend, const struct fusion_live_blend_parameters *blend)

/// Rounds a row to bytes, halves up. Blocks that contain a doubt of at least `least_doubt` become means of the 12
/// nearest neighbours, up to two samples away, whose weight falls from 1 to 0 as they differ by up to
/// `reach * sqrt(doubt / 255)` standard deviations.
KERNEL(void, live_finish, const struct fusion_live_finish_parameters *finish)

FAMILY_END(live)

// A picture seen a little shifted, turned and enlarged. Places are in 65536ths of a sample, and rounded to 64ths,
// halves up; View.h has the taps, of four samples each.
FAMILY(view)

/// Interpolates a picture down its columns, along a line: `out[i]`, in Q6, is what is at column i of `from`, `start +
/// i * slope` rows below it. Within a block of 16 columns, taps go from those at the block's first column to those at
/// the next block's in 16 steps, each rounded; so does each product (halves up, both). 16 steps of `slope` must be
/// less than a row. Reads whole blocks, of the row above the line and of three, in blocks where it changes rows of
/// four, below that.
KERNEL(void, view_down,
    const uint8_t *from, ptrdiff_t stride, size_t blocks, int32_t start, int32_t slope, int16_t *out)

/// Interpolates such a line along itself: `out[i]` is what is at `start + i * step` of `row`, rounded to bytes, halves
/// up. Reads a sample before the first place, and two after the last one.
KERNEL(void, view_across, const int16_t *row, size_t count, int32_t start, int32_t step, uint8_t *out)

FAMILY_END(view)

// Portrait blur and light: FAMILY(effects).
#include "EffectList.h"

// Depth: FAMILY(depth).
#include "DepthList.h"

// The merged picture corrected, and converted to bytes.
FAMILY(finish)

/// Adds to each 16-bit sample the correction that `table` has for its value. The table has 1024 steps from 1/16 below
/// black to 1/16 above white, as shares of white; values outside use the first or the last one. Held within 0...65535
/// and rounded, halves up.
KERNEL(void, lift_grey, uint16_t *luma, size_t count, const float *table, float black, float span)

/// The same for the red, green and blue of colours: pairs of brightness samples in each of two rows, with their chroma.
/// The corrections are looked up once, for the mean of all of these samples, and rounded, halves up. If a row has no
/// partner, or two rows share a row of chroma, that row is passed twice.
KERNEL(void, lift_colors, const struct fusion_lift_parameters *lift)

/// `out[i] = ((row[i] - zero) * factor + target) >> 20`, held to 0 to 255. The value before the shift must fit 32 bits.
KERNEL(void, byte_row, const uint16_t *row, size_t count, int32_t zero, int32_t factor, int32_t target, uint8_t *out)

FAMILY_END(finish)
