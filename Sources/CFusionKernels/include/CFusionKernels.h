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
    /// For each coefficient the powers relative to the noise, those above 4 taken as 4.
    float power[64];
    /// How many blocks were summed.
    float count;
};

/// How strongly the blocks of a cell of 32x32 samples are denoised, coefficient by coefficient.
struct fusion_gain {
    /// What a coefficient and its neighbours, powers relative to the noise and weighted 1 2 1 both ways, are held to.
    float threshold[64];
    /// What share of a coefficient is kept in any case.
    float floor[64];
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

    // Denoising: see Denoise.h. Tables by coefficient hold 64 numbers, eight vertical frequencies for each horizontal one.
    // A spectrum's are the reciprocals of the noise power in the scale of the transform, for a variance of 1; 0 for the
    // coefficient of the mean. Variances and choices of spectrum are given by tiles of 8x8 samples.

    /// The columns of eight rows from `top` (which may be outside the plane, up to 4 rows above and 7 below), transformed.
    /// The plane is mirrored at its edges; it has at least 8 by 8 samples. Writes `8 * (width + 12)` numbers.
    void (*denoise_strip)(
        const int16_t *plane, size_t stride, size_t width, size_t height, ptrdiff_t top, float *strip);

    /// Adds what the whole tiles of a strip hold to the cells they are in, four to a cell.
    void (*denoise_activity)(
        const float *strip, size_t tiles, const float *variance, const float *spectra, const uint8_t *spectrum,
        struct fusion_activity *cells);

    /// How to denoise the cells of a row, from what they and the rows of cells above and below hold.
    void (*denoise_gains)(
        const struct fusion_activity *above, const struct fusion_activity *here, const struct fusion_activity *below,
        size_t cells, struct fusion_gain *gains);

    /// Denoises the overlapping blocks of a strip, four columns apart, in tiles whose variances are those of two rows,
    /// `upper` and `lower`, in equal parts. Reads `32 * (blocks + 1)` numbers, writes `32 * blocks`.
    void (*denoise_shrink)(
        const float *strip, size_t blocks, const float *upper, const float *lower, size_t tiles, const float *spectra,
        const uint8_t *spectrum, const struct fusion_gain *gains, size_t cells, float *shrunk);

    /// Finishes the first `rows` rows of a strip, at most 4, with what the strip four rows above `carried` to them, and
    /// carries to the other four: `4 * width` numbers each. From codes times 64 to codes times 256.
    void (*denoise_unstrip)(
        const float *shrunk, size_t width, const float *carried, float *carry, uint16_t *out, size_t stride,
        size_t rows);
};

/// The kernels of a level; null where this processor, or this build, does not have it.
const struct fusion_kernels *fusion_kernels_of(enum fusion_level level);

#endif
