// SPDX-License-Identifier: MIT
// Depth, as a plane: small holes filled, and points laid into the picture of another camera. Both follow the content
// from sample to sample, so they are plain C at every level; what is computed for each point is done in vectors.

/// What is known of a sample while holes are filled.
enum { DEPTH_KNOWN, DEPTH_UNVISITED, DEPTH_VISITED, DEPTH_SMALL };

/// Lists the samples of the hole that contains the one at `start`, and marks them as visited. Returns how many there
/// are.
INLINE size_t depth_flood(
    uint32_t start, uint32_t width, uint32_t height, uint32_t *restrict places, uint8_t *restrict marks)
{
    size_t count = 1;
    places[0] = start;
    marks[start] = DEPTH_VISITED;
    for (size_t done = 0; done < count; done++) {
        const uint32_t at = places[done], x = at % width, y = at / width;
        const uint32_t next[4] = {at - 1, at + 1, at - width, at + width};
        const int within[4] = {x > 0, x + 1 < width, y > 0, y + 1 < height};
        for (int i = 0; i < 4; i++) {
            if (!within[i] || marks[next[i]] != DEPTH_UNVISITED) continue;
            marks[next[i]] = DEPTH_VISITED;
            places[count++] = next[i];
        }
    }
    return count;
}

/// Marks the samples of holes that are small enough.
INLINE void depth_find_holes(const struct fusion_depth_holes_parameters *p)
{
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++)
            p->marks[y * p->width + x] = p->depth[(ptrdiff_t)y * p->stride + x] ? DEPTH_KNOWN : DEPTH_UNVISITED;
    const uint32_t samples = p->width * p->height;
    for (uint32_t at = 0; at < samples; at++) {
        if (p->marks[at] != DEPTH_UNVISITED) continue;
        const size_t count = depth_flood(at, p->width, p->height, p->places, p->marks);
        if (count > p->limit || count == samples) continue;
        for (size_t i = 0; i < count; i++) p->marks[p->places[i]] = DEPTH_SMALL;
    }
}

/// The mean of those of four depths that are near the farthest one. A distance of 0 is for none.
INLINE uint16_t depth_between(
    const uint32_t depth[4], const uint32_t distance[4], uint32_t least, uint32_t slope)
{
    uint32_t far = 0;
    for (int i = 0; i < 4; i++) far = distance[i] && depth[i] > far ? depth[i] : far;
    const uint32_t reach = depth_reach(far, least, slope);
    uint64_t sum = 0, weights = 0;
    for (int i = 0; i < 4; i++) {
        if (!distance[i] || far - depth[i] > reach) continue;
        const uint32_t weight = distance[i] < 65536 ? 65536 / distance[i] : 1;
        sum += (uint64_t)weight * depth[i];
        weights += weight;
    }
    return weights ? (uint16_t)((2 * sum + weights) / (2 * weights)) : 0;
}

/// Fills a row. `columns` has the distance of the nearest depth above, `below` that of the one below, or 0.
INLINE void depth_fill_row(
    const struct fusion_depth_holes_parameters *p, uint32_t y, const uint32_t *restrict columns,
    const uint32_t *restrict below)
{
    const uint16_t *row = p->depth + (ptrdiff_t)y * p->stride;
    const uint8_t *marks = p->marks + (size_t)y * p->width;
    uint16_t *out = p->out + (ptrdiff_t)y * p->out_stride;
    uint32_t left = 0, right = 0;
    for (uint32_t x = 0; x < p->width; x++) {
        out[x] = row[x];
        if (row[x]) {
            left = x + 1;
            continue;
        }
        if (marks[x] != DEPTH_SMALL) continue;
        // `left` and `right` are one more than a column, and 0 for none.
        if (right <= x) {
            right = x + 1;
            while (right < p->width && !row[right]) right++;
            right = right < p->width ? right + 1 : p->width + 1;
        }
        const int hasRight = right <= p->width;
        const uint32_t distance[4] = {
            left ? x + 1 - left : 0, hasRight ? right - 1 - x : 0, columns[x], below[x]};
        const uint32_t depth[4] = {
            left ? row[left - 1] : 0, hasRight ? row[right - 1] : 0,
            distance[2] ? row[x - (ptrdiff_t)distance[2] * p->stride] : 0,
            distance[3] ? row[x + (ptrdiff_t)distance[3] * p->stride] : 0};
        out[x] = depth_between(depth, distance, p->least, p->slope);
    }
}

/// Counts the distance to the last depth of each column on by one row.
INLINE void depth_count(const uint16_t *restrict row, const uint32_t *before, uint32_t width, uint32_t *out)
{
    for (uint32_t x = 0; x < width; x++) out[x] = row[x] ? 1 : before[x] ? before[x] + 1 : 0;
}

