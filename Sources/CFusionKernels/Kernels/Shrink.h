// SPDX-License-Identifier: MIT
// Shrinks the cosine coefficients of overlapping blocks according to how much exceeds noise.
//
// How far a coefficient exceeds noise is judged together with its neighbours in the spectrum, and by the power that
// the neighbourhood in the picture has at the same frequencies. Fine texture below the noise level shows in a sum
// over many blocks, and is then left alone.
//
// Strips of eight rows are four rows apart. The blocks of a strip lie side by side, but in every other strip they
// begin four columns further right. Two blocks cover each sample, and their edges are far apart. The result is within
// 0.1 dB of using all four possible blocks, for half the work. Two blocks of a strip are processed at once, entirely
// in 16 bits, with a total error of a twentieth of a code.
//
// Samples start as (code - 128) * 16, coefficients are those of codes times 2, and results are (code - 128) * 64.
// After the first transform, which goes down, the lanes are columns; after the transpose they are vertical
// frequencies. Between the two transforms the scale of the vertical frequencies is evened out, so that all have the
// same precision; the horizontal ones have the scale of Cosine.h.

/// The weights of a block's samples times 32768: a Kaiser window with beta 2, which falls towards the edges so that
/// none is visible, normalised so that blocks half a block apart sum to 1.
static const int16_t shrink_window[8][8] = {
    {5416, 8419, 11932, 16384, 16384, 11932, 8419, 5416},
    {8419, 12336, 16384, 20836, 20836, 16384, 12336, 8419},
    {11932, 16384, 20432, 24349, 24349, 20432, 16384, 11932},
    {16384, 20836, 24349, 27352, 27352, 24349, 20836, 16384},
    {16384, 20836, 24349, 27352, 27352, 24349, 20836, 16384},
    {11932, 16384, 20432, 24349, 24349, 20432, 16384, 11932},
    {8419, 12336, 16384, 20836, 20836, 16384, 12336, 8419},
    {5416, 8419, 11932, 16384, 16384, 11932, 8419, 5416},
};

/// The factors that even out the scale of the vertical frequencies, times 4096, and those that restore it, times
/// 16384.
static const int16_t shrink_even[8] = {4096, 2953, 3135, 3483, 4096, 5213, 7568, 14846};
static const int16_t shrink_uneven[8] = {16384, 22725, 21407, 19266, 16384, 12873, 8867, 4520};

/// The largest measured coefficient, in eighths of the noise's standard deviation.
#define SHRINK_FARTHEST 255
/// The same for the texture search: two standard deviations.
#define SHRINK_CAP 16
/// The smallest and the largest variance that have different tables.
#define SHRINK_LEAST 0x1p-8f
#define SHRINK_MOST 0x1.fffffep9f
/// The noise of a block with this variance and spectrum.
INLINE void shrink_level(float variance, uint8_t spectrum, float bias, struct fusion_block *restrict out)
{
    variance = variance > SHRINK_LEAST ? variance : SHRINK_LEAST;
    variance = variance < SHRINK_MOST ? variance : SHRINK_MOST;
    uint32_t bits;
    memcpy(&bits, &variance, sizeof bits);
    // Eight steps per octave.
    const unsigned step = (bits >> 20) - ((127 - 8) << 3);
    // Within a quarter of the scale. Coefficients of the mean are 128 times the mean.
    bias = bias > -64.0f ? bias : -64.0f;
    bias = bias < 64.0f ? bias : 64.0f;
    out->table = (uint8_t)(16 * spectrum + step % 16);
    out->scale = (uint8_t)(8 - step / 16);
    out->bias = (int16_t)(bias * 128.0f);
}

/// The noise of eight consecutive blocks, from four times their variances and biases. Same result as `shrink_level`.
INLINE void shrink_levels(
    const lanes *variances, const byte_lanes *spectra, const lanes *biases, struct fusion_block *restrict out)
{
    typedef uint32_t numbers __attribute__((vector_size(32), aligned(4), may_alias));
    const lanes least = ALL(SHRINK_LEAST), most = ALL(SHRINK_MOST), lowest = ALL(-64.0f), highest = ALL(64.0f);
    lanes variance = *variances * 0.25f, bias = *biases * 0.25f;
    at_least(&variance, &least);
    at_most(&variance, &most);
    at_least(&bias, &lowest);
    at_most(&bias, &highest);
    const numbers step = ((numbers)variance >> 20) - ((127 - 8) << 3);
    const numbers table = (__builtin_convertvector(*spectra, numbers) << 4) + (step & 15), scale = 8 - (step >> 4);
    const numbers whole = (numbers)__builtin_convertvector(bias * 128.0f, whole_lanes);
    *(numbers *)out = table | scale << 8 | whole << 16;
}

