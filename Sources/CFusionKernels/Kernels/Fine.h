// SPDX-License-Identifier: MIT
// Unpacks samples of more than 8 bits, and R'G'B', to rows in Q6, and compares such rows after motion. Plain loops that
// compilers vectorise: few cameras send these formats.

INLINE int16_t fine_held(int32_t value)
{
    value = value < 0 ? 0 : value;
    return (int16_t)(value > 16383 ? 16383 : value);
}

static void unpack_words(
    const uint8_t *restrict packed, size_t step, size_t count, const struct fusion_words *restrict how,
    int16_t *restrict out)
{
    typedef uint16_t word __attribute__((aligned(1), may_alias));
    const word *words = (const word *)packed;
    const uint32_t shift = how->shift, mask = how->mask;
    const int32_t factor = how->factor, offset = how->offset;
    if (step == 1) {
        for (size_t i = 0; i < count; i++)
            out[i] = fine_held(((int32_t)((uint32_t)words[i] >> shift & mask) * factor + offset) >> 16);
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = fine_held(((int32_t)((uint32_t)words[step * i] >> shift & mask) * factor + offset) >> 16);
}

INLINE int16_t fine_mix(const int32_t *factors, int32_t first, int32_t second, int32_t third)
{
    return fine_held((factors[0] * first + factors[1] * second + factors[2] * third + factors[3]) >> 16);
}

static void unpack_pixels(
    const uint8_t *restrict pixels, size_t width, const struct fusion_pixels *restrict how, int16_t *restrict luma,
    int16_t *restrict cb, int16_t *restrict cr)
{
    for (size_t i = 0; i < width; i++)
        luma[i] = fine_mix(how->luma, pixels[3 * i], pixels[3 * i + 1], pixels[3 * i + 2]);
    for (size_t i = 0; 2 * i < width; i++) {
        const uint8_t *left = pixels + 6 * i, *right = 2 * i + 1 < width ? left + 3 : left;
        const int32_t first = left[0] + right[0], second = left[1] + right[1], third = left[2] + right[2];
        cb[i] = fine_mix(how->cb, first, second, third);
        cr[i] = fine_mix(how->cr, first, second, third);
    }
}

static void round_codes(const int16_t *restrict fine, size_t count, uint8_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const int16_t code = (int16_t)((fine[i] + 32) >> 6);
        out[i] = (uint8_t)(code > 255 ? 255 : code);
    }
}

static void warp_fine_differences(
    const int16_t *reference, const int16_t *src, ptrdiff_t stride, size_t cells, size_t rows,
    const int16_t *restrict motion, int16_t *restrict out, ptrdiff_t out_stride)
{
    for (size_t cell = 0; cell < cells; cell++, reference += 8, src += 8, motion += 2, out += 8) {
        const int8_t *across = warp_taps[motion[0] & 7], *down = warp_taps[motion[1] & 7];
        const int16_t *from = src + ((motion[1] >> 3) - 1) * stride + (motion[0] >> 3);
        // Q12 after the filter across, Q18 after the one down: nothing is rounded in between, and all fits 32 bits.
        int32_t between[8 + 3][8];
        for (size_t y = 0; y < rows + 3; y++, from += stride)
            for (int x = 0; x < 8; x++)
                between[y][x] = from[x - 1] * across[0] + from[x] * across[1] + from[x + 1] * across[2] +
                    from[x + 2] * across[3];
        for (size_t y = 0; y < rows; y++)
            for (int x = 0; x < 8; x++) {
                const int32_t moved = between[y][x] * down[0] + between[y + 1][x] * down[1] +
                    between[y + 2][x] * down[2] + between[y + 3][x] * down[3];
                const int32_t own = reference[(ptrdiff_t)y * stride + x] * 4096;
                out[(ptrdiff_t)y * out_stride + x] = (int16_t)((moved - own + 4096) >> 13);
            }
    }
}
