// SPDX-License-Identifier: MIT
// Weights other frames' samples by how well they agree with the reference, and merges them.
//
// Two adjacent samples share one weight, which halves the work; their box is six samples wide and five high. Both
// kernels process four cells (32 samples) at a time from top to bottom, so that the data of a cell stays in
// registers. Each row is summed over all frames before the next one, so the sums need no memory.

typedef uint16_t merge_lanes __attribute__((vector_size(32), aligned(2), may_alias));
typedef int16_t signed_merge_lanes __attribute__((vector_size(32), aligned(2), may_alias));

// The high halves of products. Where there is an instruction for it, clang does not use it if one factor is constant
// in a loop.
#ifdef FUSION_BYTE_PRODUCTS
#define HIGH_PRODUCT(a, b) ((merge_lanes)_mm256_mulhi_epu16((__m256i)(a), (__m256i)(b)))
#define SIGNED_HIGH_PRODUCT(a, b) ((signed_merge_lanes)_mm256_mulhi_epi16((__m256i)(a), (__m256i)(b)))
#else
typedef uint32_t wide_merge_lanes __attribute__((vector_size(64)));
typedef int32_t signed_wide_merge_lanes __attribute__((vector_size(64)));
#define WIDENED(v, type) __builtin_convertvector((v), type)
#define HIGH_PRODUCT(a, b) \
    WIDENED((WIDENED(a, wide_merge_lanes) * WIDENED(b, wide_merge_lanes)) >> 16, merge_lanes)
#define SIGNED_HIGH_PRODUCT(a, b) \
    WIDENED((WIDENED(a, signed_wide_merge_lanes) * WIDENED(b, signed_wide_merge_lanes)) >> 16, signed_merge_lanes)
#endif

/// The maximum number of other frames.
#define MERGE_MOST 15

/// One number for each pair of lanes.
typedef uint32_t merge_pairs __attribute__((vector_size(32), aligned(2), may_alias));

