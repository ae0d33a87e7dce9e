// SPDX-License-Identifier: MIT
// The last step of a picture: corrects what noise did to the mean, channel by channel.

/// The correction for a channel's value (1 is white). `table` has 1024 steps from -1/16 to 17/16.
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

/// Eight pairs of adjacent samples, one pair per lane.
typedef uint32_t pair_lanes __attribute__((vector_size(32), aligned(2), may_alias));

/// The corrections for eight values.
INLINE void lifts_of(const float *restrict table, const lanes *restrict values, lanes *restrict lifts)
{
    const lanes first = ALL(0), last = ALL(1023);
    lanes place = (*values + 0.0625f) * (1024.0f / 1.125f);
    at_least(&place, &first);
    at_most(&place, &last);
    // Goes through memory, which is faster than extracting elements from a vector. Compilers assume the opposite, so
    // the empty asm statement prevents that.
    uint32_t index[8];
    *(whole_lanes *)index = __builtin_convertvector(place, whole_lanes);
    __asm__("" : "+m"(index));
    for (int i = 0; i < 8; i++) (*lifts)[i] = table[index[i]];
}

/// The corrections of eight samples, given as shares of `span`, as integers plus 32768. They fit 16 bits easily: see
/// the header.
INLINE void whole_lift(const lanes *restrict lift, float span, pair_lanes *restrict out)
{
    *out = (pair_lanes)__builtin_convertvector(*lift * span + 32768.5f, whole_lanes);
}

/// Adds corrections, given plus 32768, to eight pairs of samples.
INLINE void raise_pairs(uint16_t *samples, pair_lanes value, const pair_lanes *restrict lift)
{
    typedef int16_t signed_pairs __attribute__((vector_size(32), aligned(2), may_alias));
    const pair_lanes top = (pair_lanes){0} + 0x80008000u;
    const signed_pairs both = (signed_pairs)((*lift | *lift << 16) ^ top);
    *(pair_lanes *)samples = (pair_lanes)__builtin_elementwise_add_sat((signed_pairs)(value ^ top), both) ^ top;
}

/// Adds corrections, given plus 32768, to eight samples in each of two rows.
INLINE void raise_both(
    uint16_t *upper, ushort_lanes above, uint16_t *lower, ushort_lanes below, const pair_lanes *restrict lift)
{
    const ushort_lanes top = (ushort_lanes){0} + (uint16_t)0x8000;
    const short_lanes both = (short_lanes)(__builtin_convertvector(*lift, ushort_lanes) ^ top);
    *(ushort_lanes *)upper = (ushort_lanes)__builtin_elementwise_add_sat((short_lanes)(above ^ top), both) ^ top;
    *(ushort_lanes *)lower = (ushort_lanes)__builtin_elementwise_add_sat((short_lanes)(below ^ top), both) ^ top;
}

/// Corrects eight pairs of pixels in two rows, and their chroma. Everything is read before anything is written, as
/// both rows may be the same.
INLINE void lift_eight(
    uint16_t *upper, uint16_t *lower, uint16_t *cb, uint16_t *cr, uint16_t *lower_cb, uint16_t *lower_cr,
    const float *restrict table, const struct fusion_color *restrict color)
{
    const float luma_scale = 0.25f / color->luma_span, chroma_scale = 0.5f / color->chroma_span;
    const float red = color->red, blue = color->blue, green = 1.0f - red - blue;
    const float reds = 2.0f * (1.0f - red), blues = 2.0f * (1.0f - blue);
    const float red_in_green = red * reds / green, blue_in_green = blue * blues / green;
    const float per_red = color->chroma_span / reds, per_blue = color->chroma_span / blues;

    const pair_lanes a = *(const pair_lanes *)upper, b = *(const pair_lanes *)lower;
    const ushort_lanes cb0 = *(const ushort_lanes *)cb, cb1 = *(const ushort_lanes *)lower_cb;
    const ushort_lanes cr0 = *(const ushort_lanes *)cr, cr1 = *(const ushort_lanes *)lower_cr;
    const whole_lanes blues_sum =
        __builtin_convertvector(cb0, whole_lanes) + __builtin_convertvector(cb1, whole_lanes);
    const whole_lanes reds_sum =
        __builtin_convertvector(cr0, whole_lanes) + __builtin_convertvector(cr1, whole_lanes);
    const whole_lanes four = (whole_lanes)((a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16));
    const lanes y = (__builtin_convertvector(four, lanes) - 4.0f * color->black) * luma_scale;
    const lanes u = (__builtin_convertvector(blues_sum, lanes) - 65536.0f) * chroma_scale;
    const lanes v = (__builtin_convertvector(reds_sum, lanes) - 65536.0f) * chroma_scale;
    const lanes reddish = y + reds * v, bluish = y + blues * u, greenish = y - red_in_green * v - blue_in_green * u;
    lanes r, g, b_lift;
    lifts_of(table, &reddish, &r);
    lifts_of(table, &greenish, &g);
    lifts_of(table, &bluish, &b_lift);
    const lanes lift = red * r + green * g + blue * b_lift, to_cb = b_lift - lift, to_cr = r - lift;
    pair_lanes whole, whole_cb, whole_cr;
    whole_lift(&lift, color->luma_span, &whole);
    whole_lift(&to_cb, per_blue, &whole_cb);
    whole_lift(&to_cr, per_red, &whole_cr);
    raise_pairs(upper, a, &whole);
    raise_pairs(lower, b, &whole);
    raise_both(cb, cb0, lower_cb, cb1, &whole_cb);
    raise_both(cr, cr0, lower_cr, cr1, &whole_cr);
}

static void lift_colors(const struct fusion_lift_parameters *lift)
{
    const struct fusion_lift_parameters of = *lift;
    size_t i = 0;
    for (; i + 8 <= of.pairs; i += 8)
        lift_eight(
            of.upper + 2 * i, of.lower + 2 * i, of.cb + i, of.cr + i, of.lower_cb + i, of.lower_cr + i, of.table,
            of.color);
    if (i == of.pairs) return;
    // The remaining pairs, padded to eight.
    uint16_t rows[2][16] = {{0}}, chroma[4][8] = {{0}};
    uint16_t *luma_of[2] = {of.upper + 2 * i, of.lower + 2 * i};
    uint16_t *chroma_of[4] = {of.cb + i, of.cr + i, of.lower_cb + i, of.lower_cr + i};
    const size_t bytes = (of.pairs - i) * sizeof(uint16_t);
    for (int k = 0; k < 2; k++) memcpy(rows[k], luma_of[k], 2 * bytes);
    for (int k = 0; k < 4; k++) memcpy(chroma[k], chroma_of[k], bytes);
    lift_eight(rows[0], rows[1], chroma[0], chroma[1], chroma[2], chroma[3], of.table, of.color);
    for (int k = 0; k < 2; k++) memcpy(luma_of[k], rows[k], 2 * bytes);
    for (int k = 0; k < 4; k++) memcpy(chroma_of[k], chroma[k], bytes);
}
