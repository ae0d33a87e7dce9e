// SPDX-License-Identifier: MIT
// Pictures at half the size, in which motion is searched.
//
// A sample is a mean over 4x4 samples, with weights 1 3 3 1. A plain mean over 2x2 would make edges look different
// depending on their position between samples, and that would look like motion.

/// The number of samples computed at once: few enough to stay in the first-level cache.
#define HALVE_CHUNK 1024

/// The weighted mean of 4x4 samples for one output sample.
INLINE uint16_t halve_one(const uint8_t *row, ptrdiff_t stride)
{
    const uint8_t *rows[4] = {row - stride, row, row + stride, row + 2 * stride};
    unsigned sum = 0;
    for (int y = 0; y < 4; y++) {
        const unsigned across = rows[y][-1] + rows[y][2] + 3u * (rows[y][0] + rows[y][1]);
        sum += y == 1 || y == 2 ? 3 * across : across;
    }
    return (uint16_t)((sum + 2) >> 2);
}

#ifdef FUSION_BYTE_PRODUCTS

/// Sums of sixteen output samples across a row, with weights 1 3 3 1: at most 2040.
INLINE void halve_across(const uint8_t *row, __m256i *sum)
{
    const __m256i left = _mm256_maddubs_epi16(
        _mm256_loadu_si256((const __m256i *)(row - 1)), _mm256_set1_epi16(0x0301));
    const __m256i right = _mm256_maddubs_epi16(
        _mm256_loadu_si256((const __m256i *)(row + 1)), _mm256_set1_epi16(0x0103));
    *sum = _mm256_add_epi16(left, right);
}

static void halve_bytes(const uint8_t *restrict rows, ptrdiff_t stride, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count;) {
        if (count < 16) {
            out[i] = halve_one(rows + 2 * i, stride);
            i++;
            continue;
        }
        // The last ones are computed together with some that were already done.
        if (i + 16 > count) i = count - 16;
        const uint8_t *row = rows + 2 * i;
        __m256i above, here, next, below;
        halve_across(row - stride, &above);
        halve_across(row, &here);
        halve_across(row + stride, &next);
        halve_across(row + 2 * stride, &below);
        const __m256i inner = _mm256_add_epi16(here, next);
        const __m256i outer = _mm256_add_epi16(_mm256_add_epi16(above, below), _mm256_set1_epi16(2));
        const __m256i sum = _mm256_add_epi16(outer, _mm256_add_epi16(inner, _mm256_add_epi16(inner, inner)));
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_srli_epi16(sum, 2));
        i += 16;
    }
}

#else

// Each pair is read as one number and separated by shifts and masks, which is faster than gathering every other
// sample.

/// The left and the right samples of pairs, each summed down four rows with weights 1 3 3 1: at most 2040.
INLINE void halve_down(const uint8_t *row, ptrdiff_t stride, size_t count, uint16_t *left, uint16_t *right)
{
    const uint8_t *above = row - stride, *next = row + stride, *below = row + 2 * stride;
    for (size_t i = 0; i < count; i++) {
        uint16_t a, b, c, d;
        memcpy(&a, above + 2 * i, sizeof a);
        memcpy(&b, row + 2 * i, sizeof b);
        memcpy(&c, next + 2 * i, sizeof c);
        memcpy(&d, below + 2 * i, sizeof d);
        left[i] = (uint16_t)((a & 0xff) + (d & 0xff) + 3 * ((b & 0xff) + (c & 0xff)));
        right[i] = (uint16_t)((a >> 8) + (d >> 8) + 3 * ((b >> 8) + (c >> 8)));
    }
}

static void halve_bytes(const uint8_t *restrict rows, ptrdiff_t stride, size_t count, uint16_t *restrict out)
{
    // The first and the last output sample need a sample that no pair here contains.
    uint16_t left[HALVE_CHUNK], right[HALVE_CHUNK];
    for (size_t first = 0; first < count; first += HALVE_CHUNK) {
        const size_t some = count - first < HALVE_CHUNK ? count - first : HALVE_CHUNK;
        halve_down(rows + 2 * first, stride, some, left, right);
        out[first] = halve_one(rows + 2 * first, stride);
        for (size_t i = 1; i + 1 < some; i++) {
            const uint16_t outer = (uint16_t)(right[i - 1] + left[i + 1]), inner = (uint16_t)(left[i] + right[i]);
            out[first + i] = (uint16_t)((uint16_t)(outer + 3 * inner + 2) >> 2);
        }
        out[first + some - 1] = halve_one(rows + 2 * (first + some - 1), stride);
    }
}

#endif

static void halve_words(const uint16_t *restrict rows, ptrdiff_t stride, size_t count, uint16_t *restrict out)
{
    // First sums down the columns, with weights 1 3 3 1: at most 32760.
    uint16_t sums[2 * HALVE_CHUNK + 2];
    for (size_t first = 0; first < count; first += HALVE_CHUNK) {
        const size_t some = count - first < HALVE_CHUNK ? count - first : HALVE_CHUNK;
        const uint16_t *here = rows + 2 * first - 1, *above = here - stride;
        const uint16_t *next = here + stride, *below = next + stride;
        for (size_t x = 0; x < 2 * some + 2; x++)
            sums[x] = (uint16_t)((uint16_t)(above[x] + below[x]) + 3 * (uint16_t)(here[x] + next[x]));
        for (size_t i = 0; i < some; i++) {
            uint32_t left, right;
            memcpy(&left, sums + 2 * i, sizeof left);
            memcpy(&right, sums + 2 * i + 2, sizeof right);
            const uint32_t outer = (left & 0xffff) + (right >> 16), inner = (left >> 16) + (right & 0xffff);
            out[first + i] = (uint16_t)((outer + 3 * inner + 32) >> 6);
        }
    }
}

/// The mean of a cell in Q4, rounded down, from the sums of its columns.
INLINE uint16_t mean_of_cell(const uint16_t sums[8], unsigned height)
{
    typedef uint32_t pairs __attribute__((vector_size(16)));
    pairs eight;
    memcpy(&eight, sums, sizeof eight);
    eight = (eight & 0xffff) + (eight >> 16);
    const unsigned sum = (eight[0] + eight[2]) + (eight[1] + eight[3]);
    // Most cells are whole; a division would take as long as everything else.
    return (uint16_t)(height == 16 ? sum >> 3 : height == 8 ? sum >> 2 : 2 * sum / height);
}

static void mean_cells(
    const uint8_t *restrict rows, ptrdiff_t stride, size_t height, size_t cells, uint16_t *restrict out)
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    typedef uint16_t two_cells __attribute__((vector_size(32)));
    for (size_t cell = 0; cell < cells; cell += 2, rows += 16) {
        two_cells sum = {0};
        uint16_t sums[16];
        if (cells - cell == 1) {
            for (size_t y = 0; y < height; y++) {
                bytes samples = {0};
                memcpy(&samples, rows + (ptrdiff_t)y * stride, 8);
                sum += __builtin_convertvector(samples, two_cells);
            }
            memcpy(sums, &sum, sizeof sums);
        } else {
            for (size_t y = 0; y < height; y++) {
                bytes samples;
                memcpy(&samples, rows + (ptrdiff_t)y * stride, 16);
                sum += __builtin_convertvector(samples, two_cells);
            }
            memcpy(sums, &sum, sizeof sums);
            out[cell + 1] = mean_of_cell(sums + 8, (unsigned)height);
        }
        out[cell] = mean_of_cell(sums, (unsigned)height);
    }
}