/// Repeats the values of four cells for each of their pairs of samples.
INLINE void merge_spread(const uint16_t of[4], merge_lanes *out)
{
    typedef uint16_t four __attribute__((vector_size(8)));
    four cells;
    memcpy(&cells, of, sizeof cells);
    *out = __builtin_shufflevector(cells, cells, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
}

/// Repeats the values of pairs for both their samples: first for eight pairs, then for the other eight.
INLINE void merge_double(const merge_lanes *pairs, merge_lanes out[2])
{
    out[0] = __builtin_shufflevector(*pairs, *pairs, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    out[1] = __builtin_shufflevector(*pairs, *pairs, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15);
}

/// The sums of two adjacent squares each, for two vectors of 16 numbers up to 80.
INLINE void merge_square(const signed_merge_lanes of[2], merge_lanes *out)
{
#ifdef FUSION_BYTE_PRODUCTS
    const __m256i first = _mm256_madd_epi16((__m256i)of[0], (__m256i)of[0]);
    const __m256i last = _mm256_madd_epi16((__m256i)of[1], (__m256i)of[1]);
    *out = (merge_lanes)_mm256_permute4x64_epi64(_mm256_packus_epi32(first, last), 0xd8);
#else
    typedef uint16_t half __attribute__((vector_size(16)));
    half sums[2];
    for (int i = 0; i < 2; i++) {
        const merge_pairs squares = (merge_pairs)(of[i] * of[i]);
        sums[i] = __builtin_convertvector((squares & 0xffff) + (squares >> 16), half);
    }
    *out = __builtin_shufflevector(sums[0], sums[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

/// Processes four cells. The rows of earlier squares are `apart`.
INLINE void sum_squares_lanes(
    const int16_t *difference, ptrdiff_t stride, size_t rows, const int16_t scale_of[4], const int16_t most_of[4],
    uint16_t *before, size_t apart, uint16_t *sums)
{
    merge_lanes scale[2], most[2], of_pairs;
    merge_spread((const uint16_t *)scale_of, &of_pairs);
    merge_double(&of_pairs, scale);
    merge_spread((const uint16_t *)most_of, &of_pairs);
    merge_double(&of_pairs, most);
    merge_lanes a = *(const merge_lanes *)before, b = *(const merge_lanes *)(before + apart);
    merge_lanes c = *(const merge_lanes *)(before + 2 * apart), d = *(const merge_lanes *)(before + 3 * apart);
    merge_lanes sum = (a + b) + (c + d);
    for (size_t y = 0; y < rows; y++, difference += stride, sums += stride / 2) {
        signed_merge_lanes scaled[2];
        UNROLLED for (int i = 0; i < 2; i++) {
            scaled[i] = SIGNED_HIGH_PRODUCT(
                ((const signed_merge_lanes *)difference)[i], (signed_merge_lanes)scale[i]);
            scaled[i] = __builtin_elementwise_min(__builtin_elementwise_abs(scaled[i]), (signed_merge_lanes)most[i]);
        }
        merge_lanes squares;
        merge_square(scaled, &squares);
        sum += squares;
        *(merge_lanes *)sums = sum;
        sum -= a;
        a = b;
        b = c;
        c = d;
        d = squares;
    }
    *(merge_lanes *)before = a;
    *(merge_lanes *)(before + apart) = b;
    *(merge_lanes *)(before + 2 * apart) = c;
    *(merge_lanes *)(before + 3 * apart) = d;
}

static void sum_squares(
    const int16_t *restrict difference, ptrdiff_t stride, size_t cells, size_t rows, const int16_t *restrict scale,
    const int16_t *restrict most, uint16_t *restrict before, uint16_t *restrict sums)
{
    const size_t apart = 4 * cells;
    for (; cells >= 4; cells -= 4, difference += 32, scale += 4, most += 4, before += 16, sums += 16)
        sum_squares_lanes(difference, stride, rows, scale, most, before, apart, sums);
    if (!cells) return;
    // The last cells are processed in copies, padded with unused ones.
    int16_t last[8 * 32] = {0}, last_scale[4] = {0}, last_most[4] = {0};
    uint16_t last_before[4 * 16] = {0}, last_sums[8 * 16];
    for (size_t y = 0; y < rows; y++) memcpy(last + 32 * y, difference + (ptrdiff_t)y * stride, 16 * cells);
    for (size_t i = 0; i < 4; i++) memcpy(last_before + 16 * i, before + i * apart, 8 * cells);
    memcpy(last_scale, scale, 2 * cells);
    memcpy(last_most, most, 2 * cells);
    sum_squares_lanes(last, 32, rows, last_scale, last_most, last_before, 16, last_sums);
    for (size_t i = 0; i < 4; i++) memcpy(before + i * apart, last_before + 16 * i, 8 * cells);
    for (size_t y = 0; y < rows; y++) memcpy(sums + (ptrdiff_t)y * (stride / 2), last_sums + 16 * y, 8 * cells);
}

/// How other frames are weighted, and where their rows are.
struct merge_others {
    size_t count;
    /// Samples from frame to frame.
    ptrdiff_t apart;
    /// The box sum from which the weight is 0; and the largest weight before the share, `none - full`.
    merge_lanes none, span;
};

/// Sums a row of four cells over all frames; unless `counts` is null, also adds each frame's weights to it.
INLINE void merge_add(
    const int16_t *difference, const uint16_t *sums, const struct merge_others *others, const merge_lanes *share,
    merge_pairs *counts, signed_merge_lanes total[2], merge_lanes *weights)
{
    total[0] = total[1] = (signed_merge_lanes){0};
    *weights = (merge_lanes){0};
    for (size_t other = 0; other < others->count; other++) {
        merge_lanes box = *(const merge_lanes *)sums, each[2];
        box = __builtin_elementwise_add_sat(box, *(const merge_lanes *)(sums + 1));
        box = __builtin_elementwise_add_sat(box, *(const merge_lanes *)(sums + 2));
        const merge_lanes less = __builtin_elementwise_sub_sat(others->none, box);
        const merge_lanes weight = HIGH_PRODUCT(__builtin_elementwise_min(less, others->span), share[other]);
        *weights += weight;
        if (counts) counts[other] += ((merge_pairs)weight & 0xffff) + ((merge_pairs)weight >> 16);
        const merge_lanes times4 = weight << 2;
        merge_double(&times4, each);
        UNROLLED for (int i = 0; i < 2; i++) {
            const signed_merge_lanes product =
                (signed_merge_lanes)SHORT_PRODUCT(((const signed_merge_lanes *)difference)[i], each[i]);
            // Saturation changes the result only if so many frames differ by so much that they show nothing sensible.
            total[i] = __builtin_elementwise_add_sat(total[i], product);
        }
        difference += others->apart;
        sums += others->apart / 2;
    }
}

/// Computes sixteen merged samples from eight weights.
INLINE void merge_resolve(
    const uint8_t *reference, const merge_pairs *total, const ushort_lanes *weights, float own, int16_t *out)
{
    typedef uint8_t bytes __attribute__((vector_size(16), aligned(1), may_alias));
    // A frame of weight W adds difference * W / 2^13 to the total, in Q5, and W to the weights. So the correction in
    // Q6 is total / weights * 2^14.
    const lanes mean = 16384.0f / (__builtin_convertvector(*weights, lanes) + own);
    const whole_lanes left = (whole_lanes)(*total << 16) >> 16, right = (whole_lanes)*total >> 16;
    // Conversion truncates, so its argument must not be negative.
    const lanes first = __builtin_convertvector(left, lanes) * mean + 32768.5f;
    const lanes last = __builtin_convertvector(right, lanes) * mean + 32768.5f;
    const merge_pairs a = (merge_pairs)__builtin_convertvector(first, whole_lanes);
    const merge_pairs b = (merge_pairs)__builtin_convertvector(last, whole_lanes);
    const signed_merge_lanes more = (signed_merge_lanes)((merge_lanes)(a | b << 16) ^ (uint16_t)0x8000);
    const signed_merge_lanes least = (signed_merge_lanes){0} - (int16_t)1024;
    const signed_merge_lanes base = __builtin_convertvector(*(const bytes *)reference, signed_merge_lanes) << 6;
    *(signed_merge_lanes *)out = __builtin_elementwise_max(__builtin_elementwise_add_sat(base, more), least);
}

/// Merges the rows of the first four cells. The shares are those of these cells, spread.
INLINE void merge_cells(
    const struct fusion_merge_parameters *rows, const struct merge_others *others, const merge_lanes *share,
    uint32_t evidence[4], merge_pairs *counts)
{
    struct fusion_merge_parameters at = *rows;
    const float own = (float)at.own_weight;
    merge_pairs seen = {0};
    for (size_t y = 0; y < at.rows; y++) {
        signed_merge_lanes total[2];
        merge_lanes weights;
        // Prefetches rows that are merged after this row of cells, and have not been in use for long.
        __builtin_prefetch(at.out + 8 * at.out_stride, 1);
        // Only the first row is counted for the frames' weights.
        if (y == 0)
            merge_add(at.difference, at.sums, others, share, counts, total, &weights);
        else
            merge_add(at.difference, at.sums, others, share, NULL, total, &weights);
        UNROLLED for (int i = 0; i < 2; i++)
            merge_resolve(
                at.reference + 16 * i, (const merge_pairs *)&total[i], (const ushort_lanes *)&weights + i, own,
                at.out + 16 * i);
        seen += ((merge_pairs)weights & 0xffff) + ((merge_pairs)weights >> 16);
        at.reference += at.reference_stride;
        at.difference += at.stride;
        at.sums += at.stride / 2;
        at.out += at.out_stride;
    }
    for (int i = 0; i < 4; i++) evidence[i] += seen[2 * i] + seen[2 * i + 1];
}

/// Merges the last samples of the rows, fewer than 32, in copies padded with samples of no weight.
INLINE void merge_last(
    const struct fusion_merge_parameters *last, const struct merge_others *others, const merge_lanes *share,
    uint32_t evidence[4], merge_pairs *counts)
{
    const size_t count = last->count, pairs = (count + 1) / 2;
    struct merge_others copied = *others;
    copied.apart = 64;
    for (size_t y = 0; y < last->rows; y++) {
        const ptrdiff_t at = (ptrdiff_t)y * last->stride;
        uint8_t reference[32] = {0};
        int16_t difference[MERGE_MOST * 64] = {0}, out[32];
        uint16_t sums[MERGE_MOST * 32];
        memset(sums, 0xff, sizeof sums);
        memcpy(reference, last->reference + (ptrdiff_t)y * last->reference_stride, count);
        for (size_t other = 0; other < last->others; other++) {
            const ptrdiff_t frame = (ptrdiff_t)other * last->apart;
            memcpy(difference + 64 * other, last->difference + at + frame, count * sizeof *difference);
            memcpy(sums + 32 * other, last->sums + (at + frame) / 2, (pairs + 2) * sizeof *sums);
            // The pairs after the last one get box sums beyond any limit.
            memset(sums + 32 * other + pairs + 2, 0xff, (30 - pairs) * sizeof *sums);
        }
        struct fusion_merge_parameters copy = *last;
        copy.reference = reference;
        copy.difference = difference;
        copy.sums = sums;
        copy.out = out;
        copy.rows = 1;
        copy.reference_stride = copy.stride = copy.out_stride = 0;
        merge_cells(&copy, &copied, share, evidence, y == 0 ? counts : NULL);
        memcpy(last->out + (ptrdiff_t)y * last->out_stride, out, count * sizeof *out);
    }
}

static void merge_rows(const struct fusion_merge_parameters *merge)
{
    struct fusion_merge_parameters at = *merge;
    const struct merge_others others = {
        .count = at.others,
        .apart = at.apart,
        .none = (merge_lanes){0} + at.none,
        .span = (merge_lanes){0} + (uint16_t)(at.none - at.full),
    };
    const size_t cells = (at.count + 7) / 8;
    merge_pairs counts[MERGE_MOST] = {{0}};
    merge_lanes shares[MERGE_MOST];
    for (size_t cell = 0; cell < cells; cell += 4) {
        const size_t some = cells - cell < 4 ? cells - cell : 4;
        for (size_t other = 0; other < others.count; other++) {
            uint16_t its[4] = {0};
            memcpy(its, at.share + other * cells + cell, some * sizeof *its);
            merge_spread(its, &shares[other]);
        }
        if (at.count >= 32) {
            merge_cells(&at, &others, shares, at.evidence, counts);
        } else {
            uint32_t evidence[4] = {0};
            merge_last(&at, &others, shares, evidence, counts);
            for (size_t i = 0; i < some; i++) at.evidence[i] += evidence[i];
            break;
        }
        at.reference += 32;
        at.difference += 32;
        at.sums += 16;
        at.out += 32;
        at.evidence += 4;
        at.count -= 32;
    }
    for (size_t other = 0; other < others.count; other++)
        for (int i = 0; i < 8; i++) at.totals[other] += counts[other][i];
}
