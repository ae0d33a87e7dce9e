// SPDX-License-Identifier: MIT
// Strips of cosine coefficients, and sums of neighbouring coefficients.
//
// A strip is eight rows of a plane, transformed along its columns. Each column is a vector of eight lanes, which are
// the vertical frequencies. The strip begins four columns left of the plane, and the plane is mirrored at its edges.

/// Added to divisors to avoid division by zero, without affecting the result.
#define DENOISE_LITTLE 1e-6f

/// The offsets of a strip's rows. Rows outside the plane are mirrored at its edge.
INLINE void denoise_rows(ptrdiff_t offsets[8], size_t stride, size_t height, ptrdiff_t top)
{
    for (int i = 0; i < 8; i++) {
        ptrdiff_t y = top + i;
        if (y < 0) y = -1 - y;
        if (y >= (ptrdiff_t)height) y = 2 * (ptrdiff_t)height - 1 - y;
        offsets[i] = y * (ptrdiff_t)stride;
    }
}

/// Mirrors the columns of a strip at the left and right edges of the plane.
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
        // Prefetches the rows that the next strip needs in addition.
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

/// Replaces each coefficient's power with a sum over its neighbours in the spectrum, with weights 1 2 1 in both
/// directions: `across` for horizontal frequencies, then `down`, one vector at a time, for vertical ones.
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

