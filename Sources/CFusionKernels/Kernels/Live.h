// SPDX-License-Identifier: MIT
// Frames of a stream, each fused with what is remembered of those before.
//
// Whatever is remembered is moved again with every frame, so interpolation must neither blur nor sharpen: what it does
// to a picture adds up. These taps, between Lanczos's and Lagrange's for eight samples, change no frequency up to six
// tenths of the highest by more than 3 percent at half a sample, and by 0.6 percent on average over all fractions.

typedef uint8_t live_bytes __attribute__((vector_size(16), aligned(1), may_alias));
typedef float live_floats __attribute__((vector_size(32)));
typedef int32_t live_words __attribute__((vector_size(32)));

/// For each eighth of a sample, what the eight neighbours count, of 32768. Taps of whole samples are not used.
static const int16_t live_taps[8][8] = {
    {0}, {-242, 893, -2793, 31629, 4278, -1379, 414, -32}, {-364, 1460, -4507, 28938, 9299, -2826, 875, -107},
    {-378, 1684, -5188, 24963, 14706, -4113, 1305, -211}, {-314, 1606, -4984, 20076, 20076, -4984, 1606, -314},
    {-211, 1305, -4113, 14706, 24963, -5188, 1684, -378}, {-107, 875, -2826, 9299, 28938, -4507, 1460, -364},
    {-32, 414, -1379, 4278, 31629, -2793, 893, -242}};

/// Cells of equal motion that are moved together, and the samples of such a run.
#define LIVE_RUN 32
#define LIVE_SAMPLES (8 * LIVE_RUN + 32)

/// Interpolates rows between samples that are `apart`; the first of the eight neighbours is three of them before.
INLINE void live_between(
    const int16_t *restrict from, ptrdiff_t stride, ptrdiff_t apart, size_t rows, size_t blocks, const int16_t *taps,
    int16_t *restrict out, ptrdiff_t out_stride)
{
    for (size_t y = 0; y < rows; y++) {
        for (size_t block = 0; block < blocks; block++) {
            const int16_t *first = from + (ptrdiff_t)y * stride + 16 * (ptrdiff_t)block - 3 * apart;
            shorts sum = {0};
            UNROLLED for (int i = 0; i < 8; i++)
                sum += SHORT_PRODUCT(*(const shorts *)(first + i * apart), SHORTS(taps[i]));
            sum = __builtin_elementwise_max(__builtin_elementwise_min(sum, SHORTS(16383)), SHORTS(0));
            *(shorts *)(out + (ptrdiff_t)y * out_stride + 16 * (ptrdiff_t)block) = sum;
        }
    }
}

INLINE void live_copy(
    const int16_t *from, ptrdiff_t stride, size_t rows, size_t samples, int16_t *out, ptrdiff_t out_stride)
{
    for (size_t y = 0; y < rows; y++)
        memcpy(out + (ptrdiff_t)y * out_stride, from + (ptrdiff_t)y * stride, samples * sizeof *out);
}

