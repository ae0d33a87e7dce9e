// SPDX-License-Identifier: MIT
// The inner loops of fusion, built once for each level of processor instructions.
#ifndef CFUSIONKERNELS_H
#define CFUSIONKERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "DenoiseParameters.h"
#include "DepthParameters.h"
#include "EffectParameters.h"
#include "FinishParameters.h"
#include "LiveParameters.h"
#include "MergeParameters.h"
#include "PatchParameters.h"
#include "UnpackParameters.h"

/// The levels. Each includes the instructions of the previous ones.
enum fusion_level {
    /// The baseline of the architecture: SSE2 on x86-64, NEON on arm64.
    FUSION_PORTABLE = 0,
    FUSION_AVX2 = 1,
};

/// The kernels of one level, a table for each family: `kernels->merge.merge_rows(...)`. KernelList.h describes them.
struct fusion_kernels {
    /// Which level this is.
    enum fusion_level level;
#define FAMILY(family) struct {
#define KERNEL(result, kernel, ...) result (*kernel)(__VA_ARGS__);
#define FAMILY_END(family) } family;
// Outside of this folder, because a header of the module cannot be included within a declaration.
#include "../KernelList.h"
#undef FAMILY
#undef KERNEL
#undef FAMILY_END
};

/// The kernels of a level, or null if this processor or this build does not support it.
const struct fusion_kernels *fusion_kernels_of(enum fusion_level level);

#endif
