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

/// Eight pairs of samples, one below the other.
typedef uint32_t pair_lanes __attribute__((vector_size(32), aligned(2), may_alias));

/// What `table` has for each of eight values.
INLINE void lifts_of(const float *restrict table, const lanes *restrict values, lanes *restrict lifts)
{
    const lanes first = ALL(0), last = ALL(1023);
    lanes place = (*values + 0.0625f) * (1024.0f / 1.125f);
    at_least(&place, &first);
    at_most(&place, &last);
    // By way of memory, which costs less than taking numbers out of a vector.
    uint32_t index[8];
    *(whole_lanes *)index = __builtin_convertvector(place, whole_lanes);
    for (int i = 0; i < 8; i++) (*lifts)[i] = table[index[i]];
}

/// Adds to eight samples.
INLINE void raise(whole_lanes *restrict samples, const lanes *restrict lift)
{
    const lanes least = ALL(0), most = ALL(65535);
    lanes value = __builtin_convertvector(*samples, lanes) + *lift;
    at_least(&value, &least);
    at_most(&value, &most);
    *samples = __builtin_convertvector(value + 0.5f, whole_lanes);
}

/// Adds to eight pairs of samples.
INLINE void raise_pairs(pair_lanes *restrict pairs, const lanes *restrict lift)
{
    whole_lanes left = (whole_lanes)(*pairs & 0xffff), right = (whole_lanes)(*pairs >> 16);
    raise(&left, lift);
    raise(&right, lift);
    *pairs = (pair_lanes)left | (pair_lanes)right << 16;
}

/// Eight pairs of pixels of two rows, and their chroma. All is read before any is written: one row may stand for both.
INLINE void lift_eight(
    uint16_t *upper, uint16_t *lower, uint16_t *cb, uint16_t *cr, uint16_t *lower_cb, uint16_t *lower_cr,
    const float *restrict table, const struct fusion_color *restrict color)
{
    const float luma_scale = 0.25f / color->luma_span, chroma_scale = 0.5f / color->chroma_span;
    const float red = color->red, blue = color->blue, green = 1.0f - red - blue;
    const float reds = 2.0f * (1.0f - red), blues = 2.0f * (1.0f - blue);
    const float red_in_green = red * reds / green, blue_in_green = blue * blues / green;
    const float per_red = color->chroma_span / reds, per_blue = color->chroma_span / blues;

    pair_lanes a = *(const pair_lanes *)upper, b = *(const pair_lanes *)lower;
    whole_lanes u0 = __builtin_convertvector(*(const ushort_lanes *)cb, whole_lanes);
    whole_lanes v0 = __builtin_convertvector(*(const ushort_lanes *)cr, whole_lanes);
    whole_lanes u1 = __builtin_convertvector(*(const ushort_lanes *)lower_cb, whole_lanes);
    whole_lanes v1 = __builtin_convertvector(*(const ushort_lanes *)lower_cr, whole_lanes);
    const whole_lanes four = (whole_lanes)((a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16));
    const lanes y = (__builtin_convertvector(four, lanes) - 4.0f * color->black) * luma_scale;
    const lanes u = (__builtin_convertvector(u0 + u1, lanes) - 65536.0f) * chroma_scale;
    const lanes v = (__builtin_convertvector(v0 + v1, lanes) - 65536.0f) * chroma_scale;
    const lanes reddish = y + reds * v, bluish = y + blues * u, greenish = y - red_in_green * v - blue_in_green * u;
    lanes r, g, b_lift;
    lifts_of(table, &reddish, &r);
    lifts_of(table, &greenish, &g);
    lifts_of(table, &bluish, &b_lift);
    lanes lift = red * r + green * g + blue * b_lift;
    const lanes to_cb = (b_lift - lift) * per_blue, to_cr = (r - lift) * per_red;
    lift *= color->luma_span;
    raise_pairs(&a, &lift);
    raise_pairs(&b, &lift);
    raise(&u0, &to_cb);
    raise(&v0, &to_cr);
    raise(&u1, &to_cb);
    raise(&v1, &to_cr);
    *(pair_lanes *)upper = a;
    *(pair_lanes *)lower = b;
    *(ushort_lanes *)cb = __builtin_convertvector(u0, ushort_lanes);
    *(ushort_lanes *)cr = __builtin_convertvector(v0, ushort_lanes);
    *(ushort_lanes *)lower_cb = __builtin_convertvector(u1, ushort_lanes);
    *(ushort_lanes *)lower_cr = __builtin_convertvector(v1, ushort_lanes);
}

static void lift_colors(
    uint16_t *upper, uint16_t *lower, uint16_t *cb, uint16_t *cr, uint16_t *lower_cb, uint16_t *lower_cr, size_t pairs,
    const float *restrict table, const struct fusion_color *restrict color)
{
    size_t i = 0;
    for (; i + 8 <= pairs; i += 8)
        lift_eight(upper + 2 * i, lower + 2 * i, cb + i, cr + i, lower_cb + i, lower_cr + i, table, color);
    if (i == pairs) return;
    // The rest, as part of eight.
    uint16_t rows[2][16] = {{0}}, chroma[4][8] = {{0}};
    uint16_t *luma_of[2] = {upper + 2 * i, lower + 2 * i}, *chroma_of[4] = {cb + i, cr + i, lower_cb + i, lower_cr + i};
    const size_t bytes = (pairs - i) * sizeof(uint16_t);
    for (int k = 0; k < 2; k++) memcpy(rows[k], luma_of[k], 2 * bytes);
    for (int k = 0; k < 4; k++) memcpy(chroma[k], chroma_of[k], bytes);
    lift_eight(rows[0], rows[1], chroma[0], chroma[1], chroma[2], chroma[3], table, color);
    for (int k = 0; k < 2; k++) memcpy(luma_of[k], rows[k], 2 * bytes);
    for (int k = 0; k < 4; k++) memcpy(chroma_of[k], chroma[k], bytes);
}