static void live_move(const struct fusion_live_move_parameters *move)
{
    const struct fusion_live_move_parameters m = *move;
    const size_t all = (m.cells + 1) / 2 * 16;
    int16_t down[8 * LIVE_SAMPLES], last[8 * LIVE_SAMPLES];
    for (size_t first = 0, end; first < m.cells; first = end) {
        const int16_t dx = m.motion[2 * first], dy = m.motion[2 * first + 1];
        for (end = first + 1; end < m.cells && end - first < LIVE_RUN && m.motion[2 * end] == dx
             && m.motion[2 * end + 1] == dy && !m.share[end] == !m.share[first]; end++) {}
        // The next run overwrites what is more than this one's cells; the last one goes on to the end of the row.
        const size_t left = all - 8 * first, own = 8 * (end == m.cells ? m.cells + (m.cells & 1) - first : end - first);
        const size_t blocks = (own + 15) / 16, samples = 16 * blocks < left ? 16 * blocks : left;
        int16_t *out = m.out + 8 * first;
        uint8_t *out_doubt = m.out_doubt + 8 * first;
        if (!m.share[first]) {
            for (size_t y = 0; y < m.rows; y++) {
                memset(out + (ptrdiff_t)y * m.out_stride, 0, samples * sizeof *out);
                memset(out_doubt + (ptrdiff_t)y * m.out_stride, 255, samples);
            }
            continue;
        }
        const int fx = dx & 7, fy = dy & 7;
        const ptrdiff_t whole = (ptrdiff_t)(dy >> 3) * m.stride + (dx >> 3) + 8 * (ptrdiff_t)first;
        const int16_t *past = m.past + whole;
        const uint8_t *doubt = m.doubt + whole + (fy >> 2) * m.stride + (fx >> 2);
        for (size_t y = 0; y < m.rows; y++) {
            uint8_t *row = out_doubt + (ptrdiff_t)y * m.out_stride;
            const uint8_t *from = doubt + (ptrdiff_t)y * m.stride;
            if (!(fx | fy)) {
                memcpy(row, from, samples);
                continue;
            }
            for (size_t x = 0; x < samples; x++) {
                const uint32_t faded = from[x] + ((from[x] * m.fade + 255) >> 8);
                row[x] = (uint8_t)(faded < 255 ? faded : 255);
            }
        }
        if (!(fx | fy)) {
            live_copy(past, m.stride, m.rows, samples, out, m.out_stride);
            continue;
        }
        // Whole blocks would go beyond the row's end.
        const int isLast = samples < 16 * blocks;
        int16_t *to = isLast ? last : out;
        const ptrdiff_t to_stride = isLast ? LIVE_SAMPLES : m.out_stride;
        if (!fy) {
            live_between(past, m.stride, 1, m.rows, blocks, live_taps[fx], to, to_stride);
        } else if (!fx) {
            live_between(past, m.stride, m.stride, m.rows, blocks, live_taps[fy], to, to_stride);
        } else {
            // Down first: that needs half a block more on either side, but no more rows.
            live_between(past - 8, m.stride, m.stride, m.rows, blocks + 1, live_taps[fy], down, LIVE_SAMPLES);
            live_between(down + 8, LIVE_SAMPLES, 1, m.rows, blocks, live_taps[fx], to, to_stride);
        }
        if (isLast) live_copy(last, LIVE_SAMPLES, m.rows, samples, out, m.out_stride);
    }
}

// LIVE_DOT(a, b): for each two neighbours, the sum of their products.
#if defined(FUSION_BYTE_PRODUCTS)
#define LIVE_DOT(a, b) ((live_words)_mm256_madd_epi16((__m256i)(a), (__m256i)(b)))
#elif defined(__SSE2__)
#define LIVE_ROW_DOT(a, b) _mm_madd_epi16((__m128i)(a), (__m128i)(b))
#define LIVE_DOT(a, b) SHORT_BOTH(live_words, LIVE_ROW_DOT, a, b)
#else
#define LIVE_DOT(a, b) live_dot((live_words)(a), (live_words)(b))
INLINE live_words live_dot(live_words a, live_words b)
{
    return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
}
#endif

/// For 16 numbers, eight sums of two neighbours.
#define LIVE_PAIRS(v) (((live_words)(v) << 16 >> 16) + ((live_words)(v) >> 16))
/// The sum of the lower or the upper half of the lanes.
#define LIVE_SUM4(v, half) ((v)[4 * (half)] + (v)[4 * (half) + 1] + (v)[4 * (half) + 2] + (v)[4 * (half) + 3])

static void live_spread(
    const uint8_t *restrict frame, ptrdiff_t stride, const int16_t *restrict moved, ptrdiff_t moved_stride,
    size_t blocks, int32_t *restrict out)
{
    const shorts inside = {-1, -1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, 0};
    for (size_t block = 0; block < blocks; block++) {
        shorts sums = {0}, slopes = {0};
        live_words squares = {0};
        UNROLLED for (ptrdiff_t y = 0; y < 8; y++) {
            const int16_t *at = moved + y * moved_stride + 16 * (ptrdiff_t)block;
            const shorts own = *(const shorts *)at;
            const live_bytes codes = *(const live_bytes *)(frame + y * stride + 16 * (ptrdiff_t)block);
            const shorts difference = ((__builtin_convertvector(codes, shorts) << 6) - own) >> 2;
            sums += difference;
            squares += LIVE_DOT(difference, difference);
            const shorts across = *(const shorts *)(at + 1) - own;
            slopes += (__builtin_elementwise_max(across, -across) >> 3) & inside;
            if (y < 7) {
                const shorts down = *(const shorts *)(at + moved_stride) - own;
                slopes += __builtin_elementwise_max(down, -down) >> 3;
            }
        }
        const live_words sum = LIVE_PAIRS(sums), slope = LIVE_PAIRS(slopes);
        for (int half = 0; half < 2; half++) {
            out[6 * block + 3 * half] = LIVE_SUM4(sum, half);
            out[6 * block + 3 * half + 1] = LIVE_SUM4(squares, half);
            out[6 * block + 3 * half + 2] = LIVE_SUM4(slope, half);
        }
    }
}

