// SPDX-License-Identifier: MIT
// Shrinks the cosine coefficients of overlapping blocks towards what is more than noise.
//
// What is more than noise is judged by a coefficient together with its neighbours in the spectrum, and by what the
// neighbourhood in the picture has at the same frequencies: fine texture below the noise shows in a sum over many
// blocks, and is then left alone.
//
// A strip is eight rows of a plane, transformed down its columns: eight lanes a column, which are the vertical
// frequencies. It begins four columns left of the plane and mirrors the plane at its edges. Strips are four rows apart,
// and a strip's blocks lie side by side, but begin four columns further right in every other strip: two blocks cover
// each sample, whose edges are far from each other. That is within 0.1 dB of all four blocks there could be, for half
// the work.

/// Weights of a block's samples, which fall towards its edges (a Kaiser window with beta 2), so that none can be seen.
static const float denoise_window[8] = {
    0.30795132f, 0.43726090f, 0.56273910f, 0.69204868f, 0.69204868f, 0.56273910f, 0.43726090f, 0.30795132f,
};

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

static void denoise_strip_bytes(
    const uint8_t *restrict plane, size_t stride, size_t width, size_t height, ptrdiff_t top, float *restrict strip)
{
    ptrdiff_t row[8];
    denoise_rows(row, stride, height, top);
    lanes *restrict column = (lanes *)strip + 4;
    for (size_t x = 0;; x += 8) {
        if (x + 8 > width) x = width - 8;
        lanes v[8];
        for (int i = 0; i < 8; i++)
            v[i] = __builtin_convertvector(*(const byte_lanes *)(plane + row[i] + x), lanes) * 64.0f;
        cosine_forward(v);
        transpose(v);
        for (int i = 0; i < 8; i++) column[x + i] = v[i];
        if (x + 8 >= width) break;
    }
    denoise_mirror(column, width);
}

/// The reciprocal of positive numbers to within a sixteenth, the same on every machine: a line through the bits. Ample
/// for a gain, of which nobody knows the right value better.
INLINE void denoise_reciprocal(const lanes *restrict x, lanes *restrict out)
{
    *out = (lanes)(0x7ef00000 - (whole_lanes)*x);
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

static void denoise_shrink(
    const float *restrict strip, size_t first, size_t blocks, const float *restrict upper, const float *restrict lower,
    size_t tiles, const float *restrict upper_bias, const float *restrict lower_bias, const float *restrict spectra,
    const uint8_t *restrict spectrum, const struct fusion_gain *restrict gains, size_t cells, float *restrict shrunk)
{
    for (size_t block = first; block < blocks; block += 2) {
        const lanes *restrict column = (const lanes *)strip + 4 * block;
        lanes *restrict out = (lanes *)shrunk + 4 * block;
        const size_t middle = block / 2 < tiles ? block / 2 : tiles - 1;
        const size_t left = block == 0 ? 0 : (block - 1) / 2 < tiles ? (block - 1) / 2 : tiles - 1;
        const float variance = 0.25f * ((upper[left] + upper[middle]) + (lower[left] + lower[middle]));
        const float precision = 1.0f / (variance + DENOISE_LITTLE);
        const lanes *restrict whiten = (const lanes *)(spectra + 64 * (size_t)spectrum[middle]);
        const struct fusion_gain *restrict gain = gains + (block / 8 < cells ? block / 8 : cells - 1);
        const lanes *restrict threshold = (const lanes *)gain->threshold, *restrict floor = (const lanes *)gain->floor;

        lanes v[8], power[8];
        for (int i = 0; i < 8; i++) v[i] = column[i];
        cosine_forward(v);
        UNROLLED for (int i = 0; i < 8; i++) power[i] = (v[i] * v[i]) * (whiten[i] * precision);
        denoise_gather_across(power);
        UNROLLED for (int i = 0; i < 8; i++) {
            lanes reciprocal;
            denoise_gather_down(&power[i]);
            denoise_reciprocal(&power[i], &reciprocal);
            lanes kept = 1.0f - threshold[i] * reciprocal;
            at_least(&kept, &floor[i]);
            v[i] *= kept;
        }
        // The mean of 64 samples, which are codes times 64.
        if (upper_bias)
            v[0][0] += ((upper_bias[left] + upper_bias[middle]) + (lower_bias[left] + lower_bias[middle])) * -1024.0f;
        cosine_inverse(v);
        UNROLLED for (int i = 0; i < 8; i++) out[i] = v[i];
    }
}

/// The weights of eight rows of a strip's blocks, where those of the strips beside it lie half a block off: the two at
/// a place sum to 1. They begin with a block's first column and go on for another; both transforms' scales are in them.
INLINE void denoise_weights(float weights[8][16])
{
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            const float here = denoise_window[y] * denoise_window[x];
            const float there = denoise_window[(y + 4) % 8] * denoise_window[(x + 4) % 8];
            weights[y][x] = weights[y][x + 8] = here / (here + there) * (1.0f / 64);
        }
}

