// SPDX-License-Identifier: MIT
// The kernels for processors with AVX2.

#include "Levels.h"

#if defined(__x86_64__)
#include <immintrin.h>

/// The level multiplies bytes and adds pairs of products in one instruction, and has another for the rounded high
/// halves of products.
#define FUSION_BYTE_PRODUCTS
#define LEVEL FUSION_AVX2
#define LEVEL_TABLE fusion_kernels_avx2
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "Kernels/All.h"
#pragma clang attribute pop
#endif
