// SPDX-License-Identifier: MIT
// The kernels for the baseline of the architecture, which every processor has.

#include "Levels.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define LEVEL FUSION_PORTABLE
#define LEVEL_TABLE fusion_kernels_portable
#include "Kernels/All.h"
