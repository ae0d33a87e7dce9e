// SPDX-License-Identifier: MIT
// Another frame's samples where the reference's are, between samples too.

/// A row of one cell, or of two next to each other.
typedef int16_t warp_row __attribute__((vector_size(32)));

/// Taps for eighths of a sample, times 64: cubic convolution (Catmull and Rom's), so rounded that they still sum to 64
/// and their centre is still at the eighth they are for.
static const int8_t warp_taps[8][4] = {
    {0, 64, 0, 0},    {-4, 63, 6, -1},  {-5, 56, 15, -2}, {-5, 47, 25, -3},
    {-4, 36, 36, -4}, {-3, 25, 47, -5}, {-2, 15, 56, -5}, {-1, 6, 63, -4},
};

// Vectors wider than a level's registers are handed on in memory, which inlining does away with: functions that take or
// return them are called differently at every level.

INLINE void load_warp_row(const uint8_t *from, int cells, warp_row *row)
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    bytes samples = {0};
    memcpy(&samples, from, 8 * (size_t)cells);
    *row = __builtin_convertvector(samples, warp_row);
}

INLINE void store_warp_row(const warp_row *row, int16_t *out)
{
    memcpy(out, row, sizeof *row);
}

/// A row in Q6.
INLINE void filter_across(const uint8_t *from, int cells, const int8_t *taps, warp_row *sum)
{
    warp_row a, b, c, d;
    load_warp_row(from - 1, cells, &a);
    load_warp_row(from, cells, &b);
    load_warp_row(from + 1, cells, &c);
    load_warp_row(from + 2, cells, &d);
    *sum = a * (int16_t)taps[0] + b * (int16_t)taps[1] + c * (int16_t)taps[2] + d * (int16_t)taps[3];
}

/// Adds the high halves of products.
INLINE void add_high_product(const warp_row *row, int16_t factor, warp_row *sum)
{
    typedef int32_t wide __attribute__((vector_size(64)));
    const warp_row all = (warp_row){0} + factor;
    const wide product = __builtin_convertvector(*row, wide) * __builtin_convertvector(all, wide);
    *sum += __builtin_convertvector(product >> 16, warp_row);
}

/// One or two cells that move alike. Always writes two: narrower vectors would not get the instruction for high halves.
INLINE void warp_alike(
    const uint8_t *src, ptrdiff_t stride, int cells, int dx, int dy, size_t rows, int16_t *out, ptrdiff_t out_stride)
{
    src += (dy >> 3) * stride + (dx >> 3);
    warp_row a, b, c, d;
    if (!((dx | dy) & 7)) {
        for (size_t y = 0; y < rows; y++, src += stride, out += out_stride) {
            load_warp_row(src, cells, &a);
            a <<= 5;
            store_warp_row(&a, out);
        }
        return;
    }
    const int8_t *across = warp_taps[dx & 7], *down = warp_taps[dy & 7];
    if (!(dy & 7)) {
        for (size_t y = 0; y < rows; y++, src += stride, out += out_stride) {
            filter_across(src, cells, across, &a);
            a >>= 1;
            store_warp_row(&a, out);
        }
        return;
    }
    filter_across(src - stride, cells, across, &a);
    filter_across(src, cells, across, &b);
    filter_across(src + stride, cells, across, &c);
    src += 2 * stride;
    // Rows are in Q6 here; taps times 512 make the high half of the product Q5, each rounded down by half a unit in the
    // mean, which the 2 gives back.
    for (size_t y = 0; y < rows; y++, src += stride, out += out_stride) {
        filter_across(src, cells, across, &d);
        warp_row sum = (warp_row){0} + 2;
        add_high_product(&a, (int16_t)(down[0] * 512), &sum);
        add_high_product(&b, (int16_t)(down[1] * 512), &sum);
        add_high_product(&c, (int16_t)(down[2] * 512), &sum);
        add_high_product(&d, (int16_t)(down[3] * 512), &sum);
        store_warp_row(&sum, out);
        a = b;
        b = c;
        c = d;
    }
}

static void warp_cells(
    const uint8_t *src, ptrdiff_t stride, size_t cells, size_t rows, const int16_t *restrict motion,
    int16_t *restrict out, ptrdiff_t out_stride)
{
    for (size_t cell = 0; cell < cells;) {
        const int dx = motion[2 * cell], dy = motion[2 * cell + 1];
        // Neighbours move alike as a rule.
        if (cell + 1 < cells && motion[2 * cell + 2] == dx && motion[2 * cell + 3] == dy) {
            warp_alike(src + 8 * cell, stride, 2, dx, dy, rows, out + 8 * cell, out_stride);
            cell += 2;
        } else {
            int16_t both[8 * 16];
            warp_alike(src + 8 * cell, stride, 1, dx, dy, rows, both, 16);
            for (size_t y = 0; y < rows; y++) memcpy(out + 8 * cell + (ptrdiff_t)y * out_stride, both + 16 * y, 16);
            cell += 1;
        }
    }
}
