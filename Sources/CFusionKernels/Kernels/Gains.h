// SPDX-License-Identifier: MIT
// Determines how strongly to denoise, from how far the power of a neighbourhood exceeds its noise.

/// About the mean square of a standard normal variable when squares above 4 count as 4; times 64, the unit of the
/// sums.
#define GAIN_NOISE_ALONE (0.93f * 64.0f)
/// Added to the bits of a threshold times 131072. Subtracting the bits of a power (a mean of neighbours, in 64ths)
/// then gives, right on average, the bits of their quotient times 32768: a subtraction of exponents instead of a
/// division.
#define GAIN_BITS 0x3f775000u

/// Adds up the activity of cells in three rows, for each coefficient; the middle row counts twice. The total stays
/// below 65536 even with the middle column counting twice.
INLINE void gain_column(
    const struct fusion_activity *above, const struct fusion_activity *here, const struct fusion_activity *below,
    int twice, shorts sums[4], unsigned *restrict count)
{
    for (int i = 0; i < 4; i++) {
        const shorts middle = ((const shorts *)here->power)[i];
        const shorts sum = (((const shorts *)above->power)[i] + ((const shorts *)below->power)[i]) + (middle + middle);
        sums[i] += twice ? sum + sum : sum;
    }
    *count += (unsigned)(above->count + 2 * here->count + below->count) << twice;
}

static void denoise_gains(
    const struct fusion_activity *above, const struct fusion_activity *here, const struct fusion_activity *below,
    size_t cells, uint32_t *restrict thresholds, int16_t *restrict floors)
{
    // A coefficient is reduced by threshold / power, where the power is relative to the noise, but never below the
    // floor. Both are functions of the neighbourhood's power alone, fitted to the ideal results on pictures with
    // known noise.
    const lanes lowest = ALL(0.5f), highest_bar = ALL(3.5f), lowest_floor = ALL(0.02f), highest_floor = ALL(0.7f);
    // The coefficient of the mean carries no detail, so it is left out.
    lanes weights[8], shares[8];
    for (int i = 0; i < 8; i++) weights[i] = ALL(1);
    weights[0][0] = 0;
    denoise_gather_across(weights);
    for (int i = 0; i < 8; i++) {
        denoise_gather_down(&weights[i]);
        shares[i] = 1.0f / weights[i];
        // At the last vertical frequency Shrink.h has weights 1 1, not 1 2 1.
        weights[i][7] *= 2.0f / 3;
        weights[i] *= 131072.0f;
    }

    for (size_t cell = 0; cell < cells; cell++, thresholds += 64, floors += 64) {
        const size_t left = cell == 0 ? 0 : cell - 1, right = cell + 1 < cells ? cell + 1 : cell;
        shorts sums[4] = {{0}};
        unsigned count = 0;
        gain_column(above + left, here + left, below + left, 0, sums, &count);
        gain_column(above + cell, here + cell, below + cell, 1, sums, &count);
        gain_column(above + right, here + right, below + right, 0, sums, &count);
        const float scale = 1.0f / (GAIN_NOISE_ALONE * ((float)count + DENOISE_LITTLE));
        lanes excess[8];
        for (int i = 0; i < 8; i++)
            excess[i] = __builtin_convertvector(((const ushort_lanes *)sums)[i], lanes);
        excess[0][0] = 0;
        denoise_gather_across(excess);
        for (int i = 0; i < 8; i++) {
            denoise_gather_down(&excess[i]);
            lanes ratio = (excess[i] * scale) * shares[i];
            at_least(&ratio, &lowest);
            lanes bar = 3.6f / (ratio * ratio), least = (ratio - 1.0f) * 0.5f;
            at_most(&bar, &highest_bar);
            at_least(&least, &lowest_floor);
            at_most(&least, &highest_floor);
            const lanes threshold = bar * weights[i];
            ((whole_lanes *)thresholds)[i] = (whole_lanes)((words)threshold + GAIN_BITS);
            ((short_lanes *)floors)[i] =
                __builtin_convertvector(__builtin_convertvector(least * 32768.0f, whole_lanes), short_lanes);
        }
        // The mean is always kept entirely.
        thresholds[0] = 0x48000000;
        floors[0] = 32767;
    }
}
