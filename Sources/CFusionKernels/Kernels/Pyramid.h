// SPDX-License-Identifier: MIT
// Pictures at half the size: what motion is looked for in.
//
// A sample is a mean over 4x4, the middle ones three times: coarser means would make edges look different wherever they
// fall between samples, and that look like motion.

// Pairs are read as one number each, and parted by shifts and masks, which costs less than gathering every other
// sample.

/// How many samples are made at once: few enough to stay in the nearest cache.
#define HALVE_CHUNK 1024

/// The left and the right samples of pairs, summed down four rows with weights 1 3 3 1: at most 2040.
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

/// The same of one sample.
INLINE uint16_t halve_down_one(const uint8_t *row, ptrdiff_t stride)
{
    return (uint16_t)(row[-stride] + row[2 * stride] + 3 * (row[0] + row[stride]));
}

static void halve_bytes(const uint8_t *restrict rows, ptrdiff_t stride, size_t count, uint16_t *restrict out)
{
    // The right sample before the first pair, and the left one behind the last, belong to what is made.
    uint16_t left[HALVE_CHUNK + 1], right[HALVE_CHUNK + 1];
    right[0] = halve_down_one(rows - 1, stride);
    while (count > 0) {
        const size_t some = count < HALVE_CHUNK ? count : HALVE_CHUNK;
        halve_down(rows, stride, some, left, right + 1);
        left[some] = halve_down_one(rows + 2 * some, stride);
        for (size_t i = 0; i < some; i++) {
            const uint16_t outer = (uint16_t)(right[i] + left[i + 1]), inner = (uint16_t)(left[i] + right[i + 1]);
            out[i] = (uint16_t)((uint16_t)(outer + 3 * inner + 2) >> 2);
        }
        right[0] = right[some];
        rows += 2 * some;
        out += some;
        count -= some;
    }
}

/// The four samples around the middle of a pair, weighted 1 3 3 1: at most 32760.
INLINE uint32_t across_words(const uint16_t *row)
{
    uint32_t left, right;
    memcpy(&left, row - 1, sizeof left);
    memcpy(&right, row + 1, sizeof right);
    return (left & 0xffff) + (right >> 16) + 3 * ((left >> 16) + (right & 0xffff));
}

static void halve_words(const uint16_t *restrict rows, ptrdiff_t stride, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint16_t *at = rows + 2 * i;
        uint32_t outer = across_words(at - stride) + across_words(at + 2 * stride);
        uint32_t inner = across_words(at) + across_words(at + stride);
        out[i] = (uint16_t)((outer + 3 * inner + 32) >> 6);
    }
}

/// The mean of a cell in Q4, rounded down, of the sums of its columns.
INLINE uint16_t mean_of_cell(const uint16_t sums[8], unsigned height)
{
    typedef uint32_t pairs __attribute__((vector_size(16)));
    pairs eight;
    memcpy(&eight, sums, sizeof eight);
    eight = (eight & 0xffff) + (eight >> 16);
    const unsigned sum = (eight[0] + eight[2]) + (eight[1] + eight[3]);
    // Most cells are whole ones; dividing takes as long as all the rest.
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
