// SPDX-License-Identifier: MIT
// How strongly to denoise: looked up in what a neighbourhood has beyond its noise.

/// The mean of a squared normal number, those above 4 taken as 4.
#define GAIN_NOISE_ALONE 0.93f

static void denoise_gains(
    const struct fusion_activity *restrict above, const struct fusion_activity *restrict here,
    const struct fusion_activity *restrict below, size_t cells, struct fusion_gain *restrict gains)
{
    // A coefficient is cut by threshold / power, power being relative to the noise, but never below the floor. Both
    // were fitted to what would have been right on pictures with known noise, as functions of the neighbourhood's power
    // alone.
    const lanes lowest = ALL(0.5f), highest_bar = ALL(3.5f), lowest_floor = ALL(0.02f), highest_floor = ALL(0.7f);
    // The mean brightness is no detail and has no part in this.
    lanes weights[8];
    for (int i = 0; i < 8; i++) weights[i] = ALL(1);
    weights[0][0] = 0;
    denoise_gather_across(weights);
    for (int i = 0; i < 8; i++) denoise_gather_down(&weights[i]);

    for (size_t cell = 0; cell < cells; cell++) {
        const size_t columns[3] = {cell == 0 ? 0 : cell - 1, cell, cell + 1 < cells ? cell + 1 : cell};
        lanes excess[8];
        float count = DENOISE_LITTLE;
        for (int i = 0; i < 8; i++) excess[i] = ALL(0);
        for (int i = 0; i < 3; i++) {
            const float weight = i == 1 ? 2.0f : 1.0f;
            const struct fusion_activity *a = above + columns[i], *h = here + columns[i], *b = below + columns[i];
            for (int j = 0; j < 8; j++)
                excess[j] +=
                    (((const lanes *)a->power)[j] + ((const lanes *)h->power)[j] * 2.0f +
                     ((const lanes *)b->power)[j]) *
                    weight;
            count += (a->count + h->count * 2.0f + b->count) * weight;
        }
        const float scale = 1.0f / (GAIN_NOISE_ALONE * count);
        excess[0][0] = 0;
        denoise_gather_across(excess);
        lanes *restrict threshold = (lanes *)gains[cell].threshold, *restrict floor = (lanes *)gains[cell].floor;
        for (int i = 0; i < 8; i++) {
            denoise_gather_down(&excess[i]);
            lanes ratio = excess[i] * scale / weights[i];
            at_least(&ratio, &lowest);
            lanes bar = 3.6f / (ratio * ratio), least = (ratio - 1.0f) * 0.5f;
            at_most(&bar, &highest_bar);
            at_least(&least, &lowest_floor);
            at_most(&least, &highest_floor);
            threshold[i] = bar * weights[i];
            floor[i] = least;
        }
        threshold[0][0] = 0;
        floor[0][0] = 1;
    }
}
