// SPDX-License-Identifier: MIT
// Weighing another frame's samples by how well they agree with the reference's, and adding them up.
//
// Both go down the rows of two cells at once: what belongs to a cell is in registers then, and sums over rows need no
// memory.

typedef uint16_t merge_lanes __attribute__((vector_size(32), aligned(2), may_alias));
typedef int16_t signed_merge_lanes __attribute__((vector_size(32), aligned(2), may_alias));

/// How many samples are worked on at once: two cells.
#define MERGE_LANES (sizeof(merge_lanes) / sizeof(uint16_t))

// The high halves of products. Where processors have an instruction for it, clang does not find it once a factor stays
// the same through a loop.
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

/// Two cells' values, for each of their samples.
INLINE void merge_spread(uint16_t left, uint16_t right, merge_lanes *out)
{
    typedef uint16_t cell __attribute__((vector_size(16)));
    const cell a = (cell){0} + left, b = (cell){0} + right;
    *out = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Two cells. The rows of squares before are `apart`.
INLINE void sum_squares_lanes(
    const int16_t *difference, ptrdiff_t stride, size_t rows, const int16_t scale_of[2], const int16_t most_of[2],
    uint16_t *before, size_t apart, uint16_t *sums)
{
    merge_lanes scales, limits;
    merge_spread((uint16_t)scale_of[0], (uint16_t)scale_of[1], &scales);
    merge_spread((uint16_t)most_of[0], (uint16_t)most_of[1], &limits);
    const signed_merge_lanes scale = (signed_merge_lanes)scales, most = (signed_merge_lanes)limits;
    merge_lanes a = *(const merge_lanes *)before, b = *(const merge_lanes *)(before + apart);
    merge_lanes c = *(const merge_lanes *)(before + 2 * apart), d = *(const merge_lanes *)(before + 3 * apart);
    merge_lanes sum = (a + b) + (c + d);
    for (size_t y = 0; y < rows; y++, difference += stride, sums += stride) {
        signed_merge_lanes scaled = SIGNED_HIGH_PRODUCT(*(const signed_merge_lanes *)difference, scale);
        scaled = __builtin_elementwise_max(__builtin_elementwise_min(scaled, most), -most);
        const merge_lanes squares = (merge_lanes)(scaled * scaled);
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
    const size_t apart = 8 * cells;
    for (; cells >= 2; cells -= 2, difference += 16, scale += 2, most += 2, before += 16, sums += 16)
        sum_squares_lanes(difference, stride, rows, scale, most, before, apart, sums);
    if (!cells) return;
    // The last one is worked on in copies, beside one that goes nowhere.
    int16_t last[8 * 16] = {0};
    uint16_t last_before[4 * 16] = {0}, last_sums[8 * 16];
    for (size_t y = 0; y < rows; y++) memcpy(last + 16 * y, difference + (ptrdiff_t)y * stride, 16);
    for (size_t i = 0; i < 4; i++) memcpy(last_before + 16 * i, before + i * apart, 16);
    const int16_t last_scale[2] = {scale[0], 0}, last_most[2] = {most[0], 0};
    sum_squares_lanes(last, 16, rows, last_scale, last_most, last_before, 16, last_sums);
    for (size_t i = 0; i < 4; i++) memcpy(before + i * apart, last_before + 16 * i, 16);
    for (size_t y = 0; y < rows; y++) memcpy(sums + (ptrdiff_t)y * stride, last_sums + 16 * y, 16);
}

/// Two cells. Vectors, because in a loop clang merges shifts and then computes in 32 bits.
INLINE void add_weighted_lanes(
    const int16_t *difference, const uint16_t *sums, ptrdiff_t stride, size_t rows, uint16_t left, uint16_t right,
    uint16_t full, uint16_t none, int16_t *total, uint16_t *weights)
{
    const merge_lanes span = (merge_lanes){0} + (uint16_t)(none - full), end = (merge_lanes){0} + none;
    merge_lanes share;
    merge_spread(left, right, &share);
    for (size_t y = 0; y < rows; y++, difference += stride, sums += stride, total += stride, weights += stride) {
        // Sums of a strip do not fit the nearest cache; these are for the next cells but one.
        __builtin_prefetch(total + 2 * MERGE_LANES);
        __builtin_prefetch(weights + 2 * MERGE_LANES);
        merge_lanes box = *(const merge_lanes *)sums;
        for (int i = 1; i < 5; i++) box = __builtin_elementwise_add_sat(box, *(const merge_lanes *)(sums + i));
        const merge_lanes rest = __builtin_elementwise_min(__builtin_elementwise_sub_sat(end, box), span);
        const merge_lanes weight = HIGH_PRODUCT(rest, share);
        const signed_merge_lanes finer = *(const signed_merge_lanes *)difference << 3;
        *(signed_merge_lanes *)total += SIGNED_HIGH_PRODUCT(finer, (signed_merge_lanes)weight);
        *(merge_lanes *)weights += weight;
    }
}

static void add_weighted(
    const int16_t *restrict difference, const uint16_t *restrict sums, ptrdiff_t stride, size_t count, size_t rows,
    const uint16_t *restrict share, uint16_t full, uint16_t none, int16_t *restrict total, uint16_t *restrict weights)
{
    size_t i = 0;
    for (; i + MERGE_LANES <= count; i += MERGE_LANES, share += 2)
        add_weighted_lanes(
            difference + i, sums + i, stride, rows, share[0], share[1], full, none, total + i, weights + i);
    const size_t rest = count - i;
    // The last samples are weighed in copies, among others that go nowhere.
    for (size_t y = 0; rest && y < rows; y++) {
        const ptrdiff_t at = (ptrdiff_t)i + (ptrdiff_t)y * stride;
        int16_t last_difference[MERGE_LANES] = {0}, last_total[MERGE_LANES] = {0};
        uint16_t last_sums[MERGE_LANES + 4] = {0}, last_weights[MERGE_LANES] = {0};
        memcpy(last_difference, difference + at, rest * sizeof *difference);
        memcpy(last_sums, sums + at, (rest + 4) * sizeof *sums);
        memcpy(last_total, total + at, rest * sizeof *total);
        memcpy(last_weights, weights + at, rest * sizeof *weights);
        add_weighted_lanes(
            last_difference, last_sums, 0, 1, share[0], rest > 8 ? share[1] : 0, full, none, last_total, last_weights);
        memcpy(total + at, last_total, rest * sizeof *total);
        memcpy(weights + at, last_weights, rest * sizeof *weights);
    }
}

static void resolve_row(
    const uint8_t *restrict reference, const int16_t *restrict total, const uint16_t *restrict weights, size_t count,
    unsigned own_weight, int16_t *restrict out)
{
    const float own = (float)own_weight, given_back = 0.5f / own;
    for (size_t i = 0; i < count; i++) {
        // A frame of weight W adds difference * W / 2^13 in Q5, and W to the weights: Q6 is total / weights * 2^14.
        // Each addition was rounded down, by half a unit in the mean.
        float sum = (float)total[i] + (float)weights[i] * given_back;
        float mean = sum * 16384.0f / ((float)weights[i] + own);
        // Conversion drops the fraction, so what it is given must not be negative.
        float rounded = (float)(reference[i] << 6) + mean + 1024.5f;
        rounded = rounded < 0.0f ? 0.0f : rounded;
        rounded = rounded > 33791.0f ? 33791.0f : rounded;
        out[i] = (int16_t)((int32_t)rounded - 1024);
    }
}
