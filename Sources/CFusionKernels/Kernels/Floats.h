// SPDX-License-Identifier: MIT
// Converts rows between integers and the floats that collaborative denoising uses.

static void widen_row(const int16_t *restrict row, size_t count, float *restrict out)
{
    for (size_t i = 0; i < count; i++) out[i] = (float)row[i] * (1.0f / 64);
}

static void quotient_row(const float *restrict sum, const float *restrict weight, size_t count, float *restrict out)
{
    for (size_t i = 0; i < count; i++) out[i] = sum[i] / weight[i];
}

static void narrow_row(const float *restrict row, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const float code = row[i] * 256 + 0.5f;
        const float white = 255 * 256;
        // The order of these comparisons turns NaN into 0.
        const float least = code > 0 ? code : 0;
        out[i] = (uint16_t)(int32_t)(least < white ? least : white);
    }
}

static void quarter_row(
    const float *restrict upper, const float *restrict lower, size_t count, float *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = ((upper[2 * i] + upper[2 * i + 1]) + (lower[2 * i] + lower[2 * i + 1])) * 0.25f;
}