static void fill_depth_holes(const struct fusion_depth_holes_parameters *plane)
{
    const struct fusion_depth_holes_parameters p = *plane;
    depth_find_holes(&p);
    // The list of places is no longer needed: its memory gets the distances below.
    memset(p.places + (size_t)(p.height - 1) * p.width, 0, p.width * sizeof *p.places);
    for (uint32_t y = p.height - 1; y > 0; y--) {
        uint32_t *below = p.places + (size_t)y * p.width;
        depth_count(p.depth + (ptrdiff_t)y * p.stride, below, p.width, below - p.width);
    }
    memset(p.columns, 0, p.width * sizeof *p.columns);
    for (uint32_t y = 0; y < p.height; y++) {
        depth_fill_row(&p, y, p.columns, p.places + (size_t)y * p.width);
        depth_count(p.depth + (ptrdiff_t)y * p.stride, p.columns, p.width, p.columns);
    }
}

/// A place in 16ths, held within 32768 pixels.
INLINE int32_t depth_place(float pixels)
{
    const float held = pixels < -32768 ? -32768 : pixels < 32767 ? pixels : 32767;
    // Rounded down, since halves are added; the shift makes it positive.
    return (int32_t)((held + 32768) * 16 + 0.5f) - 32768 * 16;
}

INLINE void depth_project(
    const uint16_t *restrict depth, const float *restrict across, const float *restrict down, size_t count,
    const float *restrict pose, const float *restrict lens, int32_t *restrict out_x, int32_t *restrict out_y,
    uint16_t *restrict out_z)
{
    const float a = 2 * lens[6], b = 2 * lens[7];
    for (size_t i = 0; i < count; i++) {
        const float far = depth[i], near_x = across[i] * far, near_y = down[i] * far;
        const float px = ((pose[0] * near_x + pose[1] * near_y) + pose[2] * far) + pose[3];
        const float py = ((pose[4] * near_x + pose[5] * near_y) + pose[6] * far) + pose[7];
        const float pz = ((pose[8] * near_x + pose[9] * near_y) + pose[10] * far) + pose[11];
        const int isThere = (depth[i] != 0) & (pz >= 0.5f) & (pz < 65534.5f);
        const float z = isThere ? pz : 1, x = px / z, y = py / z;
        const float q = x * x + y * y, bend = 1 + q * (lens[4] + q * (lens[5] + q * lens[8]));
        const float u = (x * bend + a * (x * y)) + lens[7] * (q + (2 * x) * x);
        const float v = (y * bend + b * (x * y)) + lens[6] * (q + (2 * y) * y);
        const int32_t place_x = depth_place(u * lens[0] + lens[2]), place_y = depth_place(v * lens[1] + lens[3]);
        out_x[i] = isThere ? place_x : 0;
        out_y[i] = isThere ? place_y : 0;
        out_z[i] = (uint16_t)(isThere ? (int32_t)(z + 0.5f) : 0);
    }
}

static void project_depth(const struct fusion_depth_project_parameters *row)
{
    const struct fusion_depth_project_parameters p = *row;
    float pose[12], lens[9];
    memcpy(pose, p.pose, sizeof pose);
    memcpy(lens, p.lens, sizeof lens);
    depth_project(p.depth, p.across, p.down, p.count, pose, lens, p.x, p.y, p.z);
}

static void lay_depth(const struct fusion_depth_lay_parameters *points)
{
    const struct fusion_depth_lay_parameters p = *points;
    const int32_t across = (int32_t)p.across, down = (int32_t)p.down;
    for (size_t i = 0; i < p.count; i++) {
        if (!p.z[i]) continue;
        const int32_t left = p.x[i] - across / 2, top = p.y[i] - down / 2;
        const int32_t end_x = (left + across + 15) >> 4, end_y = (top + down + 15) >> 4;
        const int32_t first_x = (left + 15) >> 4, first_y = (top + 15) >> 4;
        const int32_t last_x = end_x < (int32_t)p.width ? end_x : (int32_t)p.width;
        const int32_t last_y = end_y < (int32_t)p.height ? end_y : (int32_t)p.height;
        for (int32_t y = first_y > 0 ? first_y : 0; y < last_y; y++)
            for (int32_t x = first_x > 0 ? first_x : 0; x < last_x; x++) {
                uint16_t *out = p.out + y * p.stride + x;
                // A hole is farther than anything.
                if ((uint16_t)(p.z[i] - 1) < (uint16_t)(*out - 1)) *out = p.z[i];
            }
    }
}
