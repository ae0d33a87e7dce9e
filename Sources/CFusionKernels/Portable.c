// SPDX-License-Identifier: MIT
// The kernels for any processor of the architecture.

#include "Levels.h"
#include "Kernels/All.h"

const struct fusion_kernels fusion_kernels_portable = FUSION_TABLE(FUSION_PORTABLE);
