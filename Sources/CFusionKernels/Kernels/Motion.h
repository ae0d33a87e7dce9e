// SPDX-License-Identifier: MIT
// Sums over tiles of 8x8 samples of a pyramid level: how the picture slopes there, and how another differs.

typedef int16_t tile_row __attribute__((vector_size(16)));
typedef int32_t tile_sums __attribute__((vector_size(16)));

INLINE tile_row load_tile_row(const uint16_t *from)
{
    tile_row row;
    memcpy(&row, from, sizeof row);
    return row;
}

INLINE tile_row load_tile_bytes(const uint8_t *from)
{
    typedef uint8_t bytes __attribute__((vector_size(8)));
    bytes row;
    memcpy(&row, from, sizeof row);
    return __builtin_convertvector(row, tile_row);
}

INLINE int32_t sum_of(tile_sums v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

/// Products of neighbouring lanes, added: one instruction on x86-64.
INLINE tile_sums products(tile_row a, tile_row b)
{
    typedef int32_t wide __attribute__((vector_size(32)));
    const wide all = __builtin_convertvector(a, wide) * __builtin_convertvector(b, wide);
    return __builtin_shufflevector(all, all, 0, 2, 4, 6) + __builtin_shufflevector(all, all, 1, 3, 5, 7);
}

/// The sum of eight lanes of 16 bits, which may be more than 16 bits hold.
INLINE int32_t sum_of_row(tile_row v)
{
    const tile_row ones = {1, 1, 1, 1, 1, 1, 1, 1};
    return sum_of(products(v, ones));
}

/// The sums over the lanes of four vectors.
INLINE void store_sums(tile_sums a, tile_sums b, tile_sums c, tile_sums d, int32_t *out)
{
    const tile_sums ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const tile_sums cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const tile_sums sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    memcpy(out, &sums, sizeof sums);
}

/// Slopes across and down at a row of a tile, in codes a sample, Q3.
INLINE tile_row slope_across(const uint16_t *at)
{
    return (load_tile_row(at + 1) - load_tile_row(at - 1)) >> 2;
}
INLINE tile_row slope_down(const uint16_t *at, ptrdiff_t stride)
{
    return (load_tile_row(at + stride) - load_tile_row(at - stride)) >> 2;
}

static void tile_slopes(const uint16_t *level, ptrdiff_t stride, size_t tiles, size_t step, int32_t *restrict out)
{
    const tile_row ones = {1, 1, 1, 1, 1, 1, 1, 1};
    for (size_t tile = 0; tile < tiles; tile++, level += step, out += 4) {
        tile_sums xx = {0}, xy = {0}, yy = {0};
        tile_row level_sum = {0};
        for (int y = 0; y < 8; y++) {
            const uint16_t *at = level + y * stride;
            tile_row across = slope_across(at), down = slope_down(at, stride);
            xx += products(across, across);
            xy += products(across, down);
            yy += products(down, down);
            level_sum += load_tile_row(at);
        }
        store_sums(xx, xy, yy, products(level_sum, ones), out);
    }
}

/// A row of a tile and what lies beside it. Wider than the portable level's registers, so handed on in memory, which
/// inlining does away with.
typedef uint16_t wide_row __attribute__((vector_size(32)));

/// What lies `sixteenths` of the way from one to the other.
INLINE void blend(const wide_row *a, const wide_row *b, uint16_t sixteenths, wide_row *out)
{
    *out = (*a * (uint16_t)(16 - sixteenths) + *b * sixteenths + 8) >> 4;
}

/// Sixteen samples at a place between samples across.
INLINE void blend_across(const uint16_t *at, uint16_t across, wide_row *row)
{
    wide_row here, next;
    memcpy(&here, at, sizeof here);
    memcpy(&next, at + 1, sizeof next);
    blend(&here, &next, across, row);
}

static void tile_differences(
    const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles, size_t step,
    const int32_t *restrict places, int32_t *restrict out)
{
    const tile_row ones = {1, 1, 1, 1, 1, 1, 1, 1};
    for (size_t tile = 0; tile < tiles; tile++, level += step, places += 3, out += 4) {
        // What lies at the tile's samples, and around them, in `other`.
        uint16_t there[10][16];
        const uint16_t *src = other + places[0] - other_stride - 1;
        const uint16_t across = (uint16_t)places[1], down = (uint16_t)places[2];
        wide_row upper, lower, between;
        blend_across(src, across, &upper);
        UNROLLED for (int row = 0; row < 10; row++) {
            src += other_stride;
            blend_across(src, across, &lower);
            blend(&upper, &lower, down, &between);
            memcpy(there[row], &between, sizeof between);
            upper = lower;
        }

        tile_sums x = {0}, y = {0}, square = {0};
        tile_row plain = {0};
        UNROLLED for (int row = 0; row < 8; row++) {
            const uint16_t *here = level + row * stride, *its = there[row + 1] + 1;
            const tile_row difference = load_tile_row(here) - load_tile_row(its);
            // Slopes of both pictures: noise of one alone would look like motion where it varies.
            const tile_row rise =
                (load_tile_row(here + 1) - load_tile_row(here - 1)) + (load_tile_row(its + 1) - load_tile_row(its - 1));
            const tile_row fall = (load_tile_row(here + stride) - load_tile_row(here - stride)) +
                (load_tile_row(its + 16) - load_tile_row(its - 16));
            x += products(rise >> 3, difference);
            y += products(fall >> 3, difference);
            square += products(difference, difference);
            plain += difference;
        }
        store_sums(x, y, square, products(plain, ones), out);
        out[2] >>= 4;
    }
}

static void tile_distances(
    const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles, size_t step,
    const int32_t *restrict places, uint32_t *restrict out)
{
    for (size_t tile = 0; tile < tiles; tile++, level += step) {
        const uint16_t *src = other + places[tile];
        tile_row sum = {0};
        for (int row = 0; row < 8; row++)
            sum += __builtin_elementwise_abs(
                load_tile_row(level + row * stride) - load_tile_row(src + row * other_stride));
        out[tile] = (uint32_t)sum_of_row(sum);
    }
}
