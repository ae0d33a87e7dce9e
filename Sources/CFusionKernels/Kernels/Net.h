// SPDX-License-Identifier: MIT
// What nets take: rows of red, green and blue, from rows of quads or from the picture itself.

/// Three of the numbers are what a net takes of a color.
INLINE half_lanes net_colors(half_lanes quad, struct fusion_net_colors c)
{
    const half_lanes of_cb = {0, -0.344136f, 1.772f, 0}, of_cr = {1.402f, -0.714136f, 0, 0};
    const half_lanes white = {255, 255, 255, 255};
    const float y = (quad[0] - c.luma_offset) * c.luma_factor;
    const float cb = (quad[1] - 128) * c.chroma_factor, cr = (quad[2] - 128) * c.chroma_factor;
    half_lanes colors = (y + cb * of_cb) + cr * of_cr;
    colors = (half_lanes)((effect_half_words)colors & (colors > 0));
    const effect_half_words kept = colors < 255;
    colors = (half_lanes)(((effect_half_words)colors & kept) | ((effect_half_words)white & ~kept));
    return colors * c.scale + c.offset;
}

static void net_row(const struct fusion_net_row_parameters *row)
{
    const struct fusion_net_row_parameters r = *row;
    const float last = (float)(r.cells - 1);
    for (size_t i = 0; i < r.count; i++) {
        const float place = r.start + (float)(int32_t)i * r.step;
        const float least = place > 0 ? place : 0, held = least < last ? least : last;
        const int32_t at = (int32_t)held, next = at + (held < last);
        const half_lanes *upper = (const half_lanes *)r.upper, *lower = (const half_lanes *)r.lower;
        const half_lanes left = upper[at] + (lower[at] - upper[at]) * r.fraction;
        const half_lanes right = upper[next] + (lower[next] - upper[next]) * r.fraction;
        const half_lanes colors = net_colors(left + (right - left) * (held - (float)at), r.colors);
        float *out = r.out + (ptrdiff_t)i * r.sample_apart;
        for (int channel = 0; channel < 3; channel++) out[channel * r.channel_apart] = colors[channel];
    }
}

/// A place in a plane: the sample before it, how far the one after it is, and how far it is between them.
struct net_place {
    ptrdiff_t at;
    ptrdiff_t next;
    float part;
};

/// `place` in 65536ths, held within samples that are `apart`; `last`: the last one, in 65536ths, too.
INLINE struct net_place net_held(int32_t place, int32_t last, ptrdiff_t apart)
{
    const int32_t least = place > 0 ? place : 0, held = least < last ? least : last;
    return (struct net_place){
        .at = (held >> 16) * apart, .next = held < last ? apart : 0, .part = (float)(held & 65535) * (1.0f / 65536)};
}

static void net_turned_row(const struct fusion_net_turned_row_parameters *row)
{
    const struct fusion_net_turned_row_parameters r = *row;
    const int32_t last_x = (r.width - 1) << 16, last_y = (r.height - 1) << 16;
    const int32_t last_cx = (r.width / 2 - 1) << 16, last_cy = (r.height / 2 - 1) << 16;
    int32_t place_x = r.x, place_y = r.y;
    for (size_t i = 0; i < r.count; i++) {
        const struct net_place x = net_held(place_x, last_x, 1), y = net_held(place_y, last_y, r.stride);
        const struct net_place cx = net_held((place_x >> 1) - 16384, last_cx, 1);
        const struct net_place cy = net_held((place_y >> 1) - 16384, last_cy, r.chroma_stride);
        const uint8_t *luma = r.luma + (x.at + y.at), *cb = r.cb + (cx.at + cy.at), *cr = r.cr + (cx.at + cy.at);
        const uint8_t *luma_below = luma + y.next, *cb_below = cb + cy.next, *cr_below = cr + cy.next;
        const half_lanes across = {x.part, cx.part, cx.part, 0}, down = {y.part, cy.part, cy.part, 0};
        half_lanes left = {luma[0], cb[0], cr[0], 0}, right = {luma[x.next], cb[cx.next], cr[cx.next], 0};
        const half_lanes left_below = {luma_below[0], cb_below[0], cr_below[0], 0};
        const half_lanes right_below = {luma_below[x.next], cb_below[cx.next], cr_below[cx.next], 0};
        left += (left_below - left) * down;
        right += (right_below - right) * down;
        const half_lanes colors = net_colors(left + (right - left) * across, r.colors);
        for (int channel = 0; channel < 3; channel++) r.out[3 * i + channel] = colors[channel];
        if (i + 1 == r.count) break;
        place_x += r.step_x;
        place_y += r.step_y;
    }
}
