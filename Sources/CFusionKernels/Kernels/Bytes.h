// SPDX-License-Identifier: MIT
// Converts rows of a still to bytes, for encoders that accept only 8 bits.

static void byte_row(
    const uint16_t *restrict row, size_t count, int32_t zero, int32_t factor, int32_t target, uint8_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t level = (((int32_t)row[i] - zero) * factor + target) >> 20;
        const int32_t least = level > 0 ? level : 0;
        out[i] = (uint8_t)(least < 255 ? least : 255);
    }
}
