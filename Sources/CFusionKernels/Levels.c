// SPDX-License-Identifier: MIT
// Selects the kernels of a level, if this processor supports it.

#include "Levels.h"

const struct fusion_kernels *fusion_kernels_of(enum fusion_level level)
{
    switch (level) {
    case FUSION_PORTABLE: return &fusion_kernels_portable;
#if defined(__x86_64__)
    case FUSION_AVX2: return __builtin_cpu_supports("avx2") ? &fusion_kernels_avx2 : NULL;
#endif
    default: return NULL;
    }
}
