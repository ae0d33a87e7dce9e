// SPDX-License-Identifier: MIT
// Sums over tiles of 8x8 samples of a pyramid level: the slopes of a picture, and its differences from another.

typedef int16_t tile_row __attribute__((vector_size(16)));
typedef int32_t tile_sums __attribute__((vector_size(16)));

INLINE tile_row load_tile_row(const uint16_t *from)
{
    tile_row row;
    memcpy(&row, from, sizeof row);
    return row;
}

INLINE int32_t sum_of(tile_sums v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

/// Products of lanes, added in adjacent pairs: one instruction on x86-64.
INLINE tile_sums products(tile_row a, tile_row b)
{
    typedef int32_t wide __attribute__((vector_size(32)));
    const wide all = __builtin_convertvector(a, wide) * __builtin_convertvector(b, wide);
    return __builtin_shufflevector(all, all, 0, 2, 4, 6) + __builtin_shufflevector(all, all, 1, 3, 5, 7);
}

/// Stores the sum over the lanes of each of four vectors.
INLINE void store_sums(tile_sums a, tile_sums b, tile_sums c, tile_sums d, int32_t *out)
{
    const tile_sums ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const tile_sums cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const tile_sums sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    memcpy(out, &sums, sizeof sums);
}

/// A row of a tile with its neighbours. Wider than the portable level's registers, so it is passed through memory,
/// which inlining removes.
typedef uint16_t wide_row __attribute__((vector_size(32)));
/// Two rows of samples side by side, such as consecutive rows of a tile.
typedef int16_t row_pair __attribute__((vector_size(32)));
typedef int32_t pair_sums __attribute__((vector_size(32)));

#ifdef FUSION_BYTE_PRODUCTS

/// The value `sixteenths` of the way from one vector to the other, halves rounded up.
INLINE void blend(const wide_row *a, const wide_row *b, uint16_t sixteenths, wide_row *out)
{
    const __m256i share = _mm256_set1_epi16((int16_t)(sixteenths << 11));
    *out = *a + (wide_row)_mm256_mulhrs_epi16((__m256i)(*b - *a), share);
}

INLINE void add_products(const row_pair *a, const row_pair *b, pair_sums *sums)
{
    *sums += (pair_sums)_mm256_madd_epi16((__m256i)*a, (__m256i)*b);
}

#else

INLINE void blend(const wide_row *a, const wide_row *b, uint16_t sixteenths, wide_row *out)
{
    *out = (*a * (uint16_t)(16 - sixteenths) + *b * sixteenths + 8) >> 4;
}

INLINE void add_products(const row_pair *a, const row_pair *b, pair_sums *sums)
{
    const tile_sums upper = products(
        __builtin_shufflevector(*a, *a, 0, 1, 2, 3, 4, 5, 6, 7),
        __builtin_shufflevector(*b, *b, 0, 1, 2, 3, 4, 5, 6, 7));
    const tile_sums lower = products(
        __builtin_shufflevector(*a, *a, 8, 9, 10, 11, 12, 13, 14, 15),
        __builtin_shufflevector(*b, *b, 8, 9, 10, 11, 12, 13, 14, 15));
    *sums += __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7);
}

#endif

/// Sixteen samples, interpolated across.
INLINE void blend_across(const uint16_t *at, uint16_t across, wide_row *row)
{
    wide_row here, next;
    memcpy(&here, at, sizeof here);
    memcpy(&next, at + 1, sizeof next);
    blend(&here, &next, across, row);
}

