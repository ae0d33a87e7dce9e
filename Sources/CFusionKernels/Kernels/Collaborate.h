// SPDX-License-Identifier: MIT
// Denoises groups of similar patches together: what they have in common stands out of the noise, which they do not.
//
// A patch is cosine-transformed in both directions, and each coefficient is transformed along the group by sums and
// differences (Hadamard). Coefficients that are no larger than noise are removed, or only reduced where the
// neighbourhood has texture at that frequency. The expected noise is known exactly: patches that overlap, or are so
// close that the plane's noise is still correlated, share part of it. The covariance of patches i and j enters each
// sum or difference with the sign that belongs to i xor j.

/// Coefficients below this many standard deviations of their noise count as noise.
#define COLLABORATE_BAR 2.8f
/// The minimum noise expected of a coefficient, relative to that of patches with independent noise.
#define COLLABORATE_LEAST 0.02f

/// The weights of a patch's samples, which fade towards the edges: a Kaiser window with beta 2.
static const float collaborate_window[8] = {
    0.43867628f, 0.68132426f, 0.87683991f, 0.98582251f, 0.98582251f, 0.87683991f, 0.68132426f, 0.43867628f,
};

/// The reciprocal of the squared scale of the cosine transform at each frequency, relative to frequency 0.
static const float collaborate_unscaled[8] = {
    1.0f, 0.519783f, 0.585786f, 0.723231f, 1.0f, 1.619914f, 3.414214f, 13.137071f,
};

/// Sums and differences along the group, one vector of coefficients after the other: each nearly stays in registers.
INLINE void collaborate_along(lanes group[FUSION_GROUP8][8])
{
    for (int k = 0; k < 8; k++) {
        lanes v[FUSION_GROUP8];
        UNROLLED for (int i = 0; i < FUSION_GROUP8; i++) v[i] = group[i][k];
        UNROLLED for (int apart = 1; apart < FUSION_GROUP8; apart *= 2)
            UNROLLED for (int i = 0; i < FUSION_GROUP8; i++) {
                if (i & apart) continue;
                const lanes a = v[i], b = v[i + apart];
                v[i] = a + b;
                v[i + apart] = a - b;
            }
        UNROLLED for (int i = 0; i < FUSION_GROUP8; i++) group[i][k] = v[i];
    }
}

/// The variance of the noise in each sum or difference of each coefficient.
INLINE void collaborate_expect(
    const struct fusion_shift *restrict at, const float *restrict lags, float variance,
    lanes expected[FUSION_GROUP8][8])
{
    const lanes *restrict alone = (const lanes *)lags;
    // The result is doubled at the end, as each pair counts twice. The patches' own variances count once, so half of
    // their sum is put in here.
    for (int k = 0; k < 8; k++) expected[0][k] = alone[k] * (0.5f * FUSION_GROUP8);
    for (int apart = 1; apart < FUSION_GROUP8; apart++) {
        lanes sums[8];
        for (int k = 0; k < 8; k++) sums[k] = ALL(0);
        for (int i = 0; i < FUSION_GROUP8; i++) {
            const int j = i ^ apart;
            if (j < i) continue;
            int x = at[i].x - at[j].x, y = at[i].y - at[j].y;
            if (x < 0) x = -x;
            if (y < 0) y = -y;
            if (x >= FUSION_LAGS || y >= FUSION_LAGS) continue;
            const lanes *restrict shared = (const lanes *)(lags + 64 * (y * FUSION_LAGS + x));
            for (int k = 0; k < 8; k++) sums[k] += shared[k];
        }
        for (int k = 0; k < 8; k++) expected[apart][k] = sums[k];
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

static void collaborate(const struct fusion_group8_parameters *group8)
{
    const struct fusion_group8_parameters of = *group8;
    const ptrdiff_t stride = of.stride;
    struct fusion_shift at[FUSION_GROUP8];
    lanes group[FUSION_GROUP8][8], expected[FUSION_GROUP8][8];
    for (int i = 0; i < FUSION_GROUP8; i++) {
        at[i] = of.shifts[of.chosen[PATCH_RUN * i]];
        const float *from = of.plane + at[i].y * stride + at[i].x;
        for (int k = 0; k < 8; k++) group[i][k] = *(const lanes *)(from + k * stride);
        cosine_forward(group[i]);
        transpose(group[i]);
        cosine_forward(group[i]);
    }
    collaborate_along(group);
    collaborate_expect(at, of.lags, of.variance, expected);

    lanes left = ALL(0);
    const lanes mean = group[0][0];
    for (int k = 0; k < 8; k++) {
        const lanes floor = ((const lanes *)of.texture)[k];
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

    // The noise that remains in a patch, as a variance per sample. A little is added to limit the weights.
    const float noise = ((left[0] + left[4]) + (left[2] + left[6])) + ((left[1] + left[5]) + (left[3] + left[7]));
    const float trust = 1.0f / (noise * (1.0f / (64 * FUSION_GROUP8)) + 0.02f * of.variance);
    const float scale = trust * (1.0f / (64 * FUSION_GROUP8));
    const lanes across = *(const lanes *)collaborate_window;
    for (int i = 0; i < FUSION_GROUP8; i++) {
        cosine_inverse(group[i]);
        transpose(group[i]);
        cosine_inverse(group[i]);
        const ptrdiff_t to = at[i].y * stride + at[i].x;
        for (int k = 0; k < 8; k++) {
            const lanes window = across * collaborate_window[k];
            *(lanes *)(of.sum + to + k * stride) += group[i][k] * (window * scale);
            *(lanes *)(of.weight + to + k * stride) += window * trust;
        }
    }
}
