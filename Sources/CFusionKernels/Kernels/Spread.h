// SPDX-License-Identifier: MIT
// How far frames that show a cell differ among themselves, and how fine the cell's detail is.

/// Samples on a side of a cell, and in it.
#define SPREAD_SIDE 8
#define SPREAD_SAMPLES 64

/// Adds the squared fourth differences of a line of samples, `step` apart.
INLINE int64_t spread_fine(const int32_t *line, ptrdiff_t step)
{
    int64_t sum = 0;
    for (ptrdiff_t i = 2; i < SPREAD_SIDE - 2; i++) {
        const int32_t *at = line + i * step;
        const int64_t fine = at[-2 * step] + at[2 * step] - 4 * (at[-step] + at[step]) + 6 * at[0];
        sum += fine * fine;
    }
    return sum;
}

static void spread_sums(
    const int16_t *restrict difference, ptrdiff_t stride, ptrdiff_t apart, size_t frames,
    const int16_t *restrict reference, int most, int64_t *restrict sums)
{
    int32_t held[SPREAD_SAMPLES] = {0}, all[SPREAD_SAMPLES] = {0};
    uint32_t squares[SPREAD_SAMPLES] = {0};
    int64_t light = 0, total = 0;
    for (size_t frame = 0; frame < frames; frame++, difference += apart) {
        int32_t sum = 0;
        for (int y = 0, i = 0; y < SPREAD_SIDE; y++) {
            const int16_t *row = difference + y * stride;
            for (int x = 0; x < SPREAD_SIDE; x++, i++) {
                int32_t d = row[x];
                all[i] += d;
                d = d < -most ? -most : d > most ? most : d;
                held[i] += d;
                sum += d;
                squares[i] += (uint32_t)(d * d);
            }
        }
        light += (int64_t)sum * sum;
    }
    for (int y = 0, i = 0; y < SPREAD_SIDE; y++)
        for (int x = 0; x < SPREAD_SIDE; x++, i++) all[i] += (int32_t)frames * reference[y * stride + x];
    for (int i = 0; i < 4; i++) sums[i] = 0;
    for (int i = 0; i < SPREAD_SAMPLES; i++) {
        sums[0] += squares[i];
        sums[1] += (int64_t)held[i] * held[i];
        total += held[i];
    }
    sums[0] = SPREAD_SAMPLES * sums[0] - light;
    sums[1] = SPREAD_SAMPLES * sums[1] - total * total;
    for (ptrdiff_t i = 0; i < SPREAD_SIDE; i++) {
        sums[2] += spread_fine(all + i * SPREAD_SIDE, 1);
        sums[3] += spread_fine(all + i, SPREAD_SIDE);
    }
}
