// SPDX-License-Identifier: MIT
// The kernels for processors with AVX-512 F, BW, VL and DQ.

#include "Levels.h"

#if defined(__x86_64__)
#include <immintrin.h>

/// The level multiplies bytes and adds pairs of products in one instruction, and has another for the rounded high
/// halves of products.
#define FUSION_BYTE_PRODUCTS
#define LEVEL FUSION_AVX512
#define LEVEL_TABLE fusion_kernels_avx512
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)
#include "Kernels/All.h"
#pragma clang attribute pop
#endif