/// Repeats the values of two cells for each of their samples.
INLINE void live_repeat(const int16_t *of, shorts *out)
{
    const int16_t a = of[0], b = of[1];
    *out = (shorts){a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b};
}

INLINE void live_difference(const uint8_t *frame, const int16_t *moved, shorts *out)
{
    *out = (__builtin_convertvector(*(const live_bytes *)frame, shorts) << 6) - *(const shorts *)moved;
}

static void live_squares(
    const uint8_t *restrict frame, const int16_t *restrict moved, const int16_t *restrict scale, size_t blocks,
    uint16_t *restrict out)
{
    for (size_t block = 0; block < blocks; block++) {
        shorts factor, difference;
        live_repeat(scale + 2 * block, &factor);
        live_difference(frame + 16 * block, moved + 16 * block, &difference);
        shorts d = SHORT_PRODUCT(difference, factor);
        d = __builtin_elementwise_max(__builtin_elementwise_min(d, SHORTS(80)), SHORTS(-80));
        *(ushorts *)(out + 16 * block) = (ushorts)(d * d);
    }
}

#define LIVE_ADD(a, b) __builtin_elementwise_add_sat((a), (b))

#define LIVE_HALF(v, half) \
    __builtin_shufflevector((v), (v), 8 * (half), 8 * (half) + 1, 8 * (half) + 2, 8 * (half) + 3, 8 * (half) + 4, \
                            8 * (half) + 5, 8 * (half) + 6, 8 * (half) + 7)

/// What noise leaves in a box sum for each 255th of a frame's variance, in 1024ths.
#define LIVE_EXPECTED (1600.0f * 1024 / 255)

/// Pairs of the first or the second four numbers of two cells, as `SHORT_PACK` takes them apart.
#define LIVE_ZIP(a, b, half) \
    __builtin_shufflevector( \
        (a), (b), 4 * (half), 4 * (half) + 16, 4 * (half) + 1, 4 * (half) + 17, 4 * (half) + 2, 4 * (half) + 18, \
        4 * (half) + 3, 4 * (half) + 19, 4 * (half) + 8, 4 * (half) + 24, 4 * (half) + 9, 4 * (half) + 25, \
        4 * (half) + 10, 4 * (half) + 26, 4 * (half) + 11, 4 * (half) + 27)

/// The share of the new frame in half of the samples of two cells, of 32767.
#define LIVE_SHARE(trust, span, off_by, half, out) \
    do { \
        const shorts both = LIVE_ZIP(span, trust, half); \
        const live_words against = LIVE_DOT(both, LIVE_ZIP(off_by, SHORTS(0), half)); \
        const live_words all = LIVE_DOT(both, LIVE_ZIP(off_by, SHORTS(255), half)); \
        const live_floats share = \
            __builtin_convertvector(against, live_floats) / __builtin_convertvector(all, live_floats); \
        (out) = __builtin_convertvector(share * 32767 + 0.5f, live_words); \
    } while (0)

static void live_blend(const struct fusion_live_blend_parameters *blend)
{
    const struct fusion_live_blend_parameters b = *blend;
    const shorts full = SHORTS(b.full * LIVE_EXPECTED + 0.5f), none = SHORTS(b.none * LIVE_EXPECTED + 0.5f);
    const shorts least = SHORTS(b.least * 32767 + 0.5f);
    // Sums down, from a block before the row to one after it.
    for (size_t i = 0; i < b.blocks + 2; i++) {
        const ptrdiff_t at = 16 * ((ptrdiff_t)i - 1);
        ushorts sum = *(const ushorts *)(b.squares[0] + at);
        UNROLLED for (int row = 1; row < 5; row++) sum = LIVE_ADD(sum, *(const ushorts *)(b.squares[row] + at));
        *(ushorts *)(b.sums + 16 * i) = sum;
    }
    for (size_t block = 0; block < b.blocks; block++) {
        const uint16_t *sums = b.sums + 16 * block + 14;
        ushorts box = *(const ushorts *)sums;
        UNROLLED for (int i = 1; i < 5; i++) box = LIVE_ADD(box, *(const ushorts *)(sums + i));
        shorts doubt = __builtin_convertvector(*(const live_bytes *)(b.doubt + 16 * block), shorts);
        doubt = __builtin_elementwise_max(doubt, SHORTS(1));
        const shorts expected = (doubt + 255) << 5;
        const shorts low = SHORT_PRODUCT(expected, full), high = SHORT_PRODUCT(expected, none);
        const ushorts off = __builtin_elementwise_min(__builtin_elementwise_max(box, (ushorts)low), (ushorts)high);
        const shorts trust = high - (shorts)off, span = high - low;
        shorts excess;
        live_repeat((const int16_t *)b.excess + 2 * block, &excess);
        // 256ths, where 255ths are meant, are near enough.
        const shorts off_by = doubt + SHORT_PRODUCT(doubt << 7, excess) + excess;
        live_words first, second;
        LIVE_SHARE(trust, span, off_by, 0, first);
        LIVE_SHARE(trust, span, off_by, 1, second);
        shorts share = SHORT_PACK(first, second);
        share = __builtin_elementwise_max(share, least);
        shorts difference;
        live_difference(b.frame + 16 * block, b.moved + 16 * block, &difference);
        *(shorts *)(b.out + 16 * block) = *(const shorts *)(b.moved + 16 * block) + SHORT_PRODUCT(difference, share);
        // 255 times the share, rounded.
        *(live_bytes *)(b.out_doubt + 16 * block) =
            __builtin_convertvector((ushorts)SHORT_PRODUCT(share, SHORTS(255)), live_bytes);
    }
}

