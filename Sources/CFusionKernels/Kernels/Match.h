// SPDX-License-Identifier: MIT
// One frame's colours made another's.

INLINE uint8_t matched(float value)
{
    value = value < 0.0f ? 0.0f : value;
    value = value > 255.0f ? 255.0f : value;
    return (uint8_t)(int32_t)(value + 0.5f);
}

static void match_luma(
    const uint8_t *restrict luma, const uint8_t *restrict cb, const uint8_t *restrict cr, size_t pairs,
    const float *restrict row, uint8_t *restrict out)
{
    const float y = row[0], u = row[1], v = row[2], lift = row[3];
    for (size_t i = 0; i < pairs; i++) {
        float tint = u * ((float)cb[i] - 128.0f) + v * ((float)cr[i] - 128.0f) + lift;
        out[2 * i] = matched(y * (float)luma[2 * i] + tint);
        out[2 * i + 1] = matched(y * (float)luma[2 * i + 1] + tint);
    }
}

static void match_chroma(
    const uint8_t *restrict luma, const uint8_t *restrict cb, const uint8_t *restrict cr, size_t pairs,
    const float *restrict row, uint8_t *restrict out)
{
    const float y = row[0] * 0.5f, u = row[1], v = row[2], lift = row[3] + 128.0f;
    for (size_t i = 0; i < pairs; i++)
        out[i] = matched(
            y * (float)(luma[2 * i] + luma[2 * i + 1]) + u * ((float)cb[i] - 128.0f) + v * ((float)cr[i] - 128.0f) +
            lift);
}

static void match_grey(const uint8_t *restrict luma, size_t count, float gain, float lift, uint8_t *restrict out)
{
    for (size_t i = 0; i < count; i++) out[i] = matched(gain * (float)luma[i] + lift);
}