/// For eight blocks, the sums over the four tiles that each covers. The left ones start `left` (0 or 1) tiles
/// earlier.
INLINE void shrink_sum_tiles(const float *upper, const float *lower, size_t left, lanes *restrict sums)
{
    *sums = (*(const lanes *)(upper - left) + *(const lanes *)upper) +
        (*(const lanes *)(lower - left) + *(const lanes *)lower);
}

static void denoise_levels(const struct fusion_levels_parameters *levels)
{
    const struct fusion_levels_parameters of = *levels;
    for (size_t block = of.first; block < of.blocks;) {
        // Either each block has tiles of its own, or its left half is in the previous tile.
        const size_t tile = block / 2, before = 1 - of.first;
        if (tile >= before && tile + 8 <= of.tiles && block + 14 < of.blocks) {
            lanes variances, biases = ALL(0);
            shrink_sum_tiles(of.upper + tile, of.lower + tile, before, &variances);
            if (of.upper_bias) shrink_sum_tiles(of.upper_bias + tile, of.lower_bias + tile, before, &biases);
            shrink_levels(&variances, (const byte_lanes *)(of.spectrum + tile), &biases, &of.out[tile]);
            block += 16;
            continue;
        }
        const size_t middle = tile < of.tiles ? tile : of.tiles - 1;
        const size_t left = block == 0 ? 0 : (block - 1) / 2 < of.tiles ? (block - 1) / 2 : of.tiles - 1;
        const float variance = 0.25f * ((of.upper[left] + of.upper[middle]) + (of.lower[left] + of.lower[middle]));
        const float bias = !of.upper_bias
            ? 0.0f
            : 0.25f * ((of.upper_bias[left] + of.upper_bias[middle]) + (of.lower_bias[left] + of.lower_bias[middle]));
        shrink_level(variance, of.spectrum[middle], bias, &of.out[tile]);
        block += 2;
    }
}

