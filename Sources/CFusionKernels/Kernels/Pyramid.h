// SPDX-License-Identifier: MIT
// Pictures at half the size: what motion is looked for in.

// Pairs are read as one number each, and parted by shifts and masks, which costs less than gathering every other sample;
// which of the two comes first does not matter to their sum.

static void halve_bytes(const uint8_t *restrict upper, const uint8_t *restrict lower, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t a, b;
        memcpy(&a, upper + 2 * i, sizeof a);
        memcpy(&b, lower + 2 * i, sizeof b);
        out[i] = (uint16_t)(((a & 0xff) + (b & 0xff) + (a >> 8) + (b >> 8)) * 4);
    }
}

static void halve_words(
    const uint16_t *restrict upper, const uint16_t *restrict lower, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t a, b;
        memcpy(&a, upper + 2 * i, sizeof a);
        memcpy(&b, lower + 2 * i, sizeof b);
        // Two sums at once: samples of at most 14 bits do not carry from one to the other.
        uint32_t sums = a + b;
        out[i] = (uint16_t)(((sums & 0xffff) + (sums >> 16) + 2) >> 2);
    }
}
