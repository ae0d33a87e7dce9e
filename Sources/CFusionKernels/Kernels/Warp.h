// SPDX-License-Identifier: MIT
// The differences between another frame's samples, moved to the reference's positions, and the reference; with
// interpolation between samples.
//
// Two adjacent cells are moved at once, one in the lower half of each vector and one in the upper, each with its own
// taps. At levels with byte products, four cells with the same motion, the usual case, take a faster path: their even
// and odd samples are filtered in place.

/// A row of two cells.
typedef int16_t warp_row __attribute__((vector_size(32)));
/// A row of one cell.
typedef int16_t warp_cell __attribute__((vector_size(16)));

/// Filter taps for eighths of a sample, times 64: cubic convolution (Catmull-Rom), rounded so that they still sum to
/// 64 and their centre of mass is still at that eighth.
static const int8_t warp_taps[8][4] = {
    {0, 64, 0, 0},    {-4, 63, 6, -1},  {-5, 56, 15, -2}, {-5, 47, 25, -3},
    {-4, 36, 36, -4}, {-3, 25, 47, -5}, {-2, 15, 56, -5}, {-1, 6, 63, -4},
};

/// The same times -512.
static const int16_t warp_taps_down[8][4] = {
    {0, -32768, 0, 0},
    {2048, -32256, -3072, 512},
    {2560, -28672, -7680, 1024},
    {2560, -24064, -12800, 1536},
    {2048, -18432, -18432, 2048},
    {1536, -12800, -24064, 2560},
    {1024, -7680, -28672, 2560},
    {512, -3072, -32256, 2048},
};

/// How two cells are moved, and what they are compared with.
struct warp_pair {
    /// The first row of the two cells in the reference, in Q5, side by side; and the distance to the next row.
    const int16_t *reference;
    ptrdiff_t reference_stride;
    /// The first sample of each cell's first row.
    const uint8_t *src[2];
    /// Fractions in eighths of a sample, across and down.
    unsigned across[2], down[2];
};

// Vectors wider than a level's registers are passed through memory, which inlining removes, because functions that
// take or return them have a different calling convention at each level.

#ifdef FUSION_BYTE_PRODUCTS

/// Taps across in pairs of bytes, and a vector for each tap down; one cell in each half.
struct warp_filter {
    __m256i first, last, down[4], start;
};

INLINE void warp_filter_of(const struct warp_pair *pair, struct warp_filter *filter)
{
    uint32_t across[2];
    uint64_t down[2];
    for (int i = 0; i < 2; i++) {
        memcpy(&across[i], warp_taps[pair->across[i]], sizeof across[i]);
        memcpy(&down[i], warp_taps_down[pair->down[i]], sizeof down[i]);
    }
    __m256i all = _mm256_set_m128i(_mm_set1_epi32((int)across[1]), _mm_set1_epi32((int)across[0]));
    filter->first = _mm256_shuffle_epi8(all, _mm256_set1_epi16(0x0100));
    filter->last = _mm256_shuffle_epi8(all, _mm256_set1_epi16(0x0302));
    all = _mm256_set_m128i(_mm_set1_epi64x((long long)down[1]), _mm_set1_epi64x((long long)down[0]));
    UNROLLED for (int i = 0; i < 4; i++)
        filter->down[i] = _mm256_shuffle_epi8(all, _mm256_set1_epi16((int16_t)(0x0100 + 0x0202 * i)));
    // Subtracts 2, unless a single tap does everything.
    const __m256i alone = _mm256_cmpeq_epi16(filter->down[1], _mm256_set1_epi16(INT16_MIN));
    filter->start = _mm256_andnot_si256(alone, _mm256_set1_epi16(-2));
}

/// Filters a row of two cells across, to Q6.
INLINE void filter_across(const uint8_t *left, const uint8_t *right, const struct warp_filter *filter, warp_row *sum)
{
    const __m256i samples = _mm256_loadu2_m128i((const __m128i *)(right - 1), (const __m128i *)(left - 1));
    const __m256i first = _mm256_set_epi8(
        8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0);
    const __m256i last = _mm256_add_epi8(first, _mm256_set1_epi8(2));
    // The sum of two products never exceeds 16 bits.
    *sum = (warp_row)_mm256_add_epi16(
        _mm256_maddubs_epi16(_mm256_shuffle_epi8(samples, first), filter->first),
        _mm256_maddubs_epi16(_mm256_shuffle_epi8(samples, last), filter->last));
}

