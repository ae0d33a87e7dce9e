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
};

/// The kernels of a level; null where this processor, or this build, does not have it.
const struct fusion_kernels *fusion_kernels_of(enum fusion_level level);

#endif
