// SPDX-License-Identifier: MIT
// The kernels for the baseline of the architecture, which every processor has.

#include "Levels.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include "Kernels/All.h"

const struct fusion_kernels fusion_kernels_portable = FUSION_TABLE(FUSION_PORTABLE);