/// Filters four rows down: the high halves of their products with the taps, plus the correction.
INLINE void filter_down(const warp_row *rows, const struct warp_filter *filter, warp_row *sum)
{
    *sum = (warp_row)filter->start;
    UNROLLED for (int i = 0; i < 4; i++)
        *sum -= (warp_row)_mm256_mulhi_epi16((__m256i)rows[i], filter->down[i]);
}

#else

INLINE void warp_join(int16_t left, int16_t right, warp_row *row)
{
    const warp_cell a = (warp_cell){0} + left, b = (warp_cell){0} + right;
    *row = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// A vector for each tap across and down; one cell in each half.
struct warp_filter {
    warp_row across[4], down[4], start;
};

INLINE void warp_filter_of(const struct warp_pair *pair, struct warp_filter *filter)
{
    for (int i = 0; i < 4; i++) {
        warp_join(warp_taps[pair->across[0]][i], warp_taps[pair->across[1]][i], &filter->across[i]);
        warp_join(warp_taps_down[pair->down[0]][i], warp_taps_down[pair->down[1]][i], &filter->down[i]);
    }
    // Subtracts 2, unless a single tap does everything.
    warp_join(pair->down[0] ? -2 : 0, pair->down[1] ? -2 : 0, &filter->start);
}

INLINE void filter_across(const uint8_t *left, const uint8_t *right, const struct warp_filter *filter, warp_row *sum)
{
    typedef uint8_t bytes __attribute__((vector_size(8)));
    *sum = (warp_row){0};
    UNROLLED for (int i = 0; i < 4; i++) {
        bytes first, second;
        memcpy(&first, left - 1 + i, 8);
        memcpy(&second, right - 1 + i, 8);
        const warp_cell a = __builtin_convertvector(first, warp_cell), b = __builtin_convertvector(second, warp_cell);
        *sum += __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) * filter->across[i];
    }
}

INLINE void filter_down(const warp_row *rows, const struct warp_filter *filter, warp_row *sum)
{
    typedef int32_t wide __attribute__((vector_size(64)));
    *sum = filter->start;
    UNROLLED for (int i = 0; i < 4; i++) {
        const wide product = __builtin_convertvector(rows[i], wide) * __builtin_convertvector(filter->down[i], wide);
        *sum -= __builtin_convertvector(product >> 16, warp_row);
    }
}

#endif

/// Stores the difference between a row in Q5 and the reference's.
INLINE void store_difference(const warp_row *row, const struct warp_pair *pair, size_t y, int16_t *out)
{
    warp_row reference;
    memcpy(&reference, pair->reference + (ptrdiff_t)y * pair->reference_stride, sizeof reference);
    const warp_row difference = *row - reference;
    memcpy(out, &difference, sizeof difference);
}

/// Moves two cells by whole samples.
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

INLINE void warp_rows(
    const struct warp_pair *pair, ptrdiff_t stride, size_t rows, int16_t *out, ptrdiff_t out_stride)
{
    // Rows are in Q6 between the two filters. With taps times 512, the high half of a product is in Q5. The taps are
    // stored as negative numbers, which have room for 64 * 512. Each of the four products is rounded up, by half a
    // unit on average; the 2 compensates for that.
    struct warp_filter filter;
    warp_row between[8 + 3], row;
    warp_filter_of(pair, &filter);
    const uint8_t *left = pair->src[0], *right = pair->src[1];
    if (!(pair->down[0] | pair->down[1])) {
        // Q6 to Q5, rounded up as the single tap would.
        for (size_t y = 0; y < rows; y++, left += stride, right += stride, out += out_stride) {
            filter_across(left, right, &filter, &row);
            row = (row + 1) >> 1;
            store_difference(&row, pair, y, out);
        }
        return;
    }
    left -= stride;
    right -= stride;
    for (size_t y = 0; y < rows + 3; y++, left += stride, right += stride)
        filter_across(left, right, &filter, &between[y]);
    for (size_t y = 0; y < rows; y++, out += out_stride) {
        filter_down(between + y, &filter, &row);
        store_difference(&row, pair, y, out);
    }
}

