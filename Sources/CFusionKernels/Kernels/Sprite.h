// SPDX-License-Identifier: MIT
// Sprites, turned and scaled, over rows of the picture: eight samples at a time. Numbers and alphas lie side by side in
// lanes of 16 bits, and are weighed together.

typedef uint8_t sprite_bytes __attribute__((vector_size(8), aligned(1), may_alias));
typedef uint64_t sprite_pair __attribute__((aligned(4), may_alias));
typedef uint64_t sprite_pairs __attribute__((vector_size(32)));

/// The same number in both halves of a lane.
#define SPRITE_BOTH(number) ((ushorts)((number) | (number) << 16))

/// Between two numbers, `share` 256ths of the way.
INLINE ushorts sprite_between(ushorts a, ushorts b, ushorts share)
{
    return (a * (256 - share) + b * share + 128) >> 8;
}

/// Between left and right ones of eight pairs of samples, `row` after the places.
INLINE ushorts sprite_across(const uint32_t *row, words places, ushorts share)
{
#define SPRITE_PAIR(place) (*(const sprite_pair *)(row + places[place]))
    const words a = (words)(sprite_pairs){SPRITE_PAIR(0), SPRITE_PAIR(1), SPRITE_PAIR(4), SPRITE_PAIR(5)};
    const words b = (words)(sprite_pairs){SPRITE_PAIR(2), SPRITE_PAIR(3), SPRITE_PAIR(6), SPRITE_PAIR(7)};
#undef SPRITE_PAIR
    const words left = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    const words right = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
    return sprite_between((ushorts)left, (ushorts)right, share);
}

/// Draws eight samples; `x` and `y`: where they are. `opacity` may be 0 for some: those do not change.
INLINE void draw_sprite_eight(
    const struct fusion_sprite_row_parameters *row, words x, words y, words opacity, const uint8_t *mask, uint8_t *out)
{
    const words places = (y >> 16) * (uint32_t)row->stride + (x >> 16);
    const words right = x >> 8 & 255, lower = y >> 8 & 255;
    const ushorts upper_row = sprite_across(row->samples, places, SPRITE_BOTH(right));
    const ushorts lower_row = sprite_across(row->samples + row->stride, places, SPRITE_BOTH(right));
    ushorts lanes = sprite_between(upper_row, lower_row, SPRITE_BOTH(lower));
    const words hidden = __builtin_convertvector(*(const sprite_bytes *)mask, words);
    const words share = (opacity * (256 - hidden - (hidden >> 7))) >> 8;
    lanes = (lanes * SPRITE_BOTH(share) + 128) >> 8;
    const words number = (words)lanes & 0xFFFF, clear = 255 - ((words)lanes >> 16);
    const words back = __builtin_convertvector(*(const sprite_bytes *)out, words);
    // Neither has more than 16 bits, nor has their product.
    const ushorts sum = (ushorts)back * (ushorts)clear + 128;
    const ushorts all = (ushorts)number + LIGHT_SHARE(sum);
    const words held = (words)__builtin_elementwise_min((shorts)all, SHORTS(255)) & 0xFFFF;
    *(sprite_bytes *)out = __builtin_convertvector(held, sprite_bytes);
}

static void draw_sprite(const struct fusion_sprite_row_parameters *row)
{
    const words steps = {0, 1, 2, 3, 4, 5, 6, 7}, opacity = (words){0} + (uint32_t)row->opacity;
    words x = (uint32_t)row->x + (uint32_t)row->step_x * steps, y = (uint32_t)row->y + (uint32_t)row->step_y * steps;
    // Those that do not fill a vector come first.
    const uint32_t few = row->count % 8;
    const words alone = (words)(steps < few);
    if (row->count >= 8) {
        if (few > 0) draw_sprite_eight(row, x, y, opacity & alone, row->mask, row->out);
    } else {
        // Beyond the last one, where there may be no sample, the first is repeated.
        const words first_x = (words){0} + (uint32_t)row->x, first_y = (words){0} + (uint32_t)row->y;
        uint8_t rest[2][8] = {{0}};
        memcpy(rest[0], row->mask, few);
        memcpy(rest[1], row->out, few);
        draw_sprite_eight(
            row, (x & alone) | (first_x & ~alone), (y & alone) | (first_y & ~alone), opacity, rest[0], rest[1]);
        memcpy(row->out, rest[1], few);
        return;
    }
    x += few * (uint32_t)row->step_x;
    y += few * (uint32_t)row->step_y;
    for (size_t i = few; i < row->count; i += 8) {
        draw_sprite_eight(row, x, y, opacity, row->mask + i, row->out + i);
        x += 8 * (uint32_t)row->step_x;
        y += 8 * (uint32_t)row->step_y;
    }
}
