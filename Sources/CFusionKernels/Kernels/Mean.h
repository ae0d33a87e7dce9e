// SPDX-License-Identifier: MIT
// The plain mean of frames.

static void add_row(const uint8_t *restrict row, size_t count, uint16_t *restrict sum)
{
    for (size_t i = 0; i < count; i++) sum[i] = (uint16_t)(sum[i] + row[i]);
}

static void mean_row(const uint16_t *restrict sum, size_t count, unsigned frames, uint16_t *restrict out)
{
    // A quotient that is not exactly a half differs from one by at least 1/126, and if it is exactly a half, the
    // product is exact. So single precision rounds as integers would.
    const float scale = 256.0f / (float)frames;
    for (size_t i = 0; i < count; i++) out[i] = (uint16_t)((float)sum[i] * scale + 0.5f);
}