INLINE void warp_two(
    const struct warp_pair *pair, ptrdiff_t stride, size_t rows, int16_t *out, ptrdiff_t out_stride)
{
    // Most cells are whole; a constant number of rows avoids a loop counter.
    if (rows == 8)
        warp_rows(pair, stride, 8, out, out_stride);
    else
        warp_rows(pair, stride, rows, out, out_stride);
}

/// Moves the first cell, and the one `apart` samples to its right, which moves by `beside`.
INLINE void warp_neighbours(const struct fusion_warp_parameters *cells, ptrdiff_t apart, const int16_t *beside)
{
    const int dx = cells->motion[0], dy = cells->motion[1], beside_dx = beside[0], beside_dy = beside[1];
    const uint8_t *src = cells->src;
    const ptrdiff_t stride = cells->stride;
    const struct warp_pair pair = {
        .reference = cells->reference,
        .reference_stride = cells->reference_stride,
        .src = {src + (dy >> 3) * stride + (dx >> 3), src + apart + (beside_dy >> 3) * stride + (beside_dx >> 3)},
        .across = {dx & 7, beside_dx & 7},
        .down = {dy & 7, beside_dy & 7},
    };
    if ((dx | dy | beside_dx | beside_dy) & 7)
        warp_two(&pair, stride, cells->rows, cells->out, cells->out_stride);
    else
        copy_cells(&pair, stride, cells->rows, cells->out, cells->out_stride);
}

#ifdef FUSION_BYTE_PRODUCTS

/// Filters the even and the odd samples of 32 in a row, to Q6.
INLINE void filter_alike(const uint8_t *src, const __m256i *first, const __m256i *last, __m256i out[2])
{
    UNROLLED for (int i = 0; i < 2; i++) {
        const __m256i before = _mm256_loadu_si256((const __m256i *)(src - 1 + i));
        const __m256i behind = _mm256_loadu_si256((const __m256i *)(src + 1 + i));
        out[i] = _mm256_add_epi16(_mm256_maddubs_epi16(before, *first), _mm256_maddubs_epi16(behind, *last));
    }
}

/// Interleaves even and odd samples in Q5, and stores their difference from the reference.
INLINE void store_alike(const __m256i sums[2], const int16_t *reference, int16_t *out)
{
    const __m256i low = _mm256_unpacklo_epi16(sums[0], sums[1]), high = _mm256_unpackhi_epi16(sums[0], sums[1]);
    const __m256i left = _mm256_permute2x128_si256(low, high, 0x20);
    const __m256i right = _mm256_permute2x128_si256(low, high, 0x31);
    const __m256i *own = (const __m256i *)reference;
    _mm256_storeu_si256((__m256i *)out, _mm256_sub_epi16(left, _mm256_loadu_si256(own)));
    _mm256_storeu_si256((__m256i *)out + 1, _mm256_sub_epi16(right, _mm256_loadu_si256(own + 1)));
}

/// Moves eight rows of the first four cells if they have the same motion, with the same result as two at a time.
/// Returns false if their motions differ or have no fraction.
INLINE bool warp_alike(const struct fusion_warp_parameters *cells)
{
    const int16_t *reference = cells->reference, *motion = cells->motion;
    const uint8_t *src = cells->src;
    const ptrdiff_t reference_stride = cells->reference_stride, stride = cells->stride;
    int16_t *out = cells->out;
    const ptrdiff_t out_stride = cells->out_stride;
    const __m128i motions = _mm_loadu_si128((const __m128i *)motion);
    if (_mm_movemask_epi8(_mm_cmpeq_epi32(motions, _mm_shuffle_epi32(motions, 0))) != 0xffff) return false;
    const int dx = motion[0], dy = motion[1];
    if (!((dx | dy) & 7)) return false;
    const int8_t *across = warp_taps[dx & 7];
    const int16_t *taps = warp_taps_down[dy & 7];
    const __m256i first = _mm256_set1_epi16((int16_t)((uint8_t)across[0] | across[1] * 256));
    const __m256i last = _mm256_set1_epi16((int16_t)((uint8_t)across[2] | across[3] * 256));
    src += (dy >> 3) * stride + (dx >> 3);
    __m256i rows[4][2], sums[2];
    if (!(dy & 7)) {
        for (int y = 0; y < 8; y++, src += stride, reference += reference_stride, out += out_stride) {
            filter_alike(src, &first, &last, sums);
            UNROLLED for (int i = 0; i < 2; i++)
                sums[i] = _mm256_srai_epi16(_mm256_sub_epi16(sums[i], _mm256_set1_epi16(-1)), 1);
            store_alike(sums, reference, out);
        }
        return true;
    }
    __m256i down[4];
    UNROLLED for (int i = 0; i < 4; i++) down[i] = _mm256_set1_epi16(taps[i]);
    src -= stride;
    UNROLLED for (int y = 0; y < 3; y++, src += stride) filter_alike(src, &first, &last, rows[y]);
    UNROLLED for (int y = 0; y < 8; y++, src += stride, reference += reference_stride, out += out_stride) {
        filter_alike(src, &first, &last, rows[(y + 3) & 3]);
        UNROLLED for (int i = 0; i < 2; i++) {
            sums[i] = _mm256_set1_epi16(-2);
            UNROLLED for (int tap = 0; tap < 4; tap++)
                sums[i] = _mm256_sub_epi16(sums[i], _mm256_mulhi_epi16(rows[(y + tap) & 3][i], down[tap]));
        }
        store_alike(sums, reference, out);
    }
    return true;
}

