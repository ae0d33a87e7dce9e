// SPDX-License-Identifier: MIT
// The part of KernelList.h for portrait blur and light. Like that, it has no guard.

// Portrait blur, and light. A quad is four floats. Maps are rows of quads at a quarter of the picture's width and
// height: each belongs to a cell of 4x4 luma samples. Floats are added and multiplied in the order that is written.
// Between an upper and a lower number `fraction` of the way down is `upper + (lower - upper) * fraction`; across, the
// same of the left and the right one, after that. Places are held within the row.
FAMILY(effects)

/// The means of `count` cells of 4x4 luma and 2x2 chroma samples, as quads: Y', Cb, Cr and 0.
KERNEL(void, gather_quads,
    const uint8_t *luma, ptrdiff_t stride, const uint8_t *cb, const uint8_t *cr, ptrdiff_t chroma_stride, size_t count,
    float *quads)

/// The means of `2 * radius + 1` quads around each; those beyond the row are the first or the last. The sum begins as
/// the first, times `radius + 1`, plus the `radius` next ones in their order. A mean is `sum * (1 / (2 * radius + 1))`;
/// then `sum += entering - leaving`.
KERNEL(void, box_across, const float *row, size_t count, size_t radius, float *out)

/// The same down columns, one row of `count` numbers at a time: `out[i] = sum[i] * scale`, then
/// `sum[i] += entering[i] - leaving[i]`.
KERNEL(void, box_down,
    const float *entering, const float *leaving, size_t count, float scale, float *sum, float *out)

/// What a guided filter averages: quads Y', m, Y' * m and Y' * Y' of the picture's quads and a number m for each.
KERNEL(void, guide_products, const float *picture, const float *matte, size_t count, float *out)

/// Lines of m over Y' from these averages: `a = (Ym - Y * m) / ((YY - Y * Y) + floor)` and `b = m - a * Y`, as quads
/// a, b, 0 and 0.
KERNEL(void, guide_lines, const float *means, size_t count, float floor, float *out)

/// Weighs quads by how far they are behind: `k = 1 - (a * Y + b)`, where the line's value is held within 0...1, and
/// `w = k * k + 0.001`; the quads are w, Y' * w, Cb * w and Cr * w.
KERNEL(void, weigh_behind, const float *picture, const float *lines, size_t count, float *out)

/// The weighted means again: the second, third and fourth numbers of each quad divided by the first, and 0.
KERNEL(void, divide_behind, const float *sums, size_t count, float *out)

/// The alpha of a row of luma samples: lines a and b lie between two rows of `cells` quads, and are enlarged by 4
/// across. Sample x is at `(x + 0.5) / 4 - 0.5`. `k = a * Y' + b` is held within 0...1, then made smooth,
/// `k = k * k * (3 - 2 * k)`, and `k * 255 + 0.5` is rounded down.
KERNEL(void, matte_row,
    const uint8_t *luma, const float *upper, const float *lower, float fraction, size_t cells, size_t count,
    uint8_t *out)

/// Number `lane` (0 to 3) of quads between two rows, enlarged by `step` (4 or 2) across. Sample x is at
/// `(x + 0.5) / step - 0.5`. Held within 0...255 and rounded, halves up.
KERNEL(void, enlarge_row,
    const float *upper, const float *lower, size_t lane, float fraction, size_t step, size_t cells, size_t count,
    uint8_t *out)

/// Steadies a matte that flickers: `kept += min(1, 0.25 + 2 * d * d) * d`, where `d = fresh - kept`.
KERNEL(void, steady_matte, const float *fresh, size_t count, float *kept)

/// Numbers between two rows of `width` ones (at most 32768), `step` apart, the first one at `start`, both in 65536ths.
/// All places must fit 32 bits.
KERNEL(void, enlarge_matte,
    const float *upper, const float *lower, float fraction, size_t width, int32_t start, int32_t step, size_t count,
    float *out)

/// A row of a net's input: quads at `start + i * step` between two rows. `y = (Y' - luma_offset) * luma_factor`,
/// `cb = (Cb - 128) * chroma_factor`, and so cr; `red = y + 1.402 * cr`, `green = y - 0.344136 * cb - 0.714136 * cr`,
/// `blue = y + 1.772 * cb`, each held within 0...255, times `scale`, plus `offset`.
KERNEL(void, net_row, const struct fusion_net_row_parameters *row)

/// The same of samples at `x + i * step_x` and `y + i * step_y` in planes of 4:2:0. A sample of chroma is in the middle
/// of four of luma: its place is half that of luma, rounded down, less 16384. Places are held within each plane, and
/// samples are between four, as in maps of quads.
KERNEL(void, net_turned_row, const struct fusion_net_turned_row_parameters *row)

/// `front` over `back`: `t = front * alpha + back * (255 - alpha) + 128`, and `out = (t + (t >> 8)) >> 8`, which
/// divides by 255 and rounds. `out` may be `front` or `back`.
KERNEL(void, blend_bytes,
    const uint8_t *front, const uint8_t *back, const uint8_t *alpha, size_t count, uint8_t *out)

/// A row of a turned and scaled sprite over `out`. Sample i is at `(x + i * step_x, y + i * step_y)` in the sprite, in
/// 65536ths of its samples. Of the fractions of a place the upper 8 bits count: at f 256ths between two numbers, or
/// alphas, is `(a * (256 - f) + b * f + 128) >> 8`, first across, then down. They are multiplied by a share,
/// `(opacity * (256 - m - (m >> 7))) >> 8`, where m is the mask's: `(a * share + 128) >> 8`. The number, already
/// multiplied by its alpha, then goes over `out`: `number + out * (255 - alpha) / 255`, the product divided as by
/// `blend_bytes`, and the sum held to 255. The 2x2 samples at each place must be there.
KERNEL(void, draw_sprite, const struct fusion_sprite_row_parameters *row)

/// `count` means of 2x2 bytes, two from each of two rows, rounded, halves up.
KERNEL(void, pair_alphas, const uint8_t *upper, const uint8_t *lower, size_t count, uint8_t *out)

/// Makes luma lighter or darker by `d = light - 128`. Y is `luma - black`, held within 0...span, where
/// `span = white - black` is 219 or 255. What is added is `d * Y / 128`, rounded, halves up, where d is negative. Else
/// it is `d * Y * (span - Y) / (128 * span)`, which keeps white, too: a `curve = 2 * Y * (span - Y) * unit / 32768`,
/// where `unit = 2^22 / span`, times `d / 32768`, each rounded, halves up. Whatever is beyond black or white changes as
/// much as that does. `out` may be `luma`.
KERNEL(void, light_luma,
    const uint8_t *luma, const uint8_t *light, size_t count, int black, int white, uint8_t *out)

/// Scales chroma about 128 as `light_luma` scales luma: by `1 + d / 128`, or `1 + d * (span - Y) / (128 * span)`, where
/// Y is that of the mean of 2x2 samples of luma before it was lit, rounded, halves up. There is a light for each sample
/// of chroma. The positive share is `d * (span - Y) * unit / 32768`, in 16384ths; it and its product with
/// `chroma - 128` are rounded, halves up, and the result is held within 0...255. `out` may be `chroma`.
KERNEL(void, light_chroma,
    const uint8_t *chroma, const uint8_t *upper, const uint8_t *lower, const uint8_t *light, size_t count, int black,
    int white, uint8_t *out)

FAMILY_END(effects)
