// SPDX-License-Identifier: MIT
// Pictures at half the size: what motion is looked for in.
//
// A sample is a mean over 4x4, the middle ones three times: coarser means would make edges look different wherever they
// fall between samples, and that look like motion.

// Pairs are read as one number each, and parted by shifts and masks, which costs less than gathering every other
// sample.

/// The four bytes around the middle of a pair, weighted 1 3 3 1: at most 2040.
INLINE uint16_t across_bytes(const uint8_t *row)
{
    uint16_t left, right;
    memcpy(&left, row - 1, sizeof left);
    memcpy(&right, row + 1, sizeof right);
    uint16_t outer = (uint16_t)((left & 0xff) + (right >> 8)), inner = (uint16_t)((left >> 8) + (right & 0xff));
    return (uint16_t)(outer + 3 * inner);
}

static void halve_bytes(const uint8_t *restrict rows, ptrdiff_t stride, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = rows + 2 * i;
        uint16_t outer = (uint16_t)(across_bytes(at - stride) + across_bytes(at + 2 * stride));
        uint16_t inner = (uint16_t)(across_bytes(at) + across_bytes(at + stride));
        out[i] = (uint16_t)((uint16_t)(outer + 3 * inner + 2) >> 2);
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
