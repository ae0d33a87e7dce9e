// SPDX-License-Identifier: MIT
// The last step to a picture: what noise did to the mean is undone, channel by channel.

/// What to add to a channel's value (1 is white): `table` has 1024 steps from -1/16 to 17/16.
INLINE float lift_of(const float *table, float value)
{
    float place = (value + 0.0625f) * (1024.0f / 1.125f);
    place = place < 0.0f ? 0.0f : place;
    place = place > 1023.0f ? 1023.0f : place;
    return table[(int32_t)place];
}

INLINE uint16_t held(float value)
{
    value = value < 0.0f ? 0.0f : value;
    value = value > 65535.0f ? 65535.0f : value;
    return (uint16_t)(int32_t)(value + 0.5f);
}

static void lift_grey(uint16_t *restrict luma, size_t count, const float *restrict table, float black, float span)
{
    const float scale = 1.0f / span;
    for (size_t i = 0; i < count; i++) {
        float value = (float)luma[i];
        luma[i] = held(value + span * lift_of(table, (value - black) * scale));
    }
}

static void lift_colors(
    uint16_t *upper, uint16_t *lower, uint16_t *cb, uint16_t *cr, uint16_t *lower_cb, uint16_t *lower_cr, size_t pairs,
    const float *restrict table, const struct fusion_color *restrict color)
{
    const float luma_scale = 0.25f / color->luma_span, chroma_scale = 0.5f / color->chroma_span;
    const float red = color->red, blue = color->blue, green = 1.0f - red - blue;
    const float reds = 2.0f * (1.0f - red), blues = 2.0f * (1.0f - blue);
    const float red_in_green = red * reds / green, blue_in_green = blue * blues / green;
    const float per_red = color->chroma_span / reds, per_blue = color->chroma_span / blues;
    for (size_t i = 0; i < pairs; i++) {
        uint32_t sum = (uint32_t)upper[2 * i] + upper[2 * i + 1] + lower[2 * i] + lower[2 * i + 1];
        float y = ((float)(int32_t)sum - 4.0f * color->black) * luma_scale;
        float u = ((float)((int32_t)cb[i] + lower_cb[i]) - 65536.0f) * chroma_scale;
        float v = ((float)((int32_t)cr[i] + lower_cr[i]) - 65536.0f) * chroma_scale;
        float r = lift_of(table, y + reds * v), b = lift_of(table, y + blues * u);
        float g = lift_of(table, y - red_in_green * v - blue_in_green * u);
        float lift = red * r + green * g + blue * b;
        float to_cb = (b - lift) * per_blue, to_cr = (r - lift) * per_red;
        lift *= color->luma_span;
        // Read before any is written: one row may stand for both.
        uint16_t a0 = held((float)upper[2 * i] + lift), a1 = held((float)upper[2 * i + 1] + lift);
        uint16_t b0 = held((float)lower[2 * i] + lift), b1 = held((float)lower[2 * i + 1] + lift);
        uint16_t u0 = held((float)cb[i] + to_cb), v0 = held((float)cr[i] + to_cr);
        uint16_t u1 = held((float)lower_cb[i] + to_cb), v1 = held((float)lower_cr[i] + to_cr);
        upper[2 * i] = a0;
        upper[2 * i + 1] = a1;
        lower[2 * i] = b0;
        lower[2 * i + 1] = b1;
        cb[i] = u0;
        cr[i] = v0;
        lower_cb[i] = u1;
        lower_cr[i] = v1;
    }
}
