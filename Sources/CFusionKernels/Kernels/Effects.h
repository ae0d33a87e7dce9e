// SPDX-License-Identifier: MIT
// What portrait blur computes at a quarter of the picture's width and height, in rows of quads of floats: the matte
// fitted to the picture's edges by a guided filter, and the background averaged over what is not in front. Effects on
// the picture itself are in Light.h.

/// Two bytes each, at any address.
typedef uint16_t effect_pairs __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint16_t effect_few_pairs __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint32_t effect_words __attribute__((vector_size(32)));
typedef int32_t effect_half_words __attribute__((vector_size(16)));

#define EFFECT_LOW_HALVES(a, b) __builtin_shufflevector((a), (b), 0, 1, 8, 9, 4, 5, 12, 13)
#define EFFECT_HIGH_HALVES(a, b) __builtin_shufflevector((a), (b), 2, 3, 10, 11, 6, 7, 14, 15)
#define EFFECT_LOW(a, b) __builtin_shufflevector((a), (b), 0, 8, 1, 9, 4, 12, 5, 13)
#define EFFECT_HIGH(a, b) __builtin_shufflevector((a), (b), 2, 10, 3, 11, 6, 14, 7, 15)

/// Eight quads, two in each vector, to vectors of their first, second, third and fourth numbers, or back. The quads are
/// then in the order 0 2 4 6 1 3 5 7.
INLINE void effect_turn(lanes v[4])
{
    const lanes a = EFFECT_LOW(v[0], v[1]), b = EFFECT_HIGH(v[0], v[1]);
    const lanes c = EFFECT_LOW(v[2], v[3]), d = EFFECT_HIGH(v[2], v[3]);
    v[0] = EFFECT_LOW_HALVES(a, c);
    v[1] = EFFECT_HIGH_HALVES(a, c);
    v[2] = EFFECT_LOW_HALVES(b, d);
    v[3] = EFFECT_HIGH_HALVES(b, d);
}

/// Takes the numbers of eight quads, or of the last `left`, and zeros.
INLINE void effect_take(const float *quads, size_t left, lanes v[4])
{
    float rest[32] = {0};
    if (left < 8) {
        memcpy(rest, quads, 4 * left * sizeof *quads);
        quads = rest;
    }
    for (int i = 0; i < 4; i++) v[i] = *(const lanes *)(quads + 8 * i);
    effect_turn(v);
}

INLINE void effect_give(lanes v[4], size_t left, float *quads)
{
    effect_turn(v);
    if (left < 8)
        memcpy(quads, v, 4 * left * sizeof *quads);
    else
        for (int i = 0; i < 4; i++) *(lanes *)(quads + 8 * i) = v[i];
}

/// Holds numbers within 0...most.
INLINE void effect_hold(lanes *v, float most)
{
    const lanes least = ALL(0), bound = ALL(most);
    at_least(v, &least);
    at_most(v, &bound);
}

/// The means of eight cells.
INLINE void effect_gather(
    const uint8_t *luma, ptrdiff_t stride, const uint8_t *cb, const uint8_t *cr, ptrdiff_t chroma_stride, lanes v[4])
{
    effect_pairs sums = {0};
    effect_few_pairs cb_sums = {0}, cr_sums = {0};
    UNROLLED for (ptrdiff_t y = 0; y < 4; y++) {
        const effect_pairs row = *(const effect_pairs *)(luma + y * stride);
        sums += (row & 255) + (row >> 8);
    }
    UNROLLED for (ptrdiff_t y = 0; y < 2; y++) {
        const effect_few_pairs cb_row = *(const effect_few_pairs *)(cb + y * chroma_stride);
        const effect_few_pairs cr_row = *(const effect_few_pairs *)(cr + y * chroma_stride);
        cb_sums += (cb_row & 255) + (cb_row >> 8);
        cr_sums += (cr_row & 255) + (cr_row >> 8);
    }
    const effect_words fours = ((effect_words)sums & 65535) + ((effect_words)sums >> 16);
    v[0] = __builtin_convertvector((whole_lanes)fours, lanes) * (1.0f / 16);
    v[1] = __builtin_convertvector(__builtin_convertvector(cb_sums, whole_lanes), lanes) * 0.25f;
    v[2] = __builtin_convertvector(__builtin_convertvector(cr_sums, whole_lanes), lanes) * 0.25f;
    v[3] = ALL(0);
    for (int i = 0; i < 3; i++) v[i] = __builtin_shufflevector(v[i], v[i], 0, 2, 4, 6, 1, 3, 5, 7);
}

