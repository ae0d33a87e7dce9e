// SPDX-License-Identifier: MIT
// Depth, row by row: taken from a camera's format, steadied over time, smoothed along the picture's edges, fused, shown
// in colours. Plain loops, which the compiler turns into vectors.

/// Samples that are computed at a time, between tables on the stack.
#define DEPTH_RUN 64

/// How far from z another depth may lie and still be the same surface.
INLINE uint32_t depth_reach(uint32_t z, uint32_t least, uint32_t slope)
{
    const uint32_t reach = (((z * z) >> 16) * slope >> 12) + least;
    return reach < 65535 ? reach : 65535;
}

static void take_depth(const uint8_t *restrict packed, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint16_t word = (uint16_t)(packed[2 * i] | packed[2 * i + 1] << 8);
        out[i] = word == 65535 ? 0 : word;
    }
}

static void take_confidence(const uint8_t *restrict packed, size_t count, uint8_t *restrict out)
{
    for (size_t i = 0; i < count / 2; i++) {
        out[2 * i] = packed[i] & 15;
        out[2 * i + 1] = packed[i] >> 4;
    }
    if (count & 1) out[count - 1] = packed[count / 2] & 15;
}

/// The number of bits that are set.
INLINE uint32_t depth_bits(uint32_t byte)
{
    const uint32_t pairs = byte - ((byte >> 1) & 0x55), fours = (pairs & 0x33) + ((pairs >> 2) & 0x33);
    return (fours + (fours >> 4)) & 15;
}

INLINE void depth_steady(
    const uint16_t *restrict fresh, size_t count, uint32_t least, uint32_t slope, uint32_t least_share, uint32_t hold,
    uint32_t *restrict kept, uint8_t *restrict seen, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t d = fresh[i], before = kept[i], history = seen[i], mean = (before + 32) >> 6;
        const int32_t difference = (int32_t)(64 * d) - (int32_t)before;
        const uint32_t apart = d > mean ? d - mean : mean - d;
        const int isHole = d == 0, isNew = !before | (apart > depth_reach(mean, least, slope));
        const int32_t tenth = (int32_t)(256.0f / (float)(int32_t)(depth_bits(history) + 1));
        const int32_t share = tenth > (int32_t)least_share ? tenth : (int32_t)least_share;
        const uint32_t moved = (uint32_t)((int32_t)before + (((isNew ? 0 : difference) * share + 128) >> 8));
        const uint32_t frames = (((isNew & !isHole) ? 0 : history << 1) & 255) | (isHole ? 0 : 1);
        const uint32_t known = isHole ? (frames ? before : 0) : isNew ? 64 * d : moved;
        const uint32_t shown = (known + 32) >> 6;
        kept[i] = known;
        seen[i] = (uint8_t)frames;
        out[i] = (uint16_t)((isHole & (depth_bits(frames) < hold)) ? 0 : shown);
    }
}

static void steady_depth(const struct fusion_depth_steady_parameters *row)
{
    const struct fusion_depth_steady_parameters p = *row;
    depth_steady(p.fresh, p.count, p.least, p.slope, p.share, p.hold, p.kept, p.seen, p.out);
}

/// The groups of depths around the samples of a run, and the sums over each group.
struct depth_groups {
    /// The least depth less one; the greatest; the last one of the near group.
    uint16_t low[DEPTH_RUN];
    uint16_t high[DEPTH_RUN];
    uint16_t middle[DEPTH_RUN];
    int32_t near_weight[DEPTH_RUN];
    int32_t near_sum[DEPTH_RUN];
    int32_t far_weight[DEPTH_RUN];
    int32_t far_sum[DEPTH_RUN];
};

/// Widens the range of depths by a row of neighbours. Holes become 65535 by the subtraction, which is never less.
INLINE void depth_range(const uint16_t *restrict depth, uint16_t *restrict low, uint16_t *restrict high)
{
    for (size_t i = 0; i < DEPTH_RUN; i++) {
        const uint16_t below = (uint16_t)(depth[i] - 1);
        low[i] = below < low[i] ? below : low[i];
        high[i] = depth[i] > high[i] ? depth[i] : high[i];
    }
}

