// SPDX-License-Identifier: MIT
// All kernels and their table. Each level includes this file once, with its own target attributes, after defining
// LEVEL and LEVEL_TABLE.

#define FAMILY(family)
#define KERNEL(result, kernel, ...) static result kernel(__VA_ARGS__);
#define FAMILY_END(family)
#include "../KernelList.h"
#undef FAMILY
#undef KERNEL
#undef FAMILY_END

#include "Split.h"
#include "Mean.h"
#include "Bytes.h"
#include "Cosine.h"
#include "Denoise.h"
#include "Shorts.h"
#include "Shrink.h"
#include "Gains.h"
#include "Pyramid.h"
#include "Motion.h"
#include "Warp.h"
#include "Fine.h"
#include "Spread.h"
#include "Merge.h"
#include "Match.h"
#include "Sums.h"
#include "Finish.h"
#include "Floats.h"
#include "Texture.h"
#include "Patches.h"
#include "Collaborate.h"
#include "Bayes.h"
#include "Tiles.h"
#include "Live.h"
#include "View.h"
#include "Effects.h"
#include "Net.h"
#include "Light.h"
#include "Sprite.h"
#include "Depth.h"
#include "DepthPlanes.h"

#define FAMILY(family) .family = {
#define KERNEL(result, kernel, ...) .kernel = kernel,
#define FAMILY_END(family) },
const struct fusion_kernels LEVEL_TABLE = {
    .level = LEVEL,
#include "../KernelList.h"
};
#undef FAMILY
#undef KERNEL
#undef FAMILY_END
