// SPDX-License-Identifier: MIT
// Sums over small squares.

static void compare_squares(
    const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int32_t *restrict out)
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    pair_sums squares = {0};
    row_pair differences = {0};
    for (int y = 0; y < 16; y++, a += a_stride, b += b_stride) {
        bytes ours, theirs;
        memcpy(&ours, a, sizeof ours);
        memcpy(&theirs, b, sizeof theirs);
        const row_pair d = __builtin_convertvector(ours, row_pair) - __builtin_convertvector(theirs, row_pair);
        differences += d;
        add_products(&d, &d, &squares);
    }
    pair_sums plain = {0};
    const row_pair ones = (row_pair){0} + 1;
    add_products(&differences, &ones, &plain);
    out[0] = sum_of(halves_added(&plain));
    out[1] = sum_of(halves_added(&squares));
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
