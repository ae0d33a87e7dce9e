// SPDX-License-Identifier: MIT
// Packed samples to planes.

static void split_packed422(
    const uint8_t *restrict packed, size_t first_luma, size_t pairs, uint8_t *restrict luma, uint8_t *restrict a,
    uint8_t *restrict b)
{
    const uint8_t *restrict chroma = packed + 1 - first_luma;
    const uint8_t *restrict bright = packed + first_luma;
    for (size_t i = 0; i < pairs; i++) {
        luma[2 * i] = bright[4 * i];
        luma[2 * i + 1] = bright[4 * i + 2];
        a[i] = chroma[4 * i];
        b[i] = chroma[4 * i + 2];
    }
}

static void split_pairs(const uint8_t *restrict packed, size_t count, uint8_t *restrict a, uint8_t *restrict b)
{
    for (size_t i = 0; i < count; i++) {
        a[i] = packed[2 * i];
        b[i] = packed[2 * i + 1];
    }
}
