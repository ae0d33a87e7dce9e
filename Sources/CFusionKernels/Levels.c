// SPDX-License-Identifier: MIT
// Selects the kernels of a level, if this processor supports it.

#include "Levels.h"

const struct fusion_kernels *fusion_kernels_of(enum fusion_level level)
{
    switch (level) {
    case FUSION_PORTABLE: return &fusion_kernels_portable;
#if defined(__x86_64__)
    case FUSION_AVX2: return __builtin_cpu_supports("avx2") ? &fusion_kernels_avx2 : NULL;
    case FUSION_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
            ? &fusion_kernels_avx512
            : NULL;
#endif
    default: return NULL;
    }
}
