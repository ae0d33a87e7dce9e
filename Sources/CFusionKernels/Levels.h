// SPDX-License-Identifier: MIT
// The tables of all levels, for the one place that selects between them. Every header that the kernels need is
// included here, before any level's instructions are enabled.
#ifndef FUSION_LEVELS_H
#define FUSION_LEVELS_H

#include "CFusionKernels.h"
#include <stdbool.h>
#include <string.h>

// With fused multiply-adds, different machines would produce different pictures. They are disabled here rather than
// by -ffp-contract=off, because a package that others depend on cannot use unsafe flags.
#pragma STDC FP_CONTRACT OFF

// Wide vectors are only passed to inlined functions, so it does not matter how a call would pass them.
#pragma clang diagnostic ignored "-Wpsabi"

extern const struct fusion_kernels fusion_kernels_portable;
#if defined(__x86_64__)
extern const struct fusion_kernels fusion_kernels_avx2;
#endif

#endif