/// Eight samples, and the eight at a distance of `stride`.
INLINE void load_row_pair(const uint16_t *at, ptrdiff_t stride, row_pair *rows)
{
    const tile_row upper = load_tile_row(at), lower = load_tile_row(at + stride);
    *rows = __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

INLINE tile_sums halves_added(const pair_sums *sums)
{
    return __builtin_shufflevector(*sums, *sums, 0, 1, 2, 3) + __builtin_shufflevector(*sums, *sums, 4, 5, 6, 7);
}

/// Stores the sums over the lanes of four vectors: of their lower halves, then of their upper halves.
INLINE void store_pair_sums(
    const pair_sums *a, const pair_sums *b, const pair_sums *c, const pair_sums *d, int32_t *out)
{
    for (int half = 0; half < 2; half++) {
        tile_sums sums[4];
        const pair_sums *all[4] = {a, b, c, d};
        UNROLLED for (int i = 0; i < 4; i++)
            sums[i] = half ? __builtin_shufflevector(*all[i], *all[i], 4, 5, 6, 7)
                           : __builtin_shufflevector(*all[i], *all[i], 0, 1, 2, 3);
        store_sums(sums[0], sums[1], sums[2], sums[3], out + 4 * half);
    }
}

/// The slopes of two tiles that are `apart` samples from each other, with a row of each in one vector.
INLINE void slopes_of_two(const uint16_t *level, ptrdiff_t stride, ptrdiff_t apart, int32_t *restrict out)
{
    const row_pair ones = (row_pair){0} + 1;
    pair_sums xx = {0}, xy = {0}, yy = {0}, plain = {0};
    row_pair above, at, below, left, right, level_sum = {0};
    load_row_pair(level - stride, apart, &above);
    load_row_pair(level, apart, &at);
    for (int y = 0; y < 8; y++, level += stride) {
        load_row_pair(level + stride, apart, &below);
        load_row_pair(level - 1, apart, &left);
        load_row_pair(level + 1, apart, &right);
        const row_pair across = (right - left) >> 2, down = (below - above) >> 2;
        add_products(&across, &across, &xx);
        add_products(&across, &down, &xy);
        add_products(&down, &down, &yy);
        level_sum += at;
        above = at;
        at = below;
    }
    add_products(&level_sum, &ones, &plain);
    store_pair_sums(&xx, &xy, &yy, &plain, out);
}

static void tile_slopes(const uint16_t *level, ptrdiff_t stride, size_t tiles, size_t step, int32_t *restrict out)
{
    size_t tile = 0;
    // Adjacent tiles have their rows in one vector.
    for (; tile + 2 <= tiles && step == 8; tile += 2, level += 16, out += 8) slopes_of_two(level, stride, 8, out);
    for (; tile + 2 <= tiles; tile += 2, level += 2 * step, out += 8)
        slopes_of_two(level, stride, (ptrdiff_t)step, out);
    if (tile == tiles) return;
    int32_t twice[8];
    slopes_of_two(level, stride, 0, twice);
    memcpy(out, twice, 4 * sizeof *out);
}

/// How many tiles ahead samples are prefetched.
#define TILES_AHEAD 3

static void tile_differences(
    const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles,
    const int32_t *restrict places, int32_t *restrict out)
{
    const row_pair ones = (row_pair){0} + 1;
    for (size_t tile = 0; tile < tiles; tile++, places += 4, out += 4) {
        // Tiles are scattered, and too far apart for the hardware prefetcher.
        if (tile + TILES_AHEAD < tiles) {
            const uint16_t *next = level + places[4 * TILES_AHEAD], *its = other + places[4 * TILES_AHEAD + 1];
            UNROLLED for (int row = 0; row < 8; row++) {
                __builtin_prefetch(next + row * stride);
                __builtin_prefetch(its + row * other_stride);
            }
        }
        // The sums of both pictures at the tile's samples and around them. Slopes are computed from both pictures,
        // because the noise of one alone would look like motion where it varies.
        enum { across = 16 };
        uint16_t both[10][across];
        const uint16_t *own = level + places[0], *beside = own - stride - 1;
        const uint16_t *src = other + places[1] - other_stride - 1;
        const uint16_t to_right = (uint16_t)places[2], to_below = (uint16_t)places[3];
        wide_row upper, lower, between, here;
        blend_across(src, to_right, &upper);
        UNROLLED for (int row = 0; row < 10; row++, beside += stride) {
            src += other_stride;
            blend_across(src, to_right, &lower);
            blend(&upper, &lower, to_below, &between);
            memcpy(&here, beside, sizeof here);
            between += here;
            memcpy(both[row], &between, sizeof between);
            upper = lower;
        }

        pair_sums x = {0}, y = {0}, square = {0}, plain = {0};
        row_pair above, at, below, left, right, difference;
        load_row_pair(both[0] + 1, across, &above);
        UNROLLED for (int row = 0; row < 8; row += 2) {
            const uint16_t *its = both[row + 1] + 1;
            load_row_pair(its, across, &at);
            load_row_pair(its + across, across, &below);
            load_row_pair(its - 1, across, &left);
            load_row_pair(its + 1, across, &right);
            load_row_pair(own + row * stride, stride, &difference);
            difference += difference - at;
            const row_pair rise = (right - left) >> 3, fall = (below - above) >> 3;
            add_products(&rise, &difference, &x);
            add_products(&fall, &difference, &y);
            add_products(&difference, &difference, &square);
            add_products(&difference, &ones, &plain);
            above = below;
        }
        store_sums(halves_added(&x), halves_added(&y), halves_added(&square), halves_added(&plain), out);
        out[2] >>= 4;
    }
}

static void tile_distances(
    const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles, size_t step,
    const int32_t *restrict places, uint32_t *restrict out)
{
    const row_pair ones = (row_pair){0} + 1;
    row_pair own[4];
    for (size_t tile = 0; tile < tiles; tile++, level += step) {
        const uint16_t *src = other + places[tile];
        row_pair sum = {0};
        pair_sums total = {0};
        // Often the same tile is compared at many places.
        if (tile == 0 || step != 0)
            UNROLLED for (int row = 0; row < 4; row++) load_row_pair(level + 2 * row * stride, stride, &own[row]);
        UNROLLED for (int row = 0; row < 4; row++) {
            row_pair theirs;
            load_row_pair(src + 2 * row * other_stride, other_stride, &theirs);
            sum += __builtin_elementwise_abs(own[row] - theirs);
        }
        add_products(&sum, &ones, &total);
        out[tile] = (uint32_t)sum_of(halves_added(&total));
    }
}