static void gather_quads(
    const uint8_t *restrict luma, ptrdiff_t stride, const uint8_t *restrict cb, const uint8_t *restrict cr,
    ptrdiff_t chroma_stride, size_t count, float *restrict quads)
{
    for (size_t i = 0; i < count; i += 8) {
        const size_t left = count - i;
        lanes v[4];
        if (left >= 8) {
            effect_gather(luma + 4 * i, stride, cb + 2 * i, cr + 2 * i, chroma_stride, v);
        } else {
            uint8_t rows[4][32] = {{0}}, chroma[4][16] = {{0}};
            for (ptrdiff_t y = 0; y < 4; y++) memcpy(rows[y], luma + 4 * i + y * stride, 4 * left);
            for (ptrdiff_t y = 0; y < 2; y++) {
                memcpy(chroma[y], cb + 2 * i + y * chroma_stride, 2 * left);
                memcpy(chroma[2 + y], cr + 2 * i + y * chroma_stride, 2 * left);
            }
            effect_gather(rows[0], 32, chroma[0], chroma[2], 16, v);
        }
        effect_give(v, left, quads + 4 * i);
    }
}

static void box_across(const float *restrict row, size_t count, size_t radius, float *restrict out)
{
    const float scale = 1.0f / (float)(2 * radius + 1);
    const half_lanes *quads = (const half_lanes *)row;
    half_lanes sum = quads[0] * (float)(radius + 1);
    for (size_t i = 1; i <= radius; i++) sum += quads[i < count ? i : count - 1];
    for (size_t i = 0; i < count; i++) {
        ((half_lanes *)out)[i] = sum * scale;
        const size_t in = i + radius + 1;
        sum += quads[in < count ? in : count - 1] - quads[i > radius ? i - radius : 0];
    }
}

static void box_down(
    const float *restrict entering, const float *restrict leaving, size_t count, float scale, float *restrict sum,
    float *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = sum[i] * scale;
        sum[i] += entering[i] - leaving[i];
    }
}

static void guide_products(
    const float *restrict picture, const float *restrict matte, size_t count, float *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const float y = picture[4 * i], m = matte[i];
        *(half_lanes *)(out + 4 * i) = (half_lanes){y, m, y, y} * (half_lanes){1, 1, m, y};
    }
}

static void guide_lines(const float *restrict means, size_t count, float floor, float *restrict out)
{
    for (size_t i = 0; i < count; i += 8) {
        lanes v[4];
        effect_take(means + 4 * i, count - i, v);
        const lanes y = v[0], m = v[1];
        v[0] = (v[2] - y * m) / ((v[3] - y * y) + floor);
        v[1] = m - v[0] * y;
        v[2] = v[3] = ALL(0);
        effect_give(v, count - i, out + 4 * i);
    }
}

static void weigh_behind(
    const float *restrict picture, const float *restrict lines, size_t count, float *restrict out)
{
    for (size_t i = 0; i < count; i += 8) {
        lanes v[4], line[4];
        effect_take(picture + 4 * i, count - i, v);
        effect_take(lines + 4 * i, count - i, line);
        lanes front = line[0] * v[0] + line[1];
        effect_hold(&front, 1);
        const lanes behind = 1 - front, weight = behind * behind + 0.001f;
        v[3] = v[2] * weight;
        v[2] = v[1] * weight;
        v[1] = v[0] * weight;
        v[0] = weight;
        effect_give(v, count - i, out + 4 * i);
    }
}

static void divide_behind(const float *restrict sums, size_t count, float *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const half_lanes all = *(const half_lanes *)(sums + 4 * i);
        half_lanes means = __builtin_shufflevector(all, all, 1, 2, 3, 0) / all[0];
        means[3] = 0;
        *(half_lanes *)(out + 4 * i) = means;
    }
}

