// SPDX-License-Identifier: MIT
// What the kernels of the family `unpack` take.
#ifndef CFUSIONKERNELS_UNPACK_PARAMETERS_H
#define CFUSIONKERNELS_UNPACK_PARAMETERS_H

#include <stdint.h>

/// How the words of a deep format become codes in Q6: `(((word >> shift) & mask) * factor + offset) >> 16`. All
/// products and sums fit 32 bits.
struct fusion_words {
    uint32_t shift, mask;
    int32_t factor, offset;
};

/// How the three bytes of a pixel become Y', Cb and Cr in Q6, times 65536: the factors of the bytes in their order in
/// memory, and a constant to add. Those of chroma apply to the sums over two pixels.
struct fusion_pixels {
    int32_t luma[4], cb[4], cr[4];
};

#endif
