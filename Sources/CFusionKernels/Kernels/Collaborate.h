// SPDX-License-Identifier: MIT
// Denoises groups of like patches together: what they share stands out of the noise that they do not share.
//
// A patch's samples are cosine-transformed both ways, and each coefficient along the group by sums and differences
// (Hadamard). Whatever is no more than noise is taken out, or turned down where the neighbourhood has texture there.
// How much noise to expect is known exactly: patches that overlap, or lie so near that the plane's noise still
// correlates, share some of it. For the sums and differences, the covariance of patches i and j counts with the sign
// that belongs to the exclusive or of i and j.

/// Coefficients below this many standard deviations of their noise are taken for noise.
#define COLLABORATE_BAR 2.8f
/// The least noise expected of a coefficient, relative to what it would be in patches that share no noise.
#define COLLABORATE_LEAST 0.02f

/// Where patches fade out: a Kaiser window with beta 2.
static const float collaborate_window[8] = {
    0.43867628f, 0.68132426f, 0.87683991f, 0.98582251f, 0.98582251f, 0.87683991f, 0.68132426f, 0.43867628f,
};

/// The squared scale of the cosine transform by frequency, relative to frequency 0, turned upside down.
static const float collaborate_unscaled[8] = {
    1.0f, 0.519783f, 0.585786f, 0.723231f, 1.0f, 1.619914f, 3.414214f, 13.137071f,
};

/// Sums and differences along the group.
INLINE void collaborate_along(lanes group[FUSION_GROUP8][8])
{
    for (int apart = 1; apart < FUSION_GROUP8; apart *= 2)
        for (int i = 0; i < FUSION_GROUP8; i += 2 * apart)
            for (int j = i; j < i + apart; j++)
                for (int k = 0; k < 8; k++) {
                    const lanes a = group[j][k], b = group[j + apart][k];
                    group[j][k] = a + b;
                    group[j + apart][k] = a - b;
                }
}

/// The noise's variance in each sum or difference of each coefficient.
INLINE void collaborate_expect(
    const struct fusion_shift *restrict at, const float *restrict lags, float variance,
    lanes expected[FUSION_GROUP8][8])
{
    const lanes *restrict alone = (const lanes *)lags;
    for (int i = 0; i < FUSION_GROUP8; i++)
        for (int k = 0; k < 8; k++) expected[i][k] = ALL(0);
    // Each pair counts twice, and twice half the sum of all patches alone is what they have without any pair.
    for (int k = 0; k < 8; k++) expected[0][k] = alone[k] * (0.5f * FUSION_GROUP8);
    for (int i = 0; i < FUSION_GROUP8; i++)
        for (int j = i + 1; j < FUSION_GROUP8; j++) {
            int x = at[i].x - at[j].x, y = at[i].y - at[j].y;
            if (x < 0) x = -x;
            if (y < 0) y = -y;
            if (x >= FUSION_LAGS || y >= FUSION_LAGS) continue;
            const lanes *restrict shared = (const lanes *)(lags + 64 * (y * FUSION_LAGS + x));
            for (int k = 0; k < 8; k++) expected[i ^ j][k] += shared[k];
        }
    collaborate_along(expected);
    for (int k = 0; k < 8; k++) {
        const lanes least = alone[k] * (COLLABORATE_LEAST * FUSION_GROUP8 * variance);
        for (int i = 0; i < FUSION_GROUP8; i++) {
            expected[i][k] *= 2.0f * variance;
            at_least(&expected[i][k], &least);
        }
    }
}

static void collaborate(
    const float *restrict plane, ptrdiff_t stride, const struct fusion_shift *restrict shifts,
    const uint16_t *restrict chosen, const float *restrict lags, const float *restrict texture, float variance,
    float *restrict sum, float *restrict weight)
{
    struct fusion_shift at[FUSION_GROUP8];
    lanes group[FUSION_GROUP8][8], expected[FUSION_GROUP8][8];
    for (int i = 0; i < FUSION_GROUP8; i++) {
        at[i] = shifts[chosen[PATCH_RUN * i]];
        const float *from = plane + at[i].y * stride + at[i].x;
        for (int k = 0; k < 8; k++) group[i][k] = *(const lanes *)(from + k * stride);
        cosine_forward(group[i]);
        transpose(group[i]);
        cosine_forward(group[i]);
    }
    collaborate_along(group);
    collaborate_expect(at, lags, variance, expected);

    lanes left = ALL(0);
    const lanes mean = group[0][0];
    for (int k = 0; k < 8; k++) {
        const lanes floor = ((const lanes *)texture)[k];
        lanes column = ALL(0);
        for (int i = 0; i < FUSION_GROUP8; i++) {
            const lanes c = group[i][k], noise = expected[i][k];
            const whole_lanes kept = c * c > noise * (COLLABORATE_BAR * COLLABORATE_BAR);
            const lanes full = ALL(1);
            const lanes gain = (lanes)(((whole_lanes)full & kept) | ((whole_lanes)floor & ~kept));
            group[i][k] = c * gain;
            column += noise * (gain * gain);
        }
        left += column * (*(const lanes *)collaborate_unscaled * collaborate_unscaled[k]);
    }
    group[0][0][0] = mean[0];
    collaborate_along(group);

    // The noise that is left in a patch, in variances of a sample; a little is added, which bounds the weights.
    const float noise = ((left[0] + left[4]) + (left[2] + left[6])) + ((left[1] + left[5]) + (left[3] + left[7]));
    const float trust = 1.0f / (noise * (1.0f / (64 * FUSION_GROUP8)) + 0.02f * variance);
    const float scale = trust * (1.0f / (64 * FUSION_GROUP8));
    const lanes across = *(const lanes *)collaborate_window;
    for (int i = 0; i < FUSION_GROUP8; i++) {
        cosine_inverse(group[i]);
        transpose(group[i]);
        cosine_inverse(group[i]);
        const ptrdiff_t to = at[i].y * stride + at[i].x;
        for (int k = 0; k < 8; k++) {
            const lanes window = across * collaborate_window[k];
            *(lanes *)(sum + to + k * stride) += group[i][k] * (window * scale);
            *(lanes *)(weight + to + k * stride) += window * trust;
        }
    }
}
