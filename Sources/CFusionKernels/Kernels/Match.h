// SPDX-License-Identifier: MIT
// Converts one frame's colours to another's.

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

/// One output value of a pixel, from its clipped channels: `channels` are the three rows that compute red, green and
/// blue, `row` computes the output from them.
INLINE float clipped(const float *channels, const float *row, float y, float u, float v)
{
    float sum = row[3];
    for (int place = 0; place < 3; place++) {
        const float *of = channels + 4 * place;
        float light = of[0] * y + (of[1] * u + of[2] * v + of[3]);
        sum += row[place] * (light > 1.0f ? 1.0f : light);
    }
    return sum;
}

static void match_clipped_luma(
    const uint8_t *restrict luma, const uint8_t *restrict cb, const uint8_t *restrict cr, size_t pairs,
    const float *restrict channels, const float *restrict row, uint8_t *restrict out)
{
    // Reads both samples of a pair as one number, the first in the lower byte, because compilers vectorise nothing
    // else.
    typedef uint16_t pair __attribute__((aligned(1), may_alias));
    for (size_t i = 0; i < pairs; i++) {
        float u = (float)cb[i] - 128.0f, v = (float)cr[i] - 128.0f;
        unsigned both = ((const pair *)luma)[i];
        uint8_t left = matched(clipped(channels, row, (float)(both & 255), u, v));
        uint8_t right = matched(clipped(channels, row, (float)(both >> 8), u, v));
        ((pair *)out)[i] = (pair)(left | right << 8);
    }
}

static void match_clipped_chroma(
    const uint8_t *restrict luma, const uint8_t *restrict cb, const uint8_t *restrict cr, size_t pairs,
    const float *restrict channels, const float *restrict row, uint8_t *restrict out)
{
    for (size_t i = 0; i < pairs; i++) {
        float u = (float)cb[i] - 128.0f, v = (float)cr[i] - 128.0f;
        float left = clipped(channels, row, (float)luma[2 * i], u, v);
        float right = clipped(channels, row, (float)luma[2 * i + 1], u, v);
        out[i] = matched(0.5f * (left + right) + 128.0f);
    }
}

static void match_grey(const uint8_t *restrict luma, size_t count, float gain, float lift, uint8_t *restrict out)
{
    for (size_t i = 0; i < count; i++) out[i] = matched(gain * (float)luma[i] + lift);
}
