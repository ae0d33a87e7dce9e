// SPDX-License-Identifier: MIT
// How another frame's samples, moved to where the reference's are, differ from them; between samples too.
//
// Two cells next to each other are moved at once, one in the lower half of each vector and one in the upper, each by
// its own taps: neighbours that move alike are no faster, and those that do not no slower.

/// A row of two cells.
typedef int16_t warp_row __attribute__((vector_size(32)));
/// A row of one.
typedef int16_t warp_cell __attribute__((vector_size(16)));

/// Taps for eighths of a sample, times 64: cubic convolution (Catmull and Rom's), so rounded that they still sum to 64
/// and their centre is still at the eighth they are for.
static const int8_t warp_taps[8][4] = {
    {0, 64, 0, 0},    {-4, 63, 6, -1},  {-5, 56, 15, -2}, {-5, 47, 25, -3},
    {-4, 36, 36, -4}, {-3, 25, 47, -5}, {-2, 15, 56, -5}, {-1, 6, 63, -4},
};

/// How two cells are moved, and what they are compared with.
struct warp_pair {
    /// Their first row in the reference, side by side, and how far it is to the next.
    const uint8_t *reference;
    ptrdiff_t reference_stride;
    /// The first samples of their first rows.
    const uint8_t *src[2];
    /// Eighths of a sample across and down.
    unsigned across[2], down[2];
};

// Vectors wider than a level's registers are handed on in memory, which inlining does away with: functions that take or
// return them are called differently at every level.

INLINE void warp_join(int16_t left, int16_t right, warp_row *row)
{
    const warp_cell a = (warp_cell){0} + left, b = (warp_cell){0} + right;
    *row = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

#ifdef FUSION_BYTE_PRODUCTS

/// Taps of a row by pairs, of bytes: the outer vectors' halves hold a cell's first two and its last two.
struct warp_filter {
    __m256i first, last;
};

INLINE void warp_filter_of(const struct warp_pair *pair, struct warp_filter *filter)
{
    uint32_t taps[2];
    memcpy(&taps[0], warp_taps[pair->across[0]], sizeof taps[0]);
    memcpy(&taps[1], warp_taps[pair->across[1]], sizeof taps[1]);
    const __m256i all = _mm256_set_m128i(_mm_set1_epi32((int)taps[1]), _mm_set1_epi32((int)taps[0]));
    filter->first = _mm256_shuffle_epi8(all, _mm256_set1_epi16(0x0100));
    filter->last = _mm256_shuffle_epi8(all, _mm256_set1_epi16(0x0302));
}

/// A row in Q6.
INLINE void filter_across(
    const struct warp_pair *pair, ptrdiff_t offset, const struct warp_filter *filter, warp_row *sum)
{
    const __m256i samples = _mm256_loadu2_m128i(
        (const __m128i *)(pair->src[1] + offset - 1), (const __m128i *)(pair->src[0] + offset - 1));
    const __m256i first = _mm256_set_epi8(
        8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0);
    const __m256i last = _mm256_add_epi8(first, _mm256_set1_epi8(2));
    // No sum of two products is beyond 16 bits.
    *sum = (warp_row)_mm256_add_epi16(
        _mm256_maddubs_epi16(_mm256_shuffle_epi8(samples, first), filter->first),
        _mm256_maddubs_epi16(_mm256_shuffle_epi8(samples, last), filter->last));
}

#else

/// Taps of a row, each in a vector of its own.
struct warp_filter {
    warp_row taps[4];
};

INLINE void warp_filter_of(const struct warp_pair *pair, struct warp_filter *filter)
{
    for (int i = 0; i < 4; i++)
        warp_join(warp_taps[pair->across[0]][i], warp_taps[pair->across[1]][i], &filter->taps[i]);
}

INLINE void filter_across(
    const struct warp_pair *pair, ptrdiff_t offset, const struct warp_filter *filter, warp_row *sum)
{
    typedef uint8_t bytes __attribute__((vector_size(8)));
    *sum = (warp_row){0};
    UNROLLED for (int i = 0; i < 4; i++) {
        bytes left, right;
        memcpy(&left, pair->src[0] + offset - 1 + i, 8);
        memcpy(&right, pair->src[1] + offset - 1 + i, 8);
        const warp_cell a = __builtin_convertvector(left, warp_cell), b = __builtin_convertvector(right, warp_cell);
        *sum += __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) * filter->taps[i];
    }
}

#endif

/// What a row in Q5 differs from that of the reference.
INLINE void store_difference(const warp_row *row, const struct warp_pair *pair, size_t y, int16_t *out)
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    bytes reference;
    memcpy(&reference, pair->reference + (ptrdiff_t)y * pair->reference_stride, sizeof reference);
    const warp_row most = (warp_row){0} + 4095;
    warp_row difference = *row - (__builtin_convertvector(reference, warp_row) << 5);
    difference = __builtin_elementwise_max(__builtin_elementwise_min(difference, most), -most);
    memcpy(out, &difference, sizeof difference);
}

