// SPDX-License-Identifier: MIT
// Statistics of tiles of 8x8 samples: brightness, spread and spectrum.

/// The sum and the sum of squares of each of two adjacent tiles.
INLINE void moments_of_two(const uint8_t *restrict rows, size_t stride, uint32_t out[4])
{
    typedef uint8_t bytes __attribute__((vector_size(16), aligned(1), may_alias));
    typedef uint16_t samples __attribute__((vector_size(32), aligned(2), may_alias));
    typedef uint32_t pairs __attribute__((vector_size(32), aligned(2), may_alias));
    typedef uint32_t sums __attribute__((vector_size(16)));
    samples sum = {0};
    pairs square = {0};
    UNROLLED for (size_t y = 0; y < 8; y++) {
        const samples row = __builtin_convertvector(*(const bytes *)(rows + y * stride), samples);
        const pairs squares = (pairs)(row * row);
        sum += row;
        square += (squares & 0xffff) + (squares >> 16);
    }
    const pairs plain = ((pairs)sum & 0xffff) + ((pairs)sum >> 16);
    const pairs both = __builtin_shufflevector(plain, square, 0, 1, 8, 9, 4, 5, 12, 13) +
        __builtin_shufflevector(plain, square, 2, 3, 10, 11, 6, 7, 14, 15);
    const sums all = __builtin_shufflevector(both, both, 0, 2, 4, 6) + __builtin_shufflevector(both, both, 1, 3, 5, 7);
    memcpy(out, &all, sizeof all);
}

static void tile_moments(
    const uint8_t *restrict rows, size_t stride, size_t tiles, uint16_t *restrict sums, uint32_t *restrict squares)
{
    uint32_t two[4];
    size_t tile = 0;
    for (; tile + 2 <= tiles; tile += 2) {
        moments_of_two(rows + 8 * tile, stride, two);
        sums[tile] = (uint16_t)two[0];
        squares[tile] = two[1];
        sums[tile + 1] = (uint16_t)two[2];
        squares[tile + 1] = two[3];
    }
    if (tile == tiles) return;
    uint8_t last[8 * 16] = {0};
    for (size_t y = 0; y < 8; y++) memcpy(last + 16 * y, rows + y * stride + 8 * tile, 8);
    moments_of_two(last, 16, two);
    sums[tile] = (uint16_t)two[0];
    squares[tile] = two[1];
}

static void tile_powers(
    const uint8_t *restrict rows, size_t stride, const float *restrict scales, float *restrict powers)
{
    lanes v[8];
    for (size_t y = 0; y < 8; y++)
        v[y] = __builtin_convertvector(*(const byte_lanes *)(rows + y * stride), lanes);
    cosine_forward(v);
    transpose(v);
    cosine_forward(v);
    for (int i = 0; i < 8; i++) ((lanes *)powers)[i] = (v[i] * v[i]) * ((const lanes *)scales)[i];
}

static void add_powers(
    const uint8_t *restrict a, ptrdiff_t a_stride, const uint8_t *restrict b, ptrdiff_t b_stride, float mean,
    float weight, float *restrict powers)
{
    lanes v[8];
    for (int y = 0; y < 8; y++, a += a_stride, b += b_stride)
        v[y] = (__builtin_convertvector(*(const byte_lanes *)a, lanes) -
                __builtin_convertvector(*(const byte_lanes *)b, lanes)) - mean;
    cosine_forward(v);
    transpose(v);
    cosine_forward(v);
    for (int i = 0; i < 8; i++) ((lanes *)powers)[i] += (v[i] * v[i]) * weight;
}
