// SPDX-License-Identifier: MIT
// Denoises groups of similar patches by their statistics in a pilot: a Wiener filter with the group's own covariance.
//
// The pilot's patches give the mean, and the covariance C of what the patches show. With N, the covariance of the
// noise, the best linear estimate of a patch y is y - N (C + N)^-1 (y - mean). C + N is factored into L D L', in
// vectors of eight columns. The result is as reliable as N is positive definite; an estimate that noise cannot
// explain is replaced with the pilot.

/// The largest distance of an estimated sample from the pilot, in standard deviations of the noise.
#define BAYES_FARTHEST 16.0f

/// The share of the pilot's variances and covariances that counts as the picture's. The rest is what the pilot itself
/// has left of the noise.
#define BAYES_TRUST 0.75f

#define BAYES_SAMPLES 16
/// Vectors per patch, and per group.
#define BAYES_VECTORS (BAYES_SAMPLES / 8)
#define BAYES_MEMBERS (FUSION_GROUP4 / 8)

typedef lanes bayes_patches[FUSION_GROUP4][BAYES_VECTORS];
typedef lanes bayes_matrix[BAYES_SAMPLES][BAYES_VECTORS];
/// Indexed by sample, then by member of the group.
typedef lanes bayes_columns[BAYES_SAMPLES][BAYES_MEMBERS];

INLINE void bayes_load(const float *restrict from, ptrdiff_t stride, lanes patch[BAYES_VECTORS])
{
    for (int v = 0; v < BAYES_VECTORS; v++) {
        const half_lanes upper = *(const half_lanes *)(from + 2 * v * stride);
        const half_lanes lower = *(const half_lanes *)(from + (2 * v + 1) * stride);
        patch[v] = __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7);
    }
}

/// C + N of a group whose mean has been subtracted. Only the part right of the diagonal, in whole vectors starting
/// with the one that contains the diagonal.
INLINE void bayes_covariance(bayes_patches pilot, const float *restrict covariance, float variance, bayes_matrix out)
{
    for (int vector = 0; vector < BAYES_VECTORS; vector++)
        for (int row = 0; row < 8 * vector + 8; row += 8) {
            lanes sums[8];
            for (int i = 0; i < 8; i++) sums[i] = ALL(0);
            for (int j = 0; j < FUSION_GROUP4; j++) {
                const float *member = (const float *)pilot[j] + row;
                for (int i = 0; i < 8; i++) sums[i] += pilot[j][vector] * member[i];
            }
            for (int i = 0; i < 8; i++)
                out[row + i][vector] = sums[i] * (BAYES_TRUST / (FUSION_GROUP4 - 1)) +
                    ((const lanes *)covariance)[(row + i) * BAYES_VECTORS + vector] * variance;
        }
}

/// Factors `a` into L D L': `a` becomes L', and `reciprocal` the reciprocals of D.
INLINE void bayes_factor(bayes_matrix a, float least, float reciprocal[BAYES_SAMPLES])
{
    for (int k = 0; k < BAYES_SAMPLES; k++) {
        const float pivot = ((const float *)a[k])[k];
        reciprocal[k] = 1.0f / (pivot > least ? pivot : least);
        lanes factors[BAYES_VECTORS];
        for (int v = k / 8; v < BAYES_VECTORS; v++) factors[v] = a[k][v] * reciprocal[k];
        for (int i = k + 1; i < BAYES_SAMPLES; i++) {
            const float factor = ((const float *)factors)[i];
            for (int v = i / 8; v < BAYES_VECTORS; v++) a[i][v] -= a[k][v] * factor;
        }
        for (int v = k / 8; v < BAYES_VECTORS; v++) a[k][v] = factors[v];
    }
}

/// Replaces x with (L D L')^-1 x. Two rows at a time, so that more sums are under way at once.
INLINE void bayes_solve(bayes_matrix a, const float reciprocal[BAYES_SAMPLES], bayes_columns x)
{
    for (int i = 0; i < BAYES_SAMPLES; i += 2) {
        lanes row[2][BAYES_MEMBERS];
        for (int m = 0; m < BAYES_MEMBERS; m++) row[0][m] = x[i][m], row[1][m] = x[i + 1][m];
        for (int k = 0; k < i; k++)
            for (int m = 0; m < BAYES_MEMBERS; m++) {
                row[0][m] -= x[k][m] * ((const float *)a[k])[i];
                row[1][m] -= x[k][m] * ((const float *)a[k])[i + 1];
            }
        for (int m = 0; m < BAYES_MEMBERS; m++) {
            x[i][m] = row[0][m];
            x[i + 1][m] = row[1][m] - row[0][m] * ((const float *)a[i])[i + 1];
        }
    }
    for (int i = BAYES_SAMPLES - 2; i >= 0; i -= 2) {
        lanes row[2][BAYES_MEMBERS];
        for (int m = 0; m < BAYES_MEMBERS; m++)
            row[0][m] = x[i][m] * reciprocal[i], row[1][m] = x[i + 1][m] * reciprocal[i + 1];
        for (int k = BAYES_SAMPLES - 1; k > i + 1; k--)
            for (int m = 0; m < BAYES_MEMBERS; m++) {
                row[0][m] -= x[k][m] * ((const float *)a[i])[k];
                row[1][m] -= x[k][m] * ((const float *)a[i + 1])[k];
            }
        for (int m = 0; m < BAYES_MEMBERS; m++) {
            x[i + 1][m] = row[1][m];
            x[i][m] = row[0][m] - row[1][m] * ((const float *)a[i])[i + 1];
        }
    }
}

