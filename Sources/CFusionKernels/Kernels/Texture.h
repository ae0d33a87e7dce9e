// SPDX-License-Identifier: MIT
// Finds texture so fine that each of its coefficients is hidden by noise, but their sum is not.
//
// Coefficients that stand out of the noise are edges, and are found individually elsewhere. The mean power of the
// others is known if they are pure noise; anything beyond that is texture.

/// Powers of this many times the noise or more stand out.
#define TEXTURE_CUT 3.0f
/// The mean square of a standard normal variable, given that the square is below the cut.
#define TEXTURE_NOISE_ALONE 0.66366f

static void texture_sum(
    const float *restrict strip, size_t tiles, const float *restrict variance, const float *restrict spectra,
    const uint8_t *restrict spectrum, struct fusion_texture *restrict cells)
{
    const lanes *restrict column = (const lanes *)strip + 4;
    const lanes one = ALL(1);
    for (size_t tile = 0; tile < tiles; tile++, column += 8) {
        const float precision = 1.0f / (variance[tile] + DENOISE_LITTLE);
        const lanes *restrict whiten = (const lanes *)(spectra + 64 * (size_t)spectrum[tile]);
        lanes *restrict sum = (lanes *)cells[tile / 4].power, *restrict count = (lanes *)cells[tile / 4].count;
        lanes v[8];
        for (int i = 0; i < 8; i++) v[i] = column[i];
        cosine_forward(v);
        for (int i = 0; i < 8; i++) {
            const lanes power = (v[i] * v[i]) * (whiten[i] * precision);
            const whole_lanes low = power < TEXTURE_CUT;
            sum[i] += (lanes)((whole_lanes)power & low);
            count[i] += (lanes)((whole_lanes)one & low);
        }
    }
}

/// Sums over three rows of cells; the middle one counts twice.
INLINE void texture_column(
    const float *restrict above, const float *restrict here, const float *restrict below, float weight, lanes sums[8])
{
    for (int i = 0; i < 8; i++)
        sums[i] += (((const lanes *)above)[i] + ((const lanes *)here)[i] * 2.0f + ((const lanes *)below)[i]) * weight;
}

static void texture_floors(
    const struct fusion_texture *above, const struct fusion_texture *here, const struct fusion_texture *below,
    size_t cells, float *restrict floors)
{
    const lanes least = ALL(0), most = ALL(0.7f);
    for (size_t cell = 0; cell < cells; cell++, floors += 64) {
        const size_t columns[3] = {cell == 0 ? 0 : cell - 1, cell, cell + 1 < cells ? cell + 1 : cell};
        lanes power[8], count[8];
        for (int i = 0; i < 8; i++) power[i] = count[i] = ALL(0);
        for (int i = 0; i < 3; i++) {
            const size_t at = columns[i];
            const float weight = i == 1 ? 2.0f : 1.0f;
            texture_column(above[at].power, here[at].power, below[at].power, weight, power);
            texture_column(above[at].count, here[at].count, below[at].count, weight, count);
        }
        // The coefficient of the mean carries no detail, so it is left out.
        power[0][0] = count[0][0] = 0;
        denoise_gather_across(power);
        denoise_gather_across(count);
        for (int i = 0; i < 8; i++) {
            denoise_gather_down(&power[i]);
            denoise_gather_down(&count[i]);
            // An excess of up to a tenth may be an error of the noise's variance.
            lanes floor = (power[i] / (count[i] * TEXTURE_NOISE_ALONE + DENOISE_LITTLE) - 1.1f) * 2.5f;
            at_least(&floor, &least);
            at_most(&floor, &most);
            ((lanes *)floors)[i] = floor;
        }
    }
}
