// SPDX-License-Identifier: MIT
// Pictures as H.264 (Baseline profile): blocks of samples as they are where a picture differs from the one before it,
// and nothing where it does not. So a picture shows what it should only if no picture before it is missing.

#include "camera.h"

#include <string.h>

/// Frames from one that needs no other to the next, unless the camera refreshes pictures instead.
enum { KEY_INTERVAL = 30 };

/// Appends the bits of a unit, highest first.
struct unit { uint8_t *at; unsigned byte, count, zeros; };

static void put_byte(struct unit *to, unsigned byte) {
    // Two zeros and a small number would look like the beginning of a unit.
    if (to->zeros >= 2 && byte <= 3) *to->at++ = 3, to->zeros = 0;
    *to->at++ = (uint8_t)byte;
    to->zeros = byte == 0 ? to->zeros + 1 : 0;
}

static void put(struct unit *to, unsigned value, unsigned length) {
    while (length-- > 0) {
        to->byte = to->byte << 1 | (value >> length & 1);
        if (++to->count < 8) continue;
        put_byte(to, to->byte);
        to->byte = to->count = 0;
    }
}

/// A number in the standard's code, ue(v).
static void put_number(struct unit *to, unsigned number) {
    unsigned length = 0;
    while ((number + 1) >> (length + 1)) length++;
    put(to, 0, length);
    put(to, number + 1, length + 1);
}

/// Fills the current byte with zeros.
static void align(struct unit *to) {
    if (to->count > 0) put(to, 0, 8 - to->count);
}

static void begin(struct unit *to, uint8_t header) {
    static const uint8_t start[] = {0, 0, 0, 1};
    memcpy(to->at, start, sizeof start), to->at += sizeof start;
    *to->at++ = header;
    to->byte = to->count = to->zeros = 0;
}

static void end(struct unit *to) {
    put(to, 1, 1);
    align(to);
}

static void put_parameters(struct unit *to, const struct camera *camera, int columns, int rows) {
    int lines = rows * 8;
    begin(to, 0x67);
    // Baseline, level 4.
    put(to, 66, 8), put(to, 0xc0, 8), put(to, 40, 8), put_number(to, 0);
    // Frames are numbered with 8 bits, come in their order, and need one other.
    put_number(to, 4), put_number(to, 2), put_number(to, 1), put(to, 0, 1);
    put_number(to, (unsigned)(columns + 1) / 2 - 1), put_number(to, (unsigned)(rows + 1) / 2 - 1);
    put(to, 3, 2);
    // A sloppy camera does not say that the last lines are no part of the picture.
    bool is_cropped = lines % 16 != 0 && !camera->video.is_uncropped;
    put(to, is_cropped, 1);
    if (is_cropped) put_number(to, 0), put_number(to, 0), put_number(to, 0), put_number(to, (16 - lines % 16) / 2);
    put(to, 0, 1);
    end(to);
    begin(to, 0x68);
    put_number(to, 0), put_number(to, 0), put(to, 0, 2), put_number(to, 0), put_number(to, 0), put_number(to, 0);
    put(to, 0, 3), put_number(to, 0), put_number(to, 0), put_number(to, 0);
    // Each picture says that its edges are not smoothed.
    put(to, 4, 3);
    end(to);
}

/// Says that pictures are whole so many frames later.
static void put_recovery_point(struct unit *to, unsigned frames) {
    begin(to, 6);
    unsigned length = 0;
    while ((frames + 1) >> (length + 1)) length++;
    // The number, four flags, a bit of 1, and zeros.
    unsigned bits = 2 * length + 1 + 4 + 1;
    put(to, 6, 8), put(to, (bits + 7) / 8, 8);
    put_number(to, frames), put(to, 8, 4), put(to, 1, 1);
    align(to);
    end(to);
}

/// The block at a place; those beyond the picture are as its last ones.
static uint8_t block(const uint8_t *blocks, int columns, int rows, int x, int y) {
    return blocks[(y < rows ? y : rows - 1) * columns + (x < columns ? x : columns - 1)];
}

/// The samples of 16x16 pixels: four blocks, and their colours.
static void put_samples(struct unit *to, const uint8_t level[4], uint8_t blue, uint8_t red) {
    align(to);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++) put_byte(to, level[y / 8 * 2 + x / 8]);
    for (int i = 0; i < 64; i++) put_byte(to, blue);
    for (int i = 0; i < 64; i++) put_byte(to, red);
}

size_t write_video(struct camera *camera, const struct drawing *drawing, uint8_t *bytes) {
    struct video *video = &camera->video;
    int columns = drawing->columns, rows = drawing->rows, across = (columns + 1) / 2, down = (rows + 1) / 2;
    // The first frame of a stream, or the first of another size, needs no other.
    bool is_due = !video->refreshes && video->since_key >= KEY_INTERVAL;
    bool is_key = video->columns != columns || video->wants_key || is_due;
    struct unit to = {.at = bytes};
    if (is_key) video->since_key = 0, video->wants_key = false, video->keys++, video->columns = columns;
    // A row of blocks per frame needs no other, from the first one to the last.
    int fresh = video->refreshes && !is_key ? (int)((video->since_key - 1) % (unsigned)down) : -1;
    if (is_key || fresh == 0) put_parameters(&to, camera, columns, rows);
    if (fresh == 0) put_recovery_point(&to, (unsigned)down - 1);
    begin(&to, is_key ? 0x65 : 0x41);
    put_number(&to, 0), put_number(&to, is_key ? 7 : 5), put_number(&to, 0), put(&to, video->since_key & 0xff, 8);
    if (is_key) put_number(&to, video->keys % 2), put(&to, 0, 2);
    else put(&to, 0, 3);
    put_number(&to, 0), put_number(&to, 1);
    unsigned skipped = 0;
    for (int i = 0; i < across * down; i++) {
        uint8_t now[4], before[4];
        for (int k = 0; k < 4; k++) {
            int x = i % across * 2 + k % 2, y = i / across * 2 + k / 2;
            now[k] = block(drawing->blocks, columns, rows, x, y);
            before[k] = block(video->last, columns, rows, x, y);
        }
        if (!is_key && i / across != fresh && memcmp(now, before, sizeof now) == 0) {
            skipped++;
            continue;
        }
        if (!is_key) put_number(&to, skipped), skipped = 0;
        put_number(&to, is_key ? 25 : 30);
        put_samples(&to, now, drawing->blue, drawing->red);
    }
    if (skipped > 0) put_number(&to, skipped);
    end(&to);
    memcpy(video->last, drawing->blocks, (size_t)(columns * rows));
    video->since_key++;
    return (size_t)(to.at - bytes);
}