/// Adds a row of neighbours to the groups.
INLINE void depth_gather(
    const uint16_t *restrict depth, const uint8_t *restrict luma, const uint8_t *restrict own, int32_t bound,
    int32_t weight, struct depth_groups *restrict groups)
{
    for (size_t i = 0; i < DEPTH_RUN; i++) {
        const int32_t d = depth[i], away = luma[i] - own[i], difference = away < 0 ? -away : away;
        const int32_t share = ((difference < bound) & (d != 0)) ? (bound - difference) * weight : 0;
        const int32_t low = groups->low[i] + 1, middle = groups->middle[i];
        const int32_t near = d <= middle ? share : 0, far = share - near;
        groups->near_weight[i] += near;
        groups->near_sum[i] += near * (d - low);
        groups->far_weight[i] += far;
        groups->far_sum[i] += far * (d - middle - 1);
    }
}

/// Chooses a group for each sample of a run, and writes its mean.
INLINE void depth_choose(
    const uint16_t *restrict depth, const struct depth_groups *restrict groups, int32_t own, uint16_t *restrict out)
{
    for (size_t i = 0; i < DEPTH_RUN; i++) {
        const int32_t d = depth[i], middle = groups->middle[i];
        const int32_t near = groups->near_weight[i], far = groups->far_weight[i];
        const int isNear = near * (d <= middle ? own : 4) >= far * (d <= middle ? 4 : own);
        const int32_t weight = isNear ? near : far, sum = isNear ? groups->near_sum[i] : groups->far_sum[i];
        const int32_t base = isNear ? groups->low[i] + 1 : middle + 1;
        const int32_t mean = (int32_t)((float)sum / (float)(weight > 0 ? weight : 1) + 0.5f);
        out[i] = (uint16_t)(d ? base + mean : 0);
    }
}

/// A run of samples, whose neighbours can all be read.
INLINE void depth_guide(
    const struct fusion_depth_guide_parameters *p, const uint16_t *depth, ptrdiff_t stride, const uint8_t *luma,
    ptrdiff_t luma_stride, uint16_t *out)
{
    struct depth_groups groups;
    const ptrdiff_t radius = p->radius;
    memset(&groups, 0, sizeof groups);
    memset(groups.low, 255, sizeof groups.low);
    for (ptrdiff_t y = -radius; y <= radius; y++)
        for (ptrdiff_t x = -radius; x <= radius; x++)
            depth_range(depth + y * stride + x, groups.low, groups.high);
    for (size_t i = 0; i < DEPTH_RUN; i++) {
        // Where all are holes, low is 65535, and nothing is used.
        const uint32_t low = (groups.low[i] + 1) & 65535, span = (uint32_t)(groups.high[i] - low) & 65535;
        const uint32_t reach = depth_reach(low, p->least, p->slope);
        groups.middle[i] = (uint16_t)(span <= 2 * reach ? groups.high[i] : low + span / 2);
    }
    for (ptrdiff_t y = -radius; y <= radius; y++)
        for (ptrdiff_t x = -radius; x <= radius; x++) {
            const ptrdiff_t down = y < 0 ? -y : y, across = x < 0 ? -x : x;
            depth_gather(
                depth + y * stride + x, luma + y * luma_stride + x, luma, (int32_t)p->bound,
                (int32_t)(4 - (down > across ? down : across)), &groups);
        }
    depth_choose(depth, &groups, (int32_t)p->own, out);
}

static void guide_depth(const struct fusion_depth_guide_parameters *row)
{
    const struct fusion_depth_guide_parameters p = *row;
    size_t i = 0;
    for (; i + DEPTH_RUN <= p.count; i += DEPTH_RUN)
        depth_guide(&p, p.depth + i, p.stride, p.luma + i, p.luma_stride, p.out + i);
    if (i == p.count) return;
    // The rest is copied to where a whole run can be read.
    enum { WIDTH = DEPTH_RUN + 6 };
    uint16_t depth[7 * WIDTH] = {0}, out[DEPTH_RUN];
    uint8_t luma[7 * WIDTH] = {0};
    const ptrdiff_t radius = p.radius, side = 2 * radius + 1;
    const size_t left = p.count - i + 2 * (size_t)radius;
    for (ptrdiff_t y = 0; y < side; y++) {
        memcpy(depth + y * WIDTH, p.depth + i + (y - radius) * p.stride - radius, left * sizeof *depth);
        memcpy(luma + y * WIDTH, p.luma + i + (y - radius) * p.luma_stride - radius, left);
    }
    const ptrdiff_t start = radius * WIDTH + radius;
    depth_guide(&p, depth + start, WIDTH, luma + start, WIDTH, out);
    memcpy(p.out + i, out, (p.count - i) * sizeof *out);
}

