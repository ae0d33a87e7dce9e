// SPDX-License-Identifier: MIT
// Effects on rows of the picture itself, sixteen samples at a time: blended with others, and made lighter or darker.

/// Sixteen bytes as words.
#define LIGHT_WORDS(from) __builtin_convertvector(*(const live_bytes *)(from), ushorts)

/// A sum of products of bytes (at most 255 * 255), to which 128 was added, divided by 255: this rounds.
#define LIGHT_SHARE(sum) (((sum) + ((sum) >> 8)) >> 8)

/// The sums of 2x2 samples.
INLINE void light_fours(const uint8_t *upper, const uint8_t *lower, ushorts *out)
{
    const effect_pairs a = *(const effect_pairs *)upper, b = *(const effect_pairs *)lower;
    *out = (ushorts)((a & 255) + (a >> 8) + (b & 255) + (b >> 8));
}

INLINE void blend_sixteen(const uint8_t *front, const uint8_t *back, const uint8_t *alpha, uint8_t *out)
{
    const ushorts share = LIGHT_WORDS(alpha);
    const ushorts sum = LIGHT_WORDS(front) * share + LIGHT_WORDS(back) * (255 - share) + 128;
    *(live_bytes *)out = __builtin_convertvector(LIGHT_SHARE(sum), live_bytes);
}

static void blend_bytes(const uint8_t *front, const uint8_t *back, const uint8_t *alpha, size_t count, uint8_t *out)
{
    size_t i = 0;
    for (; i + 16 <= count; i += 16) blend_sixteen(front + i, back + i, alpha + i, out + i);
    if (i == count) return;
    uint8_t rest[4][16] = {{0}};
    memcpy(rest[0], front + i, count - i);
    memcpy(rest[1], back + i, count - i);
    memcpy(rest[2], alpha + i, count - i);
    blend_sixteen(rest[0], rest[1], rest[2], rest[3]);
    memcpy(out + i, rest[3], count - i);
}

static void pair_alphas(
    const uint8_t *restrict upper, const uint8_t *restrict lower, size_t count, uint8_t *restrict out)
{
    size_t i = 0;
    ushorts sums;
    for (; i + 16 <= count; i += 16) {
        light_fours(upper + 2 * i, lower + 2 * i, &sums);
        *(live_bytes *)(out + i) = __builtin_convertvector((sums + 2) >> 2, live_bytes);
    }
    if (i == count) return;
    uint8_t rest[2][32] = {{0}};
    memcpy(rest[0], upper + 2 * i, 2 * (count - i));
    memcpy(rest[1], lower + 2 * i, 2 * (count - i));
    light_fours(rest[0], rest[1], &sums);
    const live_bytes means = __builtin_convertvector((sums + 2) >> 2, live_bytes);
    memcpy(out + i, &means, count - i);
}

/// What a number is multiplied by, and then divided by 32768, to give `128 / span` of it.
INLINE int16_t light_unit(int span) { return (int16_t)(((1 << 22) + span / 2) / span); }

/// Codes above black, held within 0...span.
#define LIGHT_ABOVE(codes, black, span) \
    __builtin_elementwise_max(__builtin_elementwise_min((codes) - SHORTS(black), SHORTS(span)), SHORTS(0))
/// Sixteen lights: how far they are from none.
#define LIGHT_OF(light) ((shorts)LIGHT_WORDS(light) - 128)
/// One of two numbers for each lane.
#define LIGHT_CHOICE(condition, a, b) (((a) & (condition)) | ((b) & ~(condition)))

INLINE void light_luma_sixteen(
    const uint8_t *luma, const uint8_t *light, int16_t unit, int black, int span, uint8_t *out)
{
    const shorts codes = (shorts)LIGHT_WORDS(luma), lift = LIGHT_OF(light);
    const shorts y = LIGHT_ABOVE(codes, black, span);
    const shorts curve = SHORT_PRODUCT(2 * y * ((int16_t)span - y), SHORTS(unit));
    const shorts lifted = LIGHT_CHOICE(lift > 0, lift, lift << 8), by = LIGHT_CHOICE(lift > 0, curve, y);
    *(live_bytes *)out = __builtin_convertvector(codes + SHORT_PRODUCT(lifted, by), live_bytes);
}

static void light_luma(const uint8_t *luma, const uint8_t *light, size_t count, int black, int white, uint8_t *out)
{
    const int span = white - black;
    const int16_t unit = light_unit(span);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) light_luma_sixteen(luma + i, light + i, unit, black, span, out + i);
    if (i == count) return;
    uint8_t rest[3][16] = {{0}};
    memcpy(rest[0], luma + i, count - i);
    memcpy(rest[1], light + i, count - i);
    light_luma_sixteen(rest[0], rest[1], unit, black, span, rest[2]);
    memcpy(out + i, rest[2], count - i);
}

INLINE void light_chroma_sixteen(
    const uint8_t *chroma, const uint8_t *upper, const uint8_t *lower, const uint8_t *light, int16_t unit, int black,
    int span, uint8_t *out)
{
    ushorts sums;
    light_fours(upper, lower, &sums);
    const shorts codes = (shorts)LIGHT_WORDS(chroma), lift = LIGHT_OF(light);
    const shorts below = (int16_t)span - LIGHT_ABOVE((shorts)((sums + 2) >> 2), black, span);
    const shorts share = LIGHT_CHOICE(lift > 0, SHORT_PRODUCT(lift * below, SHORTS(unit)), lift << 7);
    const shorts lit = codes + SHORT_PRODUCT(2 * (codes - 128), share);
    *(live_bytes *)out = __builtin_convertvector(
        __builtin_elementwise_max(__builtin_elementwise_min(lit, SHORTS(255)), SHORTS(0)), live_bytes);
}

static void light_chroma(
    const uint8_t *chroma, const uint8_t *upper, const uint8_t *lower, const uint8_t *light, size_t count, int black,
    int white, uint8_t *out)
{
    const int span = white - black;
    const int16_t unit = light_unit(span);
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
        light_chroma_sixteen(chroma + i, upper + 2 * i, lower + 2 * i, light + i, unit, black, span, out + i);
    if (i == count) return;
    uint8_t rest[3][16] = {{0}}, rows[2][32] = {{0}};
    memcpy(rest[0], chroma + i, count - i);
    memcpy(rest[1], light + i, count - i);
    memcpy(rows[0], upper + 2 * i, 2 * (count - i));
    memcpy(rows[1], lower + 2 * i, 2 * (count - i));
    light_chroma_sixteen(rest[0], rows[0], rows[1], rest[1], unit, black, span, rest[2]);
    memcpy(out + i, rest[2], count - i);
}