/// One row from each of two blocks.
INLINE void shrink_rows_of(const int16_t *left, const int16_t *right, shorts *out)
{
    *out = __builtin_shufflevector(
        *(const short_row *)left, *(const short_row *)right, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// How to convert the coefficients of two blocks to eighths of a standard deviation: limit them to `most`, multiply
/// by the integer `whole`, then by a table.
struct shrink_measure {
    shorts whole, most;
    const int16_t *left, *right;
};

INLINE void shrink_measure_of(
    const struct fusion_block *left, const struct fusion_block *right, const int16_t *tables,
    struct shrink_measure *out)
{
    const short_row a = (short_row){0} + (int16_t)(1 << left->scale), b = (short_row){0} + (int16_t)(1 << right->scale);
    const int16_t left_most = (int16_t)(32767 >> left->scale), right_most = (int16_t)(32767 >> right->scale);
    const short_row c = (short_row){0} + left_most, d = (short_row){0} + right_most;
    shrink_rows_of((const int16_t *)&a, (const int16_t *)&b, &out->whole);
    shrink_rows_of((const int16_t *)&c, (const int16_t *)&d, &out->most);
    out->left = tables + 64 * (size_t)left->table;
    out->right = tables + 64 * (size_t)right->table;
}

/// The squares of the measured coefficients at one horizontal frequency.
INLINE void shrink_power(
    const shorts *restrict v, const struct shrink_measure *restrict measure, int i, int16_t farthest,
    ushorts *restrict power)
{
    shorts factors;
    shrink_rows_of(measure->left + 8 * i, measure->right + 8 * i, &factors);
    shorts size = __builtin_elementwise_max(*v, -*v);
    size = __builtin_elementwise_min(size, measure->most) * measure->whole;
    size = SHORT_PRODUCT(size, factors);
    size = __builtin_elementwise_min(size, SHORTS(farthest));
    *power = (ushorts)(size * size);
}

/// Replaces each coefficient's power with a mean of its neighbours in the spectrum, with weights 1 2 1 in both
/// directions (1 1 at the last vertical frequency): first over horizontal, then over vertical frequencies.
INLINE void shrink_gather(ushorts power[8])
{
    const ushorts none = {0};
    ushorts pair[9];
    pair[0] = SHORT_MEAN(power[0], none);
    UNROLLED for (int i = 0; i < 7; i++) pair[i + 1] = SHORT_MEAN(power[i], power[i + 1]);
    pair[8] = SHORT_MEAN(power[7], none);
    UNROLLED for (int i = 0; i < 8; i++) {
        ushorts mean = SHORT_MEAN(pair[i], pair[i + 1]);
        const ushorts before =
            __builtin_shufflevector(mean, none, 16, 0, 1, 2, 3, 4, 5, 6, 16, 8, 9, 10, 11, 12, 13, 14);
        mean = SHORT_MEAN(mean, before);
        const ushorts after =
            __builtin_shufflevector(mean, none, 1, 2, 3, 4, 5, 6, 7, 16, 9, 10, 11, 12, 13, 14, 15, 16);
        power[i] = SHORT_MEAN(mean, after);
    }
}

/// What to subtract from a share of 32768: the threshold divided by the power, accurate to 1/8. The division is a
/// subtraction of the floats' bits.
INLINE void shrink_loss(const ushorts *restrict power, const uint32_t *restrict threshold, shorts *restrict loss)
{
    const ushorts none = {0};
    const words low = (words)__builtin_shufflevector(
        *power, none, 0, 16, 1, 16, 2, 16, 3, 16, 8, 16, 9, 16, 10, 16, 11, 16);
    const words high = (words)__builtin_shufflevector(
        *power, none, 4, 16, 5, 16, 6, 16, 7, 16, 12, 16, 13, 16, 14, 16, 15, 16);
    const word_row a = *(const word_row *)threshold, b = *(const word_row *)(threshold + 4);
    const words upper = __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3);
    const words lower = __builtin_shufflevector(b, b, 0, 1, 2, 3, 0, 1, 2, 3);
    const lanes first = (lanes)(upper - (words)__builtin_convertvector((whole_lanes)low, lanes));
    const lanes last = (lanes)(lower - (words)__builtin_convertvector((whole_lanes)high, lanes));
    *loss = SHORT_PACK(__builtin_convertvector(first, whole_lanes), __builtin_convertvector(last, whole_lanes));
}

/// Transforms samples to coefficients.
INLINE void shrink_forward(shorts v[8])
{
    shorts_forward(v);
    UNROLLED for (int i = 0; i < 8; i++) v[i] = SHORT_PRODUCT(v[i], SHORTS(shrink_even[i]));
    shorts_transpose(v);
    shorts_forward(v);
}

/// Denoises two blocks.
INLINE void shrink_pair(
    shorts v[8], const struct fusion_block *restrict left, const struct fusion_block *restrict right,
    const int16_t *restrict tables, const uint32_t *restrict thresholds, const int16_t *restrict floors)
{
    struct shrink_measure measure;
    ushorts power[8];
    // A whole vector, because changing a single element would delay everything that follows.
    const words bias = {(uint16_t)left->bias, 0, 0, 0, (uint16_t)right->bias, 0, 0, 0};
    shrink_measure_of(left, right, tables, &measure);
    shrink_forward(v);
    UNROLLED for (int i = 0; i < 8; i++) shrink_power(&v[i], &measure, i, SHRINK_FARTHEST, &power[i]);
    shrink_gather(power);
    UNROLLED for (int i = 0; i < 8; i++) {
        shorts loss, floor;
        shrink_loss(&power[i], thresholds + 8 * i, &loss);
        shrink_rows_of(floors + 8 * i, floors + 8 * i, &floor);
        const shorts kept = __builtin_elementwise_max(__builtin_elementwise_sub_sat(SHORTS(32767), loss), floor);
        v[i] = SHORT_PRODUCT(v[i], kept);
    }
    v[0] -= (shorts)bias;
    shorts_inverse(v);
    shorts_transpose(v);
    UNROLLED for (int i = 0; i < 8; i++) v[i] = SHORT_PRODUCT(v[i], SHORTS(shrink_uneven[i]));
    shorts_inverse(v);
    UNROLLED for (int i = 0; i < 8; i++) {
        shorts weights;
        shrink_rows_of(shrink_window[i], shrink_window[i], &weights);
        v[i] = SHORT_PRODUCT(v[i], weights);
    }
}

/// Adds two blocks: their first four rows to what was carried over, which finishes `rows` of them; the other four are
/// carried over.
INLINE void shrink_store(
    const shorts v[8], int16_t *restrict carry, size_t carry_stride, uint16_t *restrict out, size_t stride, size_t rows)
{
    UNROLLED for (size_t i = 0; i < 4; i++) {
        shorts *carried = (shorts *)(carry + i * carry_stride);
        if (i < rows) {
            shorts sum = __builtin_elementwise_add_sat(*carried, v[i]);
            sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, SHORTS(-8192)), SHORTS(8128));
            *(ushorts *)(out + i * stride) = (ushorts)(sum + SHORTS(8192)) << 2;
        }
        *carried = v[i + 4];
    }
}

