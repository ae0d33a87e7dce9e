// SPDX-License-Identifier: MIT
// Finds the patches of a plane that are most similar to given ones.

/// How many patches are processed at once, `PATCH_STEP` samples apart.
#define PATCH_RUN 8
#define PATCH_STEP 4
/// The lowest bits of a distance, which are replaced with the index of the shift.
#define PATCH_NUMBER 511

/// Sums the columns of each patch. The results are in the lanes in the order of patches 0 2 4 6 1 3 5 7, because then
/// no lane moves between the halves of a register. `column` is divided into cells of four; a patch consists of its
/// own cell and the next one, or only that one's first column for 5x5 patches.
INLINE void patch_sums(const lanes column[5], int side, lanes *restrict sums)
{
    lanes cell[5];
    for (int i = 0; i < 5; i++) {
        const lanes pair = column[i] + __builtin_shufflevector(column[i], column[i], 1, 0, 3, 2, 5, 4, 7, 6);
        cell[i] = pair + __builtin_shufflevector(pair, pair, 2, 3, 0, 1, 6, 7, 4, 5);
    }
    const lanes low = __builtin_shufflevector(cell[0], cell[1], 0, 9, 2, 11, 4, 13, 6, 15);
    const lanes high = __builtin_shufflevector(cell[2], cell[3], 0, 9, 2, 11, 4, 13, 6, 15);
    const lanes own = __builtin_shufflevector(low, high, 0, 1, 10, 11, 4, 5, 14, 15);
    const lanes *from = side == 8 ? cell : column;
    const lanes even_low = __builtin_shufflevector(from[0], from[1], 0, 8, 4, 12, 4, 12, 0, 0);
    const lanes even_high = __builtin_shufflevector(from[2], from[3], 0, 8, 4, 12, 4, 12, 0, 0);
    // The cells that follow those of patches 0 2 4 6 are the second ones in each register; those that follow 1 3 5 7
    // are the first ones in the next register.
    const lanes second = __builtin_shufflevector(even_low, even_high, 2, 3, 10, 11, 1, 8, 9, 9);
    const lanes next = __builtin_shufflevector(second, from[4], 0, 1, 2, 3, 4, 5, 6, 8);
    *sums = own + next;
}

INLINE void patch_distances(
    const float *restrict plane, ptrdiff_t stride, int side, struct fusion_shift shift, lanes *restrict sums)
{
    const float *other = plane + shift.y * stride + shift.x;
    lanes column[5];
    for (int i = 0; i < 5; i++) column[i] = ALL(0);
    for (int y = 0; y < side; y++)
        for (int i = 0; i < 5; i++) {
            const lanes difference =
                *(const lanes *)(plane + y * stride + 8 * i) - *(const lanes *)(other + y * stride + 8 * i);
            column[i] += difference * difference;
        }
    patch_sums(column, side, sums);
}

INLINE void patch_search(
    const float *restrict plane, ptrdiff_t stride, int side, const struct fusion_shift *restrict shifts, int count,
    int kept, uint16_t *restrict chosen)
{
    static const int patch_of_lane[PATCH_RUN] = {0, 2, 4, 6, 1, 3, 5, 7};
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
            chosen[PATCH_RUN * i + patch_of_lane[lane]] = (uint16_t)(best[i][lane] & PATCH_NUMBER);
}

static void patches_like8(
    const float *restrict plane, ptrdiff_t stride, const struct fusion_shift *restrict shifts, size_t count,
    uint16_t *restrict chosen)
{
    patch_search(plane, stride, 8, shifts, (int)count, FUSION_GROUP8, chosen);
}

static void patches_like5(
    const float *restrict plane, ptrdiff_t stride, const struct fusion_shift *restrict shifts, size_t count,
    uint16_t *restrict chosen)
{
    patch_search(plane, stride, 5, shifts, (int)count, FUSION_GROUP5, chosen);
}