/// Adds a neighbour: how far it is off, in eighths of a standard deviation, times its weight; and its weight.
#define LIVE_NEIGHBOUR(at) \
    do { \
        const shorts off = SHORT_PRODUCT(*(const shorts *)(at) - own, factor); \
        const shorts away = __builtin_elementwise_max(off, -off); \
        const shorts weight = (shorts)__builtin_elementwise_sub_sat((ushorts)reach, (ushorts)away); \
        total += off * weight; \
        weights += weight; \
    } while (0)

/// What to add to eight samples, in Q6.
INLINE void live_lift(short_row total, short_row weights, float unit, short_row *out)
{
    const live_floats sum = __builtin_convertvector(total, live_floats);
    const live_floats over = __builtin_convertvector(weights, live_floats);
    const live_floats lift = sum * unit / over;
    const live_floats half = __builtin_elementwise_copysign((live_floats){0} + 0.5f, lift);
    *out = __builtin_convertvector(__builtin_convertvector(lift + half, live_words), short_row);
}

static void live_finish(const struct fusion_live_finish_parameters *finish)
{
    const struct fusion_live_finish_parameters f = *finish;
    for (size_t block = 0; block < f.blocks; block++) {
        const int16_t *at = f.past + 16 * block;
        shorts own = *(const shorts *)at;
        const live_bytes doubts = *(const live_bytes *)(f.doubt + 16 * block);
        if (__builtin_reduce_max(doubts) >= f.least_doubt) {
            shorts factor;
            live_repeat(f.scale + 2 * block, &factor);
            const ushorts doubt = __builtin_convertvector(doubts, ushorts);
            const live_floats low = __builtin_convertvector(LIVE_HALF(doubt, 0), live_floats) * (1.0f / 255);
            const live_floats high = __builtin_convertvector(LIVE_HALF(doubt, 1), live_floats) * (1.0f / 255);
            const live_floats lows = 8 * f.reach * __builtin_elementwise_sqrt(low) + 1;
            const live_floats highs = 8 * f.reach * __builtin_elementwise_sqrt(high) + 1;
            const shorts reach = __builtin_shufflevector(
                __builtin_convertvector(__builtin_convertvector(lows, live_words), short_row),
                __builtin_convertvector(__builtin_convertvector(highs, live_words), short_row), 0, 1, 2, 3, 4, 5, 6,
                7, 8, 9, 10, 11, 12, 13, 14, 15);
            shorts total = {0}, weights = reach;
            UNROLLED for (int y = -2; y <= 2; y++) {
                UNROLLED for (int x = -2; x <= 2; x++) {
                    if ((x || y) && x * x + y * y <= 4) LIVE_NEIGHBOUR(at + y * f.stride + x);
                }
            }
            short_row first, second;
            live_lift(LIVE_HALF(total, 0), LIVE_HALF(weights, 0), 32768.0f / f.scale[2 * block], &first);
            live_lift(LIVE_HALF(total, 1), LIVE_HALF(weights, 1), 32768.0f / f.scale[2 * block + 1], &second);
            own += __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        }
        own = (own + 32) >> 6;
        own = __builtin_elementwise_max(__builtin_elementwise_min(own, SHORTS(255)), SHORTS(0));
        *(live_bytes *)(f.out + 16 * block) = __builtin_convertvector(own, live_bytes);
    }
}