/// Sorts two frames' samples of a run.
INLINE void depth_sort(uint16_t *restrict a, uint16_t *restrict b)
{
    for (size_t i = 0; i < DEPTH_RUN; i++) {
        const uint16_t low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i];
        a[i] = low;
        b[i] = high;
    }
}

/// The mean of the samples of a run that are near their median. Samples are depths less one, sorted: holes, 65535, are
/// the last ones.
INLINE void depth_fuse(
    uint16_t (*restrict sorted)[DEPTH_RUN], uint32_t frames, uint32_t least, uint32_t slope, uint16_t *restrict out)
{
    uint32_t known[DEPTH_RUN] = {0}, median[DEPTH_RUN] = {0}, reach[DEPTH_RUN], taken[DEPTH_RUN] = {0};
    uint32_t sum[DEPTH_RUN] = {0};
    for (uint32_t f = 0; f < frames; f++)
        for (size_t i = 0; i < DEPTH_RUN; i++) known[i] += sorted[f][i] != 65535;
    for (uint32_t f = 0; f < frames; f++)
        for (size_t i = 0; i < DEPTH_RUN; i++)
            // Every rank up to the median's is written over, so the last one that counts is the median.
            median[i] = 2 * f < known[i] ? sorted[f][i] + 1u : median[i];
    for (size_t i = 0; i < DEPTH_RUN; i++) reach[i] = depth_reach(median[i], least, slope);
    for (uint32_t f = 0; f < frames; f++)
        for (size_t i = 0; i < DEPTH_RUN; i++) {
            const uint32_t d = sorted[f][i] + 1u, apart = d > median[i] ? d - median[i] : median[i] - d;
            const int counts = (apart <= reach[i]) & (d != 65536);
            taken[i] += counts ? 1 : 0;
            sum[i] += counts ? d : 0;
        }
    for (size_t i = 0; i < DEPTH_RUN; i++) {
        // Sums are exact in single precision, and quotients far enough from halves that are none.
        const float mean = (float)(int32_t)sum[i] / (float)(int32_t)(taken[i] ? taken[i] : 1) + 0.5f;
        out[i] = (uint16_t)(((known[i] != 0) & (2 * known[i] >= frames)) ? (int32_t)mean : 0);
    }
}

static void fuse_depth(
    const uint16_t *restrict rows, ptrdiff_t apart, size_t frames, size_t count, uint32_t least, uint32_t slope,
    uint16_t *restrict out)
{
    uint16_t sorted[32][DEPTH_RUN], result[DEPTH_RUN];
    for (size_t i = 0; i < count; i += DEPTH_RUN) {
        const size_t run = count - i < DEPTH_RUN ? count - i : DEPTH_RUN;
        for (size_t f = 0; f < frames; f++) {
            memset(sorted[f], 255, sizeof sorted[f]);
            const uint16_t *row = rows + (ptrdiff_t)f * apart + i;
            for (size_t k = 0; k < run; k++) sorted[f][k] = (uint16_t)(row[k] - 1);
        }
        for (size_t pass = 0; pass < frames; pass++)
            for (size_t f = pass & 1; f + 1 < frames; f += 2) depth_sort(sorted[f], sorted[f + 1]);
        depth_fuse(sorted, (uint32_t)frames, least, slope, result);
        memcpy(out + i, result, run * sizeof *out);
    }
}

static void color_depth(
    const uint16_t *restrict depth, size_t count, uint16_t nearest, uint32_t factor, const uint8_t *restrict palette,
    uint8_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t z = depth[i], beyond = z > nearest ? z - nearest : 0;
        const uint64_t place = ((uint64_t)beyond * factor) >> 16, held = place < 255 ? place : 255;
        const uint8_t *color = palette + 3 * (z ? held : 256);
        out[3 * i] = color[0];
        out[3 * i + 1] = color[1];
        out[3 * i + 2] = color[2];
    }
}
