// SPDX-License-Identifier: MIT
// The part of KernelList.h for depth. Like that, it has no guard.

// Depth in counts from 1 to 65534, where 0 says that nothing is known: a hole. The reach of a depth z is how far
// another one may lie from it and still be the same surface: `least + (z * z / 65536) * slope / 4096`, each division
// rounded down, held to 65535. It grows with the square of the depth, as the noise of a sensor does that measures
// disparities.
FAMILY(depth)

/// Takes `count` little-endian words from any address. 65535, which some sensors give for nothing, becomes 0.
KERNEL(void, take_depth, const uint8_t *packed, size_t count, uint16_t *out)

/// Takes `count` numbers of four bits, two from each byte, the first one from its lower half.
KERNEL(void, take_confidence, const uint8_t *packed, size_t count, uint8_t *out)

/// Steadies a row over time. Each sample has a memory: what is kept, in 64ths (0 for nothing), and for each of the last
/// eight frames whether it had a depth, the newest in the lowest bit; n is how many had one before this frame.
///
/// A depth d within the reach of what is kept (rounded, halves up) moves it by a share of `max(share, 256 / (n + 1))`
/// 256ths, the division rounded down: `kept += ((64 * d - kept) * share + 128) >> 8`. Any other depth replaces what is
/// kept, and its frame is the only one that counts. At a hole, what is kept stays; it is forgotten once none of the
/// eight frames had a depth.
///
/// `out` is what is kept, rounded, halves up; at a hole only if at least `hold` of the eight frames had a depth, now
/// included, else 0.
KERNEL(void, steady_depth, const struct fusion_depth_steady_parameters *row)

/// Fills the holes of a plane that have at most `limit` samples, where samples belong to one hole if they touch at a
/// side. All others are copied.
///
/// A sample of a hole looks left, right, up and down for the nearest depth. Most holes are shadows beside near things,
/// so it takes the farthest of the four, z, and those that are at most the reach of z nearer: their mean, with weights
/// of 65536 divided by the distance in samples, rounded down, and at least 1. The mean is rounded, halves up. A hole as
/// large as the plane stays one.
KERNEL(void, fill_depth_holes, const struct fusion_depth_holes_parameters *plane)

/// Smooths a row within the edges of depth, which it moves to those of the picture. Reads `radius` samples beyond on
/// every side, of depth and of luma.
///
/// The depths around a sample, from `low` to `high`, are one group if high is within twice the reach of low: noise goes
/// both ways. Else they are two: a near one, up to `low + (high - low) / 2`, and a far one. A depth's weight is
/// `(bound - difference) * (4 - max(|dx|, |dy|))`, where the difference is that of luma to the sample's; 0 from `bound`
/// on. The sample takes the group with the greater sum of weights, where that of its own group counts `own` quarters;
/// the near one, if they are equal. The result is the group's least possible depth, low or the first one of the far
/// group, plus the weighted mean of what its depths are above that, in single precision, rounded, halves up. Holes
/// stay.
KERNEL(void, guide_depth, const struct fusion_depth_guide_parameters *row)

/// Where the points of a row are in the picture of another camera: in 16ths of a pixel, of which 0 is the middle of the
/// first one, and how far away. Holes, and points less than half a count before the camera or from 65534.5 counts on,
/// get depth 0 and place 0. All in single precision.
///
/// A point is `(across * z, down * z, z)`; `pose` has three rows of a rotation, each followed by a translation in
/// counts: `((a * x + b * y) + c * z) + t`. `lens` has fx, fy, cx, cy, k1, k2, p1, p2 and k3: with x and y divided by
/// z, `q = x * x + y * y`, `bend = 1 + q * (k1 + q * (k2 + q * k3))`,
/// `u = (x * bend + (2 * p1) * (x * y)) + p2 * (q + (2 * x) * x)`,
/// `v = (y * bend + (2 * p2) * (x * y)) + p1 * (q + (2 * y) * y)`. The place p is `u * fx + cx` and `v * fy + cy`, held
/// within -32768...32767; in 16ths it is `(p + 32768) * 16 + 0.5`, rounded down, less 524288. z is rounded, halves up.
KERNEL(void, project_depth, const struct fusion_depth_project_parameters *row)

/// Lays points onto a plane: each covers the samples whose middle is at most half of `across` and `down` 16ths before
/// its place, or less than that after it. The nearest point of a sample stays; what is there already counts, too.
KERNEL(void, lay_depth, const struct fusion_depth_lay_parameters *points)

/// One row of several frames' rows, `apart` samples from frame to frame; 1 to 32 frames. The lower median of the depths
/// at a sample, and those within its reach: their mean, rounded, halves up. A hole where fewer than half of the frames
/// have a depth.
KERNEL(void, fuse_depth,
    const uint16_t *rows, ptrdiff_t apart, size_t frames, size_t count, uint32_t least, uint32_t slope, uint16_t *out)

/// The colours of a row, three bytes each: number `(max(z, nearest) - nearest) * factor / 65536`, rounded down and held
/// to 255, of the palette; number 256 for holes.
KERNEL(void, color_depth,
    const uint16_t *depth, size_t count, uint16_t nearest, uint32_t factor, const uint8_t *palette, uint8_t *out)

FAMILY_END(depth)