/// Loads codes times 64.
INLINE void shrink_load(const int16_t *restrict from, shorts *restrict out)
{
    // Saturates at white.
    const shorts sample = __builtin_elementwise_add_sat(*(const shorts *)from, SHORTS(16384)) - SHORTS(24576);
    *out = SHORT_PRODUCT(sample, SHORTS(8192));
}

/// Loads codes.
INLINE void shrink_load_bytes(const uint8_t *restrict from, shorts *restrict out)
{
    typedef uint8_t bytes __attribute__((vector_size(16), aligned(1), may_alias));
    *out = (__builtin_convertvector(*(const bytes *)from, shorts) << 4) - SHORTS(2048);
}

/// The index of a column. Columns outside the plane are mirrored at its edge, or replaced with the first one if they
/// are too far outside.
INLINE size_t shrink_column(ptrdiff_t x, size_t width)
{
    if (x < 0) x = -1 - x;
    if (x >= (ptrdiff_t)width) x = 2 * (ptrdiff_t)width - 1 - x;
    return x < 0 ? 0 : (size_t)x;
}

/// Processes the pairs of blocks of a strip: in place inside the plane, in copies at its edges. The inner function
/// takes the buffers as arguments, because clang makes nothing of `restrict` fields.
#define SHRINK_STRIP(name, inner, sample, load)                                                                        \
    INLINE void inner(                                                                                                 \
        const sample *restrict plane, const struct fusion_blocks_parameters *s,                                        \
        const struct fusion_block *restrict levels, const int16_t *restrict tables,                                    \
        const uint32_t *restrict thresholds, const int16_t *restrict floors, int16_t *restrict carry,                  \
        uint16_t *restrict out)                                                                                        \
    {                                                                                                                  \
        const size_t width = s->width, out_stride = s->out_stride;                                                     \
        ptrdiff_t row[8];                                                                                              \
        denoise_rows(row, s->stride, s->height, s->top);                                                               \
        const size_t first = s->first, blocks = ((width + 3) / 4 + 2 - first) / 2;                                     \
        for (size_t block = 0; block < blocks; block += 2) {                                                           \
            const ptrdiff_t x = 8 * (ptrdiff_t)block + 4 * (ptrdiff_t)first - 4;                                       \
            const struct fusion_block *left = levels + block, *right = left + (block + 1 < blocks);                    \
            const size_t cell = 64 * (block / 4 < s->cells ? block / 4 : s->cells - 1);                                \
            shorts v[8];                                                                                               \
            if (x >= 0 && (size_t)x + 16 <= width) {                                                                   \
                UNROLLED for (int i = 0; i < 8; i++) load(plane + row[i] + x, &v[i]);                                  \
                shrink_pair(v, left, right, tables, thresholds + cell, floors + cell);                                 \
                shrink_store(v, carry + x, width, out + x, out_stride, s->rows);                                       \
                continue;                                                                                              \
            }                                                                                                          \
            sample samples[16];                                                                                        \
            int16_t carried[4][16] = {{0}};                                                                            \
            uint16_t finished[4][16];                                                                                  \
            for (int i = 0; i < 8; i++) {                                                                              \
                for (int j = 0; j < 16; j++) samples[j] = plane[row[i] + (ptrdiff_t)shrink_column(x + j, width)];      \
                load(samples, &v[i]);                                                                                  \
            }                                                                                                          \
            const size_t from = x < 0 ? (size_t)-x : 0, inside = (size_t)((ptrdiff_t)width - x);                       \
            const size_t count = (inside < 16 ? inside : 16) - from, at = (size_t)(x + (ptrdiff_t)from);               \
            for (int i = 0; i < 4; i++) memcpy(carried[i] + from, carry + (size_t)i * width + at, 2 * count);          \
            shrink_pair(v, left, right, tables, thresholds + cell, floors + cell);                                     \
            shrink_store(v, carried[0], 16, finished[0], 16, s->rows);                                                 \
            for (int i = 0; i < 4; i++) memcpy(carry + (size_t)i * width + at, carried[i] + from, 2 * count);          \
            for (size_t i = 0; i < s->rows; i++) memcpy(out + i * out_stride + at, finished[i] + from, 2 * count);     \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void name(const sample *plane, const struct fusion_blocks_parameters *strip)                                \
    {                                                                                                                  \
        inner(                                                                                                         \
            plane, strip, strip->levels, strip->tables, strip->thresholds, strip->floors, strip->carry, strip->out);   \
    }

SHRINK_STRIP(denoise_blocks, shrink_strip, int16_t, shrink_load)
SHRINK_STRIP(denoise_blocks_bytes, shrink_strip_bytes, uint8_t, shrink_load_bytes)

/// Adds the powers of two tiles to their cell, or of the left one only if there is no other.
INLINE void shrink_sum(
    shorts v[8], const float variance[2], const uint8_t spectrum[2], int count, const int16_t *restrict tables,
    struct fusion_activity *restrict cell)
{
    struct fusion_block tiles[2];
    for (int i = 0; i < 2; i++) shrink_level(variance[i], spectrum[i], 0, &tiles[i]);
    struct shrink_measure measure;
    shrink_measure_of(&tiles[0], &tiles[1], tables, &measure);
    shrink_forward(v);
    for (int i = 0; i < 8; i++) {
        ushorts power;
        shrink_power(&v[i], &measure, i, SHRINK_CAP, &power);
        short_row sum = __builtin_shufflevector((shorts)power, (shorts)power, 0, 1, 2, 3, 4, 5, 6, 7);
        if (count > 1)
            sum += __builtin_shufflevector((shorts)power, (shorts)power, 8, 9, 10, 11, 12, 13, 14, 15);
        *(short_row *)(cell->power + 8 * i) += sum;
    }
    cell->count = (uint16_t)(cell->count + count);
}

#define SHRINK_ACTIVITY(name, sample, load)                                                                            \
    static void name(                                                                                                  \
        const sample *restrict plane, size_t stride, size_t tiles, const float *restrict variance,                     \
        const uint8_t *restrict spectrum, const int16_t *restrict tables, struct fusion_activity *restrict cells)      \
    {                                                                                                                  \
        shorts v[8];                                                                                                   \
        size_t tile = 0;                                                                                               \
        for (; tile + 2 <= tiles; tile += 2) {                                                                         \
            UNROLLED for (size_t i = 0; i < 8; i++) load(plane + i * stride + 8 * tile, &v[i]);                        \
            shrink_sum(v, variance + tile, spectrum + tile, 2, tables, cells + tile / 4);                              \
        }                                                                                                              \
        if (tile == tiles) return;                                                                                     \
        const float last_variance[2] = {variance[tile], variance[tile]};                                               \
        const uint8_t last_spectrum[2] = {spectrum[tile], spectrum[tile]};                                             \
        for (size_t i = 0; i < 8; i++) {                                                                               \
            sample samples[16] = {0};                                                                                  \
            memcpy(samples, plane + i * stride + 8 * tile, 8 * sizeof(sample));                                        \
            load(samples, &v[i]);                                                                                      \
        }                                                                                                              \
        shrink_sum(v, last_variance, last_spectrum, 1, tables, cells + tile / 4);                                      \
    }

SHRINK_ACTIVITY(denoise_activity, int16_t, shrink_load)
SHRINK_ACTIVITY(denoise_activity_bytes, uint8_t, shrink_load_bytes)
