// SPDX-License-Identifier: MIT
// Strips of cosine coefficients, and sums over neighbouring ones.
//
// A strip is eight rows of a plane, transformed down its columns: eight lanes a column, which are the vertical
// frequencies. It begins four columns left of the plane and mirrors the plane at its edges.

/// What a block's coefficients may be divided by without harm.
#define DENOISE_LITTLE 1e-6f

/// Where the rows of a strip are, those outside the plane mirrored at its edge.
INLINE void denoise_rows(ptrdiff_t offsets[8], size_t stride, size_t height, ptrdiff_t top)
{
    for (int i = 0; i < 8; i++) {
        ptrdiff_t y = top + i;
        if (y < 0) y = -1 - y;
        if (y >= (ptrdiff_t)height) y = 2 * (ptrdiff_t)height - 1 - y;
        offsets[i] = y * (ptrdiff_t)stride;
    }
}

/// Mirrors the columns of a strip at the plane's left and right edge.
INLINE void denoise_mirror(lanes *restrict column, size_t width)
{
    for (int i = 1; i <= 4; i++) column[-i] = column[i - 1];
    for (size_t i = 0; i < 8; i++) column[width + i] = column[width - 1 - i];
}

static void denoise_strip(
    const int16_t *restrict plane, size_t stride, size_t width, size_t height, ptrdiff_t top, float *restrict strip)
{
    ptrdiff_t row[8];
    denoise_rows(row, stride, height, top);
    lanes *restrict column = (lanes *)strip + 4;
    for (size_t x = 0;; x += 8) {
        if (x + 8 > width) x = width - 8;
        // The next strip's other rows.
        if (x % 32 < 8)
            for (size_t i = 1; i <= 4; i++) __builtin_prefetch(plane + row[7] + i * stride + x);
        lanes v[8];
        for (int i = 0; i < 8; i++) v[i] = __builtin_convertvector(*(const short_lanes *)(plane + row[i] + x), lanes);
        cosine_forward(v);
        transpose(v);
        for (int i = 0; i < 8; i++) column[x + i] = v[i];
        if (x + 8 >= width) break;
    }
    denoise_mirror(column, width);
}

/// Sums each coefficient's power over its neighbours in the spectrum, weighted 1 2 1 both ways: first over horizontal
/// frequencies, then (one vector after the other) over vertical ones.
INLINE void denoise_gather_across(lanes power[8])
{
    lanes pair[8];
    UNROLLED for (int i = 0; i < 7; i++) pair[i] = power[i] + power[i + 1];
    power[0] = power[0] + pair[0];
    UNROLLED for (int i = 1; i < 7; i++) power[i] = pair[i - 1] + pair[i];
    power[7] = pair[6] + power[7];
}
INLINE void denoise_gather_down(lanes *restrict power)
{
    const lanes none = ALL(0);
    const lanes pair = *power + __builtin_shufflevector(*power, none, 1, 2, 3, 4, 5, 6, 7, 8);
    *power = pair + __builtin_shufflevector(pair, *power, 8, 0, 1, 2, 3, 4, 5, 6);
}