/// Cells that are enlarged at a time.
#define EFFECT_RUN 64

/// One number of each of `count` quads from `first` on (those beyond the row are the first or the last), between two
/// rows that begin with this number.
INLINE void effect_between(
    const float *restrict upper, const float *restrict lower, float fraction, ptrdiff_t cells, ptrdiff_t first,
    ptrdiff_t count, float *restrict out)
{
    const ptrdiff_t within = cells - first < count ? cells - first : count, last = cells - 1;
    ptrdiff_t i = 0;
    for (; first + i < 0; i++) out[i] = upper[0] + (lower[0] - upper[0]) * fraction;
    for (; i < within; i++) {
        const ptrdiff_t cell = 4 * (first + i);
        out[i] = upper[cell] + (lower[cell] - upper[cell]) * fraction;
    }
    for (; i < count; i++) out[i] = upper[4 * last] + (lower[4 * last] - upper[4 * last]) * fraction;
}

/// Eight numbers, `step` for each step from one of `numbers` to the next.
INLINE void effect_enlarge(const float *numbers, int step, lanes *out)
{
    if (step == 4) {
        const half_lanes own = *(const half_lanes *)numbers;
        const lanes near = __builtin_shufflevector(own, own, 0, 0, 0, 0, 1, 1, 1, 1);
        const lanes far = __builtin_shufflevector(own, own, 1, 1, 1, 1, 2, 2, 2, 2);
        const lanes part = {0.125f, 0.375f, 0.625f, 0.875f, 0.125f, 0.375f, 0.625f, 0.875f};
        *out = near + (far - near) * part;
    } else {
        const lanes own = *(const lanes *)numbers;
        const lanes near = __builtin_shufflevector(own, own, 0, 0, 1, 1, 2, 2, 3, 3);
        const lanes far = __builtin_shufflevector(own, own, 1, 1, 2, 2, 3, 3, 4, 4);
        const lanes part = {0.25f, 0.75f, 0.25f, 0.75f, 0.25f, 0.75f, 0.25f, 0.75f};
        *out = near + (far - near) * part;
    }
}

/// Rounds eight numbers within 0...255 to bytes.
INLINE void effect_store(lanes numbers, uint8_t *out)
{
    *(byte_lanes *)out = __builtin_convertvector(__builtin_convertvector(numbers + 0.5f, whole_lanes), byte_lanes);
}

/// How many numbers are needed for `samples` samples, `step` to each: whole vectors of samples, and what is read after
/// them.
INLINE size_t effect_needed(size_t samples, size_t step)
{
    const size_t most = step * EFFECT_RUN;
    return ((samples < most ? samples : most) + 7) / 8 * (8 / step) + 4;
}

/// The alpha of eight samples, whose lines begin with those of their cell.
INLINE void effect_alpha(const uint8_t *luma, const float *slopes, const float *lifts, uint8_t *out)
{
    lanes slope, lift;
    effect_enlarge(slopes, 4, &slope);
    effect_enlarge(lifts, 4, &lift);
    const whole_lanes codes = __builtin_convertvector(*(const byte_lanes *)luma, whole_lanes);
    lanes k = slope * __builtin_convertvector(codes, lanes) + lift;
    effect_hold(&k, 1);
    k = k * k * (3 - 2 * k);
    effect_store(k * 255, out);
}

/// The same of samples `from` to `end` of eight, of which the others are neither read nor written.
INLINE void effect_edge_alpha(
    const uint8_t *luma, size_t from, size_t end, const float *slopes, const float *lifts, uint8_t *out)
{
    uint8_t edge[8] = {0};
    memcpy(edge + from, luma, end - from);
    effect_alpha(edge, slopes, lifts, edge);
    memcpy(out, edge + from, end - from);
}