#endif

/// Prefetches the samples for cells further on. `cell` is the index of the pair's first cell, which begins at `src`
/// before its motion.
INLINE void warp_ahead(const uint8_t *src, ptrdiff_t stride, const int16_t *motion, size_t cell, size_t rows)
{
    // Too many rows are in use for the hardware prefetcher. This prefetches a quarter of the lines (64 samples) of
    // the next eight rows, and the next three pairs do the rest. Other frames come first, so the target is the
    // second-level cache.
    const uint8_t *next = src + ((motion[1] >> 3) + (ptrdiff_t)(rows + 2 + cell % 8)) * stride + (motion[0] >> 3);
    __builtin_prefetch(next, 0, 2);
    __builtin_prefetch(next + stride, 0, 2);
    // Also prefetches, into the first-level cache, a quarter of what these rows need further right.
    const uint8_t *beside = next - (ptrdiff_t)rows * stride + 64;
    __builtin_prefetch(beside);
    __builtin_prefetch(beside + stride);
    __builtin_prefetch(beside - 3 * stride);
}

static void widen_codes(
    const uint8_t *restrict codes, ptrdiff_t stride, size_t count, size_t rows, int16_t *restrict out,
    ptrdiff_t out_stride)
{
    for (size_t y = 0; y < rows; y++, codes += stride, out += out_stride) {
        // Prefetches the next rows: too many others come before them for the hardware prefetcher.
        for (size_t i = 0; i < count; i += 64) __builtin_prefetch(codes + (ptrdiff_t)rows * stride + i, 0, 2);
        for (size_t i = 0; i < count; i++) out[i] = (int16_t)(codes[i] << 5);
    }
}

/// Goes on to the next two cells.
INLINE void warp_on(struct fusion_warp_parameters *cells)
{
    cells->reference += 16;
    cells->src += 16;
    cells->motion += 4;
    cells->out += 16;
}

static void warp_differences(const struct fusion_warp_parameters *warp)
{
    struct fusion_warp_parameters at = *warp;
    size_t cell = 0;
    for (; cell + 2 <= at.cells; cell += 2, warp_on(&at)) {
        warp_ahead(at.src, at.stride, at.motion, cell, at.rows);
#ifdef FUSION_BYTE_PRODUCTS
        if (at.rows == 8 && cell + 4 <= at.cells && warp_alike(&at)) {
            cell += 2;
            warp_on(&at);
            warp_ahead(at.src, at.stride, at.motion, cell, at.rows);
            continue;
        }
#endif
        warp_neighbours(&at, 8, at.motion + 2);
    }
    if (cell == at.cells) return;
    // The last cell, if alone, is its own neighbour.
    int16_t last[8 * 16] = {0}, both[8 * 16];
    for (size_t y = 0; y < at.rows; y++)
        memcpy(last + 16 * y, at.reference + (ptrdiff_t)y * at.reference_stride, 16);
    struct fusion_warp_parameters alone = at;
    alone.reference = last;
    alone.out = both;
    alone.reference_stride = alone.out_stride = 16;
    warp_neighbours(&alone, 0, at.motion);
    for (size_t y = 0; y < at.rows; y++) memcpy(at.out + (ptrdiff_t)y * at.out_stride, both + 16 * y, 16);
}
