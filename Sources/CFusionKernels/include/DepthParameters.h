// SPDX-License-Identifier: MIT
// What the kernels of the family `depth` take.
#ifndef CFUSIONKERNELS_DEPTH_PARAMETERS_H
#define CFUSIONKERNELS_DEPTH_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

/// A row that `steady_depth` steadies over time.
struct fusion_depth_steady_parameters {
    /// The new frame's depths.
    const uint16_t *fresh;
    size_t count;
    /// The reach, see DepthList.h: at most 65535 each.
    uint32_t least;
    uint32_t slope;
    /// The least share of a new depth, in 256ths: 1 to 256.
    uint32_t share;
    /// How many of eight frames must have had a depth for a hole to get one: 1 to 8, or more for never.
    uint32_t hold;
    /// The memory: depths in 64ths, and frames that had one.
    uint32_t *kept;
    uint8_t *seen;
    uint16_t *out;
};

/// A plane whose small holes `fill_depth_holes` fills.
struct fusion_depth_holes_parameters {
    const uint16_t *depth;
    ptrdiff_t stride;
    /// At least 1 each; width times height fits 31 bits.
    uint32_t width;
    uint32_t height;
    /// The most samples of a hole that is filled.
    uint32_t limit;
    /// The reach, see DepthList.h: at most 65535 each.
    uint32_t least;
    uint32_t slope;
    /// Working memory: width times height of each, and width.
    uint32_t *places;
    uint8_t *marks;
    uint32_t *columns;
    /// Another plane than `depth`.
    uint16_t *out;
    ptrdiff_t out_stride;
};

/// A row that `guide_depth` smooths.
struct fusion_depth_guide_parameters {
    const uint16_t *depth;
    ptrdiff_t stride;
    const uint8_t *luma;
    ptrdiff_t luma_stride;
    size_t count;
    /// 1 to 3.
    uint32_t radius;
    /// The difference in luma from which on a sample does not count: 1 to 64.
    uint32_t bound;
    /// The reach, see DepthList.h: at most 65535 each.
    uint32_t least;
    uint32_t slope;
    /// What a sample's own group counts, in quarters: 4 to 16.
    uint32_t own;
    uint16_t *out;
};

/// A row whose points `project_depth` finds in another camera's picture.
struct fusion_depth_project_parameters {
    const uint16_t *depth;
    /// The points' places at a distance of 1.
    const float *across;
    const float *down;
    size_t count;
    /// Twelve numbers.
    const float *pose;
    /// Nine numbers.
    const float *lens;
    int32_t *x;
    int32_t *y;
    uint16_t *z;
};

/// Points that `lay_depth` lays onto a plane.
struct fusion_depth_lay_parameters {
    const int32_t *x;
    const int32_t *y;
    /// 0 for points that are none.
    const uint16_t *z;
    size_t count;
    /// The size of a point, in 16ths of a sample: 16 to 4096.
    uint32_t across;
    uint32_t down;
    uint32_t width;
    uint32_t height;
    uint16_t *out;
    ptrdiff_t stride;
};

#endif
