// SPDX-License-Identifier: MIT
// The kernels for processors with AVX2.

#include "Levels.h"

#if defined(__x86_64__)
#include <immintrin.h>

/// The level multiplies bytes and adds pairs of products in one instruction, and has another for the rounded high
/// halves of products.
#define FUSION_BYTE_PRODUCTS
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "Kernels/All.h"
#pragma clang attribute pop

const struct fusion_kernels fusion_kernels_avx2 = FUSION_TABLE(FUSION_AVX2);
#endif
