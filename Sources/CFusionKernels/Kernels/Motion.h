// SPDX-License-Identifier: MIT
// Sums over tiles of 8x8 samples of a pyramid level: how the picture slopes there, and how another differs.

typedef int16_t tile_row __attribute__((vector_size(16)));
typedef uint16_t tile_urow __attribute__((vector_size(16)));
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
        out[0] = sum_of(xx);
        out[1] = sum_of(xy);
        out[2] = sum_of(yy);
        out[3] = sum_of_row(level_sum);
    }
}

/// Eight samples of `src` at a place between samples, in sixteenths.
INLINE tile_urow between(const uint16_t *at, uint16_t across)
{
    tile_urow a, b;
    memcpy(&a, at, sizeof a);
    memcpy(&b, at + 1, sizeof b);
    return (a * (uint16_t)(16 - across) + b * across + 8) >> 4;
}

INLINE tile_urow blend(tile_urow upper, tile_urow lower, uint16_t down)
{
    return (upper * (uint16_t)(16 - down) + lower * down + 8) >> 4;
}

static void tile_differences(
    const uint16_t *level, ptrdiff_t stride, const uint16_t *other, ptrdiff_t other_stride, size_t tiles, size_t step,
    const int32_t *restrict places, int32_t *restrict out)
{
    for (size_t tile = 0; tile < tiles; tile++, level += step, places += 3, out += 4) {
        const uint16_t *src = other + places[0];
        uint16_t across = (uint16_t)places[1], down = (uint16_t)places[2];
        tile_sums x = {0}, y = {0}, square = {0};
        tile_row plain = {0}, sixteenths = {0};
        // Rows of `other` between samples across; rows between those, one above the tile and one below it, follow.
        tile_urow above = between(src - other_stride, across), here = between(src, across), below;
        tile_urow left_above = between(src - 1, across), right_above = between(src + 1, across);
        tile_urow before = blend(above, here, down), now;
        tile_urow next = between(src + other_stride, across);
        now = blend(here, next, down);
        for (int row = 0; row < 8; row++) {
            const uint16_t *at = level + row * stride, *lower = src + (row + 1) * other_stride;
            below = between(lower + other_stride, across);
            tile_urow left_below = between(lower - 1, across), right_below = between(lower + 1, across);
            tile_urow after = blend(next, below, down);
            tile_row other_across =
                (tile_row)blend(right_above, right_below, down) - (tile_row)blend(left_above, left_below, down);
            tile_row difference = load_tile_row(at) - (tile_row)now;
            // Slopes of both pictures: noise of one alone would look like motion where it varies.
            x += products((slope_across(at) + (other_across >> 2)) >> 1, difference);
            y += products((slope_down(at, stride) + (((tile_row)after - (tile_row)before) >> 2)) >> 1, difference);
            square += products(difference, difference);
            sixteenths += (difference * difference) & 15;
            plain += difference;
            before = now;
            now = after;
            next = below;
            left_above = left_below;
            right_above = right_below;
        }
        out[0] = sum_of(x);
        out[1] = sum_of(y);
        // Each square was to be rounded down to a whole sixteenth: what that takes away are its last four bits.
        out[2] = (sum_of(square) - sum_of_row(sixteenths)) >> 4;
        out[3] = sum_of_row(plain);
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
