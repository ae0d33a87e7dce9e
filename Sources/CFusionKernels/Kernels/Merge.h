// SPDX-License-Identifier: MIT
// Weighing another frame's samples by how well they agree with the reference's, and adding them up.

static void add_squares(
    const int16_t *restrict difference, const int16_t *restrict scale, const uint16_t *restrict leaving, size_t count,
    uint16_t *restrict squares, uint16_t *restrict sums)
{
    for (size_t i = 0; i < count; i++) {
        int16_t scaled = (int16_t)(((int32_t)difference[i] * scale[i]) >> 16);
        // Written as comparisons this would be done in 32 bits.
        scaled = __builtin_elementwise_max(__builtin_elementwise_min(scaled, (int16_t)51), (int16_t)-51);
        const uint16_t square = (uint16_t)(scaled * scaled);
        squares[i] = square;
        sums[i] = (uint16_t)(sums[i] + square - leaving[i]);
    }
}

typedef uint16_t merge_lanes __attribute__((vector_size(32), aligned(2), may_alias));
typedef int16_t signed_merge_lanes __attribute__((vector_size(32), aligned(2), may_alias));

/// How many samples are weighed at once.
#define MERGE_LANES (sizeof(merge_lanes) / sizeof(uint16_t))

/// Sixteen samples. Vectors, because in a loop clang merges shifts and then computes in 32 bits.
INLINE void add_weighted_lanes(
    const int16_t *difference, const uint16_t *sums, const uint16_t *share, uint16_t full, uint16_t none,
    int16_t *total, uint16_t *weights)
{
    typedef uint32_t wide __attribute__((vector_size(64)));
    typedef int32_t signed_wide __attribute__((vector_size(64)));
    merge_lanes box = *(const merge_lanes *)sums;
    for (int i = 1; i < 5; i++) box += *(const merge_lanes *)(sums + i);
    const merge_lanes span = (merge_lanes){0} + (uint16_t)(none - full), end = (merge_lanes){0} + none;
    const merge_lanes left = __builtin_elementwise_min(__builtin_elementwise_sub_sat(end, box), span);
    const wide shared =
        __builtin_convertvector(left, wide) * __builtin_convertvector(*(const merge_lanes *)share, wide);
    const merge_lanes weight = __builtin_convertvector(shared >> 16, merge_lanes);
    const signed_merge_lanes finer = *(const signed_merge_lanes *)difference << 3;
    const signed_wide weighted =
        __builtin_convertvector(finer, signed_wide) * __builtin_convertvector((signed_merge_lanes)weight, signed_wide);
    *(signed_merge_lanes *)total += __builtin_convertvector(weighted >> 16, signed_merge_lanes);
    *(merge_lanes *)weights += weight;
}

static void add_weighted(
    const int16_t *restrict difference, const uint16_t *restrict sums, const uint16_t *restrict share, size_t count,
    uint16_t full, uint16_t none, int16_t *restrict total, uint16_t *restrict weights)
{
    size_t i = 0;
    for (; i + MERGE_LANES <= count; i += MERGE_LANES)
        add_weighted_lanes(difference + i, sums + i, share + i, full, none, total + i, weights + i);
    const size_t rest = count - i;
    if (!rest) return;
    // The last samples are weighed in copies, among others that go nowhere.
    int16_t last_difference[MERGE_LANES] = {0}, last_total[MERGE_LANES] = {0};
    uint16_t last_sums[MERGE_LANES + 4] = {0}, last_share[MERGE_LANES] = {0}, last_weights[MERGE_LANES] = {0};
    memcpy(last_difference, difference + i, rest * sizeof *difference);
    memcpy(last_sums, sums + i, (rest + 4) * sizeof *sums);
    memcpy(last_share, share + i, rest * sizeof *share);
    memcpy(last_total, total + i, rest * sizeof *total);
    memcpy(last_weights, weights + i, rest * sizeof *weights);
    add_weighted_lanes(last_difference, last_sums, last_share, full, none, last_total, last_weights);
    memcpy(total + i, last_total, rest * sizeof *total);
    memcpy(weights + i, last_weights, rest * sizeof *weights);
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
