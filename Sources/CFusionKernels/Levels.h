// SPDX-License-Identifier: MIT
// The tables of all levels, for the one place that chooses. Everything the kernels include is included here, before
// any level's instructions are allowed.
#ifndef FUSION_LEVELS_H
#define FUSION_LEVELS_H

#include "CFusionKernels.h"
#include <stdbool.h>
#include <string.h>

// A fused multiply-add on one machine is another picture on the next. Said here rather than by -ffp-contract=off, which
// a package that others depend on cannot ask for.
#pragma STDC FP_CONTRACT OFF

// Wide vectors are passed to inlined functions only, so that it does not matter how a call would pass them.
#pragma clang diagnostic ignored "-Wpsabi"

extern const struct fusion_kernels fusion_kernels_portable;
#if defined(__x86_64__)
extern const struct fusion_kernels fusion_kernels_avx2;
extern const struct fusion_kernels fusion_kernels_avx512;
#endif

#endif