/// Subtracts the high halves of products.
INLINE void subtract_high_product(const warp_row *row, const warp_row *factor, warp_row *sum)
{
    typedef int32_t wide __attribute__((vector_size(64)));
    const wide product = __builtin_convertvector(*row, wide) * __builtin_convertvector(*factor, wide);
    *sum -= __builtin_convertvector(product >> 16, warp_row);
}

/// Two cells that both move by whole samples.
INLINE void copy_cells(
    const struct warp_pair *pair, ptrdiff_t stride, size_t rows, int16_t *out, ptrdiff_t out_stride)
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    ptrdiff_t offset = 0;
    bytes samples;
    warp_row row;
    if (pair->src[1] == pair->src[0] + 8) {
        for (size_t y = 0; y < rows; y++, offset += stride, out += out_stride) {
            memcpy(&samples, pair->src[0] + offset, 16);
            row = __builtin_convertvector(samples, warp_row) << 5;
            store_difference(&row, pair, y, out);
        }
        return;
    }
    for (size_t y = 0; y < rows; y++, offset += stride, out += out_stride) {
        memcpy(&samples, pair->src[0] + offset, 8);
        memcpy((char *)&samples + 8, pair->src[1] + offset, 8);
        row = __builtin_convertvector(samples, warp_row) << 5;
        store_difference(&row, pair, y, out);
    }
}

INLINE void warp_two(
    const struct warp_pair *pair, ptrdiff_t stride, size_t rows, int16_t *out, ptrdiff_t out_stride)
{
    struct warp_filter filter;
    warp_filter_of(pair, &filter);
    // Rows are in Q6 here; taps times 512 make the high half of the product Q5. Negative ones have room for 64 * 512.
    // Each is rounded up by half a unit in the mean, which the 2 takes away, unless there is one alone.
    const int8_t *left = warp_taps[pair->down[0]], *right = warp_taps[pair->down[1]];
    warp_row taps[4], start;
    for (int i = 0; i < 4; i++) warp_join((int16_t)(left[i] * -512), (int16_t)(right[i] * -512), &taps[i]);
    warp_join(pair->down[0] ? -2 : 0, pair->down[1] ? -2 : 0, &start);
    warp_row a, b, c, d;
    filter_across(pair, -stride, &filter, &a);
    filter_across(pair, 0, &filter, &b);
    filter_across(pair, stride, &filter, &c);
    ptrdiff_t below = 2 * stride;
    for (size_t y = 0; y < rows; y++, below += stride, out += out_stride) {
        filter_across(pair, below, &filter, &d);
        warp_row sum = start;
        subtract_high_product(&a, &taps[0], &sum);
        subtract_high_product(&b, &taps[1], &sum);
        subtract_high_product(&c, &taps[2], &sum);
        subtract_high_product(&d, &taps[3], &sum);
        store_difference(&sum, pair, y, out);
        a = b;
        b = c;
        c = d;
    }
}

/// The cell at `src`, and the one `apart` samples further right.
INLINE void warp_neighbours(
    const uint8_t *reference, ptrdiff_t reference_stride, const uint8_t *src, ptrdiff_t apart, ptrdiff_t stride,
    size_t rows, const int16_t *motion, const int16_t *other_motion, int16_t *restrict out, ptrdiff_t out_stride)
{
    const int dx = motion[0], dy = motion[1], other_dx = other_motion[0], other_dy = other_motion[1];
    const struct warp_pair pair = {
        .reference = reference,
        .reference_stride = reference_stride,
        .src = {src + (dy >> 3) * stride + (dx >> 3), src + apart + (other_dy >> 3) * stride + (other_dx >> 3)},
        .across = {dx & 7, other_dx & 7},
        .down = {dy & 7, other_dy & 7},
    };
    if ((dx | dy | other_dx | other_dy) & 7)
        warp_two(&pair, stride, rows, out, out_stride);
    else
        copy_cells(&pair, stride, rows, out, out_stride);
}

static void warp_differences(
    const uint8_t *reference, ptrdiff_t reference_stride, const uint8_t *src, ptrdiff_t stride, size_t cells,
    size_t rows, const int16_t *restrict motion, int16_t *restrict out, ptrdiff_t out_stride)
{
    size_t cell = 0;
    for (; cell + 2 <= cells; cell += 2, reference += 16, src += 16, motion += 4, out += 16) {
        // So many rows side by side are more than processors foresee. A fourth of the next eight rows' lines here, of
        // 64 samples, and the others with the next three pairs.
        const uint8_t *next = src + ((motion[1] >> 3) + (ptrdiff_t)(rows + 2 + cell % 8)) * stride + (motion[0] >> 3);
        __builtin_prefetch(next);
        __builtin_prefetch(next + stride);
        warp_neighbours(reference, reference_stride, src, 8, stride, rows, motion, motion + 2, out, out_stride);
    }
    if (cell == cells) return;
    // The last one alone is its own neighbour.
    uint8_t last[8 * 16] = {0};
    int16_t both[8 * 16];
    for (size_t y = 0; y < rows; y++) memcpy(last + 16 * y, reference + (ptrdiff_t)y * reference_stride, 8);
    warp_neighbours(last, 16, src, 0, stride, rows, motion, motion, both, 16);
    for (size_t y = 0; y < rows; y++) memcpy(out + (ptrdiff_t)y * out_stride, both + 16 * y, 16);
}