static void denoise_unstrip(
    const float *restrict shrunk, size_t first, size_t width, const float *restrict carried, float *restrict carry,
    uint16_t *restrict out, size_t stride, size_t rows)
{
    const lanes *restrict column = (const lanes *)shrunk + 4;
    float weights[8][16];
    denoise_weights(weights);
    const lanes black = ALL(0), white = ALL(255 * 256);
    for (size_t x = 0;; x += 8) {
        if (x + 8 > width) x = width - 8;
        lanes v[8];
        // The rows of the next strip.
        if (x % 32 < 8)
            for (size_t i = 4; i < 8; i++) __builtin_prefetch(out + i * stride + x, 1);
        UNROLLED for (int i = 0; i < 8; i++) v[i] = column[x + i];
        transpose(v);
        cosine_inverse(v);
        const size_t within = (x + 4 - 4 * first) % 8;
        UNROLLED for (int i = 0; i < 8; i++) v[i] *= *(const lanes *)&weights[i][within];
        // A count known here keeps the block in registers.
        UNROLLED for (size_t i = 0; i < 4; i++) {
            if (i >= rows) break;
            // Codes times 64 in, codes times 256 out.
            lanes sum = (*(const lanes *)(carried + i * width + x) + v[i]) * 4.0f + 0.5f;
            at_least(&sum, &black);
            at_most(&sum, &white);
            *(ushort_lanes *)(out + i * stride + x) =
                __builtin_convertvector(__builtin_convertvector(sum, whole_lanes), ushort_lanes);
        }
        UNROLLED for (int i = 0; i < 4; i++) *(lanes *)(carry + i * width + x) = v[i + 4];
        if (x + 8 >= width) break;
    }
}

static void denoise_activity(
    const float *restrict strip, size_t tiles, const float *restrict variance, const float *restrict spectra,
    const uint8_t *restrict spectrum, struct fusion_activity *restrict cells)
{
    const lanes *restrict column = (const lanes *)strip + 4;
    const lanes cap = ALL(4);
    for (size_t tile = 0; tile < tiles; tile++, column += 8) {
        const float precision = 1.0f / (variance[tile] + DENOISE_LITTLE);
        const lanes *restrict whiten = (const lanes *)(spectra + 64 * (size_t)spectrum[tile]);
        struct fusion_activity *restrict cell = cells + tile / 4;
        lanes *restrict sum = (lanes *)cell->power;
        lanes v[8];
        for (int i = 0; i < 8; i++) v[i] = column[i];
        cosine_forward(v);
        for (int i = 0; i < 8; i++) {
            lanes power = (v[i] * v[i]) * (whiten[i] * precision);
            at_most(&power, &cap);
            sum[i] += power;
        }
        cell->count += 1;
    }
}
