// SPDX-License-Identifier: MIT
// Finds the patches of a plane that are most similar to given ones.

/// How many patches are processed at once, `PATCH_STEP` samples apart.
#define PATCH_RUN 8
#define PATCH_STEP 8
/// The lowest bits of a distance, which are replaced with the index of the shift.
#define PATCH_NUMBER 511

/// Joins the first, or the last, four lanes of two vectors.
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define LAST_HALVES(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

/// Four samples of a patch, and of the one four patches on.
INLINE void patch_pair(const float *restrict from, lanes *restrict pair)
{
    const half_lanes near = *(const half_lanes *)from, far = *(const half_lanes *)(from + 4 * PATCH_STEP);
    *pair = __builtin_shufflevector(near, far, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// The distances of eight patches from those at a shift.
INLINE void patch_distances(
    const float *restrict plane, ptrdiff_t stride, int side, struct fusion_shift shift, lanes *restrict sums)
{
    const float *other = plane + shift.y * stride + shift.x;
    // Four columns of a patch and of the one four patches on. Those of a patch of 8x8 samples are folded.
    lanes pairs[4];
    for (int i = 0; i < 4; i++) {
        lanes near = ALL(0), far = ALL(0);
        for (int y = 0; y < side; y++) {
            const float *here = plane + y * stride + PATCH_STEP * i, *there = other + y * stride + PATCH_STEP * i;
            lanes a, b;
            if (side == 8) {
                a = *(const lanes *)here - *(const lanes *)there;
                b = *(const lanes *)(here + 4 * PATCH_STEP) - *(const lanes *)(there + 4 * PATCH_STEP);
                far += b * b;
            } else {
                patch_pair(here, &a);
                patch_pair(there, &b);
                a -= b;
            }
            near += a * a;
        }
        pairs[i] = side == 8 ? FIRST_HALVES(near, far) + LAST_HALVES(near, far) : near;
    }
    // Transposes the four samples of each pair, and sums them.
    const lanes a = __builtin_shufflevector(pairs[0], pairs[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const lanes b = __builtin_shufflevector(pairs[0], pairs[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const lanes c = __builtin_shufflevector(pairs[2], pairs[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const lanes d = __builtin_shufflevector(pairs[2], pairs[3], 1, 9, 3, 11, 5, 13, 7, 15);
    const lanes first = a + b, last = c + d;
    *sums = __builtin_shufflevector(first, last, 0, 1, 8, 9, 4, 5, 12, 13) +
        __builtin_shufflevector(first, last, 2, 3, 10, 11, 6, 7, 14, 15);
}

INLINE void patch_search(
    const float *restrict plane, ptrdiff_t stride, int side, const struct fusion_shift *restrict shifts, int count,
    int kept, uint16_t *restrict chosen)
{
    // A distance and the index of its shift form one integer: the bits of positive floats are ordered like the
    // floats.
    whole_lanes best[FUSION_MOST_PATCHES];
    for (int i = 0; i < kept; i++) best[i] = ((whole_lanes){0}) + INT32_MAX;
    for (int number = 0; number < count; number++) {
        lanes sums;
        patch_distances(plane, stride, side, shifts[number], &sums);
        whole_lanes key = ((whole_lanes)sums & ~PATCH_NUMBER) | number;
        if (!__builtin_reduce_or(key < best[kept - 1])) continue;
        for (int i = 0; i < kept; i++) {
            const whole_lanes stays = best[i] < key, was = best[i];
            best[i] = (was & stays) | (key & ~stays);
            key = (key & stays) | (was & ~stays);
        }
    }
    for (int i = 0; i < kept; i++)
        for (int lane = 0; lane < PATCH_RUN; lane++)
            chosen[PATCH_RUN * i + lane] = (uint16_t)(best[i][lane] & PATCH_NUMBER);
}

static void patches_like8(
    const float *restrict plane, ptrdiff_t stride, const struct fusion_shift *restrict shifts, size_t count,
    uint16_t *restrict chosen)
{
    patch_search(plane, stride, 8, shifts, (int)count, FUSION_GROUP8, chosen);
}

static void patches_like4(
    const float *restrict plane, ptrdiff_t stride, const struct fusion_shift *restrict shifts, size_t count,
    uint16_t *restrict chosen)
{
    patch_search(plane, stride, 4, shifts, (int)count, FUSION_GROUP4, chosen);
}