/// Replaces a patch with its pilot if the squared difference of any sample exceeds `squared_bound` or is NaN.
INLINE void bayes_limit(lanes patch[BAYES_VECTORS], const lanes pilot[BAYES_VECTORS], float squared_bound)
{
    whole_lanes near = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int v = 0; v < BAYES_VECTORS; v++) {
        const lanes distance = patch[v] - pilot[v];
        near &= distance * distance <= squared_bound;
    }
    int all = -1;
    for (int i = 0; i < 8; i++) all &= near[i];
    if (all) return;
    for (int v = 0; v < BAYES_VECTORS; v++) patch[v] = pilot[v];
}

static void collaborate_again(const struct fusion_group4_parameters *group4)
{
    const struct fusion_group4_parameters of = *group4;
    const ptrdiff_t stride = of.stride;
    ptrdiff_t at[FUSION_GROUP4];
    bayes_patches noisy, known;
    lanes mean[BAYES_VECTORS] = {ALL(0), ALL(0)};
    for (int j = 0; j < FUSION_GROUP4; j++) {
        const struct fusion_shift shift = of.shifts[of.chosen[PATCH_RUN * j]];
        at[j] = shift.y * stride + shift.x;
        bayes_load(of.plane + at[j], stride, noisy[j]);
        bayes_load(of.pilot + at[j], stride, known[j]);
        for (int v = 0; v < BAYES_VECTORS; v++) mean[v] += known[j][v];
    }
    for (int v = 0; v < BAYES_VECTORS; v++) mean[v] *= 1.0f / FUSION_GROUP4;
    for (int j = 0; j < FUSION_GROUP4; j++)
        for (int v = 0; v < BAYES_VECTORS; v++) {
            noisy[j][v] -= mean[v];
            known[j][v] -= mean[v];
        }

    bayes_matrix matrix;
    bayes_columns solved, removed;
    float reciprocal[BAYES_SAMPLES];
    bayes_covariance(known, of.covariance, of.variance, matrix);
    bayes_factor(matrix, 1e-3f * of.variance, reciprocal);
    for (int v = 0; v < BAYES_VECTORS; v++)
        for (int m = 0; m < BAYES_MEMBERS; m++) {
            lanes square[8];
            for (int i = 0; i < 8; i++) square[i] = noisy[8 * m + i][v];
            transpose(square);
            for (int i = 0; i < 8; i++) solved[8 * v + i][m] = square[i];
        }
    bayes_solve(matrix, reciprocal, solved);
    for (int i = 0; i < BAYES_SAMPLES; i += 2) {
        const float *restrict factors = of.covariance + i * BAYES_SAMPLES;
        lanes sums[2][BAYES_MEMBERS];
        for (int m = 0; m < BAYES_MEMBERS; m++) sums[0][m] = sums[1][m] = ALL(0);
        for (int k = 0; k < BAYES_SAMPLES; k++)
            for (int m = 0; m < BAYES_MEMBERS; m++) {
                sums[0][m] += solved[k][m] * factors[k];
                sums[1][m] += solved[k][m] * factors[BAYES_SAMPLES + k];
            }
        for (int m = 0; m < BAYES_MEMBERS; m++) removed[i][m] = sums[0][m], removed[i + 1][m] = sums[1][m];
    }

    for (int m = 0; m < BAYES_MEMBERS; m++) {
        for (int v = 0; v < BAYES_VECTORS; v++) {
            lanes square[8];
            for (int i = 0; i < 8; i++) square[i] = removed[8 * v + i][m];
            transpose(square);
            for (int i = 0; i < 8; i++) noisy[8 * m + i][v] += mean[v] - square[i] * of.variance;
        }
        for (int j = 8 * m; j < 8 * m + 8; j++) {
            for (int v = 0; v < BAYES_VECTORS; v++) known[j][v] += mean[v];
            bayes_limit(noisy[j], known[j], BAYES_FARTHEST * BAYES_FARTHEST * of.variance);
            for (int y = 0; y < 4; y++) {
                *(half_lanes *)(of.sum + at[j] + y * stride) += *(const half_lanes *)((const float *)noisy[j] + 4 * y);
                *(half_lanes *)(of.weight + at[j] + y * stride) += 1.0f;
            }
        }
    }
}
