// SPDX-License-Identifier: MIT
// Sums over small squares.

static void sum_eights(
    const uint16_t *restrict row, ptrdiff_t stride, size_t rows, size_t cells, uint32_t *restrict sums)
{
    typedef uint32_t pairs __attribute__((vector_size(16)));
    for (size_t cell = 0; cell < cells; cell++, row += 8) {
        pairs sum = {0};
        for (size_t y = 0; y < rows; y++) {
            pairs eight;
            memcpy(&eight, row + (ptrdiff_t)y * stride, sizeof eight);
            sum += (eight & 0xffff) + (eight >> 16);
        }
        sums[cell] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
}

static void compare_squares(
    const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int32_t *restrict out)
{
    tile_sums squares = {0};
    tile_row differences = {0};
    for (int y = 0; y < 16; y++, a += a_stride, b += b_stride) {
        for (int x = 0; x < 16; x += 8) {
            const tile_row d = load_tile_bytes(a + x) - load_tile_bytes(b + x);
            differences += d;
            squares += products(d, d);
        }
    }
    out[0] = sum_of_row(differences);
    out[1] = sum_of(squares);
}

static uint32_t row_distance(const uint16_t *restrict a, const uint16_t *restrict b, size_t count, int lift)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        int16_t d = (int16_t)((int16_t)(a[i] - b[i]) - (int16_t)lift);
        sum += (uint32_t)(uint16_t)(d < 0 ? -d : d);
    }
    return sum;
}
