// SPDX-License-Identifier: MIT
// Denoises groups of similar patches by their statistics in a pilot: a Wiener filter with the group's own covariance.
//
// The pilot's patches give the mean, and the covariance C of what the patches show. With N, the covariance of the
// noise, the best linear estimate of a patch y is y - N (C + N)^-1 (y - mean). C + N is factored into L D L', in
// vectors of eight columns. The result is as reliable as N is positive definite; an estimate that noise cannot
// explain is replaced with the pilot.

/// The largest distance of an estimated sample from the pilot, in standard deviations of the noise.
#define BAYES_FARTHEST 16.0f

/// The samples of a patch, and the same padded to whole vectors.
#define BAYES_SAMPLES 25
#define BAYES_ROW 32
/// Vectors per row, and per group.
#define BAYES_VECTORS (BAYES_ROW / 8)
#define BAYES_MEMBERS (FUSION_GROUP5 / 8)

typedef lanes bayes_patches[FUSION_GROUP5][BAYES_VECTORS];
typedef lanes bayes_matrix[BAYES_SAMPLES][BAYES_VECTORS];
/// Indexed by sample, then by member of the group.
typedef lanes bayes_columns[BAYES_ROW][BAYES_MEMBERS];

/// Loads five rows of five samples without gaps, followed by zeros.
INLINE void bayes_load(const float *restrict from, ptrdiff_t stride, lanes patch[BAYES_VECTORS])
{
    float *restrict to = (float *)patch;
    for (int y = 0; y < 5; y++) *(lanes *)(to + 5 * y) = *(const lanes *)(from + y * stride);
    patch[3] = __builtin_shufflevector(patch[3], ALL(0), 0, 8, 8, 8, 8, 8, 8, 8);
}

/// C + N of a group whose mean has been subtracted. Only the part right of the diagonal, in whole vectors starting
/// with the one that contains the diagonal.
INLINE void bayes_covariance(bayes_patches pilot, const float *restrict covariance, float variance, bayes_matrix out)
{
    for (int vector = 0; vector < BAYES_VECTORS; vector++)
        for (int row = 0; row < 8 * vector + 8 && row < BAYES_SAMPLES; row += 8) {
            const int rows = row + 8 <= BAYES_SAMPLES ? 8 : BAYES_SAMPLES - row;
            lanes sums[8];
            for (int i = 0; i < 8; i++) sums[i] = ALL(0);
            for (int j = 0; j < FUSION_GROUP5; j++) {
                const float *member = (const float *)pilot[j] + row;
                for (int i = 0; i < 8; i++) sums[i] += pilot[j][vector] * (i < rows ? member[i] : 0.0f);
            }
            for (int i = 0; i < rows; i++)
                out[row + i][vector] = sums[i] * (1.0f / (FUSION_GROUP5 - 1)) +
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

/// Replaces x with (L D L')^-1 x.
INLINE void bayes_solve(bayes_matrix a, const float reciprocal[BAYES_SAMPLES], bayes_columns x)
{
    for (int i = 0; i < BAYES_SAMPLES; i++)
        for (int k = 0; k < i; k++) {
            const float factor = ((const float *)a[k])[i];
            for (int m = 0; m < BAYES_MEMBERS; m++) x[i][m] -= x[k][m] * factor;
        }
    for (int i = BAYES_SAMPLES - 1; i >= 0; i--) {
        for (int m = 0; m < BAYES_MEMBERS; m++) x[i][m] *= reciprocal[i];
        for (int k = i + 1; k < BAYES_SAMPLES; k++) {
            const float factor = ((const float *)a[i])[k];
            for (int m = 0; m < BAYES_MEMBERS; m++) x[i][m] -= x[k][m] * factor;
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

static void collaborate_again(const struct fusion_group5_parameters *group5)
{
    const struct fusion_group5_parameters of = *group5;
    const ptrdiff_t stride = of.stride;
    ptrdiff_t at[FUSION_GROUP5];
    bayes_patches noisy, known;
    lanes mean[BAYES_VECTORS] = {ALL(0), ALL(0), ALL(0), ALL(0)};
    for (int j = 0; j < FUSION_GROUP5; j++) {
        const struct fusion_shift shift = of.shifts[of.chosen[PATCH_RUN * j]];
        at[j] = shift.y * stride + shift.x;
        bayes_load(of.plane + at[j], stride, noisy[j]);
        bayes_load(of.pilot + at[j], stride, known[j]);
        for (int v = 0; v < BAYES_VECTORS; v++) mean[v] += known[j][v];
    }
    for (int v = 0; v < BAYES_VECTORS; v++) mean[v] *= 1.0f / FUSION_GROUP5;
    for (int j = 0; j < FUSION_GROUP5; j++)
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
    for (int i = 0; i < BAYES_ROW; i++)
        for (int m = 0; m < BAYES_MEMBERS; m++) removed[i][m] = ALL(0);
    for (int i = 0; i < BAYES_SAMPLES; i++)
        for (int k = 0; k < BAYES_SAMPLES; k++) {
            const float factor = of.covariance[i * BAYES_ROW + k];
            for (int m = 0; m < BAYES_MEMBERS; m++) removed[i][m] += solved[k][m] * factor;
        }

    const lanes one = {1, 1, 1, 1, 1, 0, 0, 0};
    const whole_lanes inside = {-1, -1, -1, -1, -1, 0, 0, 0};
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
            for (int y = 0; y < 5; y++) {
                const lanes row = *(const lanes *)((const float *)noisy[j] + 5 * y);
                *(lanes *)(of.sum + at[j] + y * stride) += (lanes)((whole_lanes)row & inside);
                *(lanes *)(of.weight + at[j] + y * stride) += one;
            }
        }
    }
}