static void matte_row(
    const uint8_t *restrict luma, const float *restrict upper, const float *restrict lower, float fraction,
    size_t cells, size_t count, uint8_t *restrict out)
{
    // The first two samples are the last two of the four between a cell before the first, and the first.
    const size_t all = count + 2;
    for (size_t run = 0; run < all; run += 4 * EFFECT_RUN) {
        float slopes[EFFECT_RUN + 4], lifts[EFFECT_RUN + 4];
        const ptrdiff_t first = (ptrdiff_t)run / 4 - 1, needed = (ptrdiff_t)effect_needed(all - run, 4);
        effect_between(upper, lower, fraction, (ptrdiff_t)cells, first, needed, slopes);
        effect_between(upper + 1, lower + 1, fraction, (ptrdiff_t)cells, first, needed, lifts);
        const size_t end = all - run < 4 * EFFECT_RUN ? all - run : 4 * EFFECT_RUN;
        size_t at = 0;
        if (!run) {
            effect_edge_alpha(luma, 2, end < 8 ? end : 8, slopes, lifts, out);
            at = 8;
        }
        const uint8_t *from = luma + (run + at - 2);
        uint8_t *to = out + (run + at - 2);
        for (; at + 8 <= end; at += 8, from += 8, to += 8) effect_alpha(from, slopes + at / 4, lifts + at / 4, to);
        if (at < end) effect_edge_alpha(from, 0, end - at, slopes + at / 4, lifts + at / 4, to);
    }
}

/// Eight samples, `step` to each number.
INLINE void effect_eight(const float *numbers, int step, uint8_t *out)
{
    lanes value;
    effect_enlarge(numbers, step, &value);
    effect_hold(&value, 255);
    effect_store(value, out);
}

INLINE void effect_enlarge_row(
    const float *restrict upper, const float *restrict lower, float fraction, size_t step, size_t cells, size_t count,
    uint8_t *restrict out)
{
    const size_t shift = step / 2, all = count + shift;
    for (size_t run = 0; run < all; run += step * EFFECT_RUN) {
        float numbers[EFFECT_RUN + 4];
        uint8_t edge[8];
        const ptrdiff_t first = (ptrdiff_t)(run / step) - 1, needed = (ptrdiff_t)effect_needed(all - run, step);
        effect_between(upper, lower, fraction, (ptrdiff_t)cells, first, needed, numbers);
        const size_t end = all - run < step * EFFECT_RUN ? all - run : step * EFFECT_RUN;
        size_t at = 0;
        if (!run) {
            effect_eight(numbers, (int)step, edge);
            memcpy(out, edge + shift, (end < 8 ? end : 8) - shift);
            at = 8;
        }
        uint8_t *to = out + (run + at - shift);
        for (; at + 8 <= end; at += 8, to += 8) effect_eight(numbers + at / step, (int)step, to);
        if (at < end) {
            effect_eight(numbers + at / step, (int)step, edge);
            memcpy(to, edge, end - at);
        }
    }
}

static void enlarge_row(
    const float *restrict upper, const float *restrict lower, size_t lane, float fraction, size_t step, size_t cells,
    size_t count, uint8_t *restrict out)
{
    if (step == 4)
        effect_enlarge_row(upper + lane, lower + lane, fraction, 4, cells, count, out);
    else
        effect_enlarge_row(upper + lane, lower + lane, fraction, 2, cells, count, out);
}

static void steady_matte(const float *restrict fresh, size_t count, float *restrict kept)
{
    for (size_t i = 0; i < count; i++) {
        const float difference = fresh[i] - kept[i], share = 0.25f + 2 * (difference * difference);
        kept[i] += (share < 1 ? share : 1) * difference;
    }
}

static void enlarge_matte(
    const float *restrict upper, const float *restrict lower, float fraction, size_t width, int32_t start,
    int32_t step, size_t count, float *restrict out)
{
    const int32_t last = (int32_t)(width - 1) << 16;
    int32_t place = start;
    for (size_t i = 0; i < count; i++) {
        const int32_t least = place > 0 ? place : 0, held = least < last ? least : last;
        const int32_t at = held >> 16, next = at + (held < last);
        const float left = upper[at] + (lower[at] - upper[at]) * fraction;
        const float right = upper[next] + (lower[next] - upper[next]) * fraction;
        out[i] = left + (right - left) * ((float)(held & 65535) * (1.0f / 65536));
        if (i + 1 < count) place += step;
    }
}
