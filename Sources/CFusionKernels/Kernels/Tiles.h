// SPDX-License-Identifier: MIT
// What tiles of 8x8 samples look like: their brightness, their spread, their spectrum.

static void tile_moments(
    const uint8_t *restrict rows, size_t stride, size_t tiles, uint16_t *restrict sums, uint32_t *restrict squares)
{
    for (size_t tile = 0; tile < tiles; tile++) {
        ushort_lanes sum = {0};
        whole_lanes square = {0};
        for (size_t y = 0; y < 8; y++) {
            const byte_lanes bytes = *(const byte_lanes *)(rows + y * stride + 8 * tile);
            const ushort_lanes samples = __builtin_convertvector(bytes, ushort_lanes);
            sum += samples;
            square += __builtin_convertvector(samples * samples, whole_lanes);
        }
        unsigned total = 0, of_squares = 0;
        for (int x = 0; x < 8; x++) {
            total += sum[x];
            of_squares += (unsigned)square[x];
        }
        sums[tile] = (uint16_t)total;
        squares[tile] = of_squares;
    }
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
