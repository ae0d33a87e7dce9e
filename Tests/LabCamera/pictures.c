// SPDX-License-Identifier: MIT
// Pictures of flat blocks, raw and as baseline JPEG: marks that a test reads back, before a ramp and a moving bar.

#include "camera.h"

#include <string.h>

// Four numbers are drawn below each other, each in the form of FrameMark.swift (there: a pattern, the number, its
// checksum): the frame's number; its time in units of 100 microseconds of CLOCK_MONOTONIC; whether exposure is
// automatic (1 bit), exposure (15), brightness plus 128 (8), gain (8); the camera (8), its plugs (8), white balance in
// units of 50 K (8), focus (8).
enum { MARKS = 4, BOXES = 56, PATTERN = 0xe5 };
/// Brightness of black and white boxes: what limited range calls black and white.
enum { BLACK = 16, WHITE = 235 };

/// The brightness of blocks of 8x8 pixels, in rows.
static uint8_t blocks[160 * 90];
/// Whether a block is background, which has texture in JPEG.
static int first_background_row;

static uint16_t checksum(uint32_t number) {
    uint16_t crc = 0xffff;
    for (int bit = 31; bit >= 0; bit--) {
        unsigned feedback = (unsigned)(crc >> 15) ^ (number >> bit & 1);
        crc = (uint16_t)((unsigned)crc << 1 ^ (feedback ? 0x1021 : 0));
    }
    return crc;
}

/// Draws a mark from a row of blocks on; returns the row after it. `side` is that of a box in blocks.
static int draw_mark(uint32_t number, int row, int columns, int side) {
    uint64_t word = (uint64_t)PATTERN << 48 | (uint64_t)number << 16 | checksum(number);
    int boxes = columns / side < BOXES ? columns / side : BOXES, rows = (BOXES + boxes - 1) / boxes;
    for (int y = 0; y < rows * side; y++) {
        memset(blocks + (row + y) * columns, BLACK, (size_t)columns);
        for (int x = 0; x < boxes * side; x++) {
            int box = y / side * boxes + x / side;
            if (box < BOXES && word >> (BOXES - 1 - box) & 1) blocks[(row + y) * columns + x] = WHITE;
        }
    }
    return row + rows * side;
}

/// Draws the picture in blocks.
static void draw(const struct camera *camera, int64_t time, int columns, int rows) {
    uint32_t exposure = exposure_in_force(camera);
    int32_t brightness = camera->values[BRIGHTNESS][0], gain = camera->values[GAIN][0];
    uint32_t marks[MARKS] = {
        camera->number,
        (uint32_t)(time / 100000),
        (uint32_t)is_exposure_automatic(camera) << 31 | exposure << 16 | (uint32_t)(brightness + 128) << 8
            | (uint32_t)gain,
        (uint32_t)camera->index << 24 | (camera->plugs & 0xff) << 16
            | (uint32_t)camera->values[WHITE_BALANCE][0] / 50 << 8 | (uint32_t)camera->values[FOCUS][0],
    };
    // Boxes of 8 pixels in the smallest picture, of 16 in all others, as FrameMark chooses.
    int row = 0, side = columns < 40 ? 1 : 2;
    for (int i = 0; i < MARKS; i++) row = draw_mark(marks[i], row, columns, side);
    first_background_row = row;
    // Light grows with exposure and gain. A bar moves by one block per frame.
    int32_t light = (int32_t)exposure * (64 + gain) * 4 / controls[EXPOSURE].initial;
    int bar = (int)(camera->number % (uint32_t)columns);
    uint8_t line[160];
    for (int x = 0; x < columns; x++) {
        int32_t level = (x == bar ? 200 : 40 + 120 * x / columns) * light / 256 + brightness;
        line[x] = (uint8_t)(level < BLACK ? BLACK : level > WHITE ? WHITE : level);
    }
    for (; row < rows; row++) memcpy(blocks + row * columns, line, (size_t)columns);
    // All but the marks and the last line with its bar.
    if (camera->is_flash)
        memset(blocks + first_background_row * columns, WHITE, (size_t)((rows - 1 - first_background_row) * columns));
}

/// The camera's tint, the same all over.
static void tint(const struct camera *camera, uint8_t *blue, uint8_t *red) {
    *blue = (uint8_t)(108 + camera->index * 13 % 40);
    *red = (uint8_t)(148 - camera->index * 7 % 40);
}

static size_t write_raw(const struct camera *camera, int columns, int rows, uint8_t *bytes) {
    uint8_t blue, red, *start = bytes;
    tint(camera, &blue, &red);
    size_t line = (camera->kind == INFRARED ? 8u : 16u) * (unsigned)columns;
    for (int row = 0; row < rows; row++, bytes += 8 * line) {
        for (int x = 0; x < columns; x++) {
            uint8_t level = blocks[row * columns + x];
            const uint8_t colour[4] = {level, blue, level, red}, depth[4] = {0, level, 0, level};
            const uint8_t *pair = camera->kind == DEPTH ? depth : colour;
            if (camera->kind == INFRARED) memset(bytes + 8 * x, level, 8);
            else for (int i = 0; i < 4; i++) memcpy(bytes + 16 * x + 4 * i, pair, 4);
        }
        for (int y = 1; y < 8; y++) memcpy(bytes + (size_t)y * line, bytes, line);
    }
    return (size_t)(bytes - start);
}

// MARK: JPEG

/// Appends bits, highest first, with a zero after each byte of ones.
struct bits { uint8_t *at; uint64_t pending; unsigned count; };

static void put(struct bits *to, uint64_t code, unsigned length) {
    to->pending = to->pending << length | code;
    to->count += length;
    while (to->count >= 8) {
        to->count -= 8;
        uint8_t byte = (uint8_t)(to->pending >> to->count);
        *to->at++ = byte;
        if (byte == 0xff) *to->at++ = 0;
    }
}

// The beginnings of the standard's tables (ITU-T T.81, annex K.3): codes of 0 to 8 bits of difference, and of the
// shortest runs. A code means the same with the whole tables, which a decoder assumes where a picture has none.
static const struct { uint8_t code, length; } differences[2][9] = {
    {{0, 2}, {2, 3}, {3, 3}, {4, 3}, {5, 3}, {6, 3}, {14, 4}, {30, 5}, {62, 6}},
    {{0, 2}, {1, 2}, {2, 2}, {6, 3}, {14, 4}, {30, 5}, {62, 6}, {126, 7}, {254, 8}},
};
static const uint8_t tables[] = {
    0xff, 0xc4, 0, 2 + 17 + 9 + 17 + 9 + 17 + 6 + 17 + 5,
    0x00, 0, 1, 5, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
    0x01, 0, 3, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
    0x10, 0, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 0x11,
    0x11, 0, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0x11,
};

/// Appends the difference of a block's brightness to the block before, then the block's other coefficients.
static void put_block(struct bits *to, int table, int difference, uint64_t others, unsigned length) {
    unsigned size = 0, magnitude = (unsigned)(difference < 0 ? -difference : difference);
    while (magnitude >> size) size++;
    uint64_t code = differences[table][size].code;
    code = code << size | ((unsigned)(difference < 0 ? difference - 1 : difference) & ((1u << size) - 1));
    put(to, code << length | others, differences[table][size].length + size + length);
}

/// Nine coefficients of plus or minus 2 and the block's end, 40 bits: they make a frame as large as a real camera's,
/// and give matching something to hold on to.
static uint64_t texture(unsigned block) {
    static uint64_t textures[64];
    unsigned seed = block * 2654435761u >> 16;
    uint64_t *bits = &textures[seed % 64];
    if (*bits == 0) {
        for (unsigned i = 0; i < 9; i++) *bits = *bits << 4 | (seed >> (i % 6 + i / 6) & 1 ? 6 : 5);
        *bits = *bits << 4 | 0xa;
    }
    return *bits;
}

static size_t write_jpeg(const struct camera *camera, int columns, int rows, bool has_tables, uint8_t *bytes) {
    uint8_t blue, red, *at = bytes;
    tint(camera, &blue, &red);
    const uint8_t start[] = {0xff, 0xd8, 0xff, 0xdb, 0, 67, 0};
    const uint8_t frame[] = {
        0xff, 0xc0, 0, 17, 8, (uint8_t)(rows * 8 >> 8), (uint8_t)(rows * 8), (uint8_t)(columns * 8 >> 8),
        (uint8_t)(columns * 8), 3, 1, 0x21, 0, 2, 0x11, 0, 3, 0x11, 0,
    };
    const uint8_t scan[] = {0xff, 0xda, 0, 12, 3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0};
    memcpy(at, start, sizeof start), at += sizeof start;
    // Steps of 8: a coefficient of one is one level of a flat block.
    memset(at, 8, 64), at += 64;
    memcpy(at, frame, sizeof frame), at += sizeof frame;
    if (has_tables) memcpy(at, tables, sizeof tables), at += sizeof tables;
    memcpy(at, scan, sizeof scan), at += sizeof scan;
    struct bits to = {.at = at};
    int last = 128, last_blue = 128, last_red = 128;
    for (int row = 0; row < rows; row++) {
        for (int x = 0; x < columns; x++) {
            int level = blocks[row * columns + x];
            bool is_mark = row < first_background_row;
            put_block(&to, 0, level - last, is_mark ? 0xa : texture((unsigned)(row * columns + x)), is_mark ? 4 : 40);
            last = level;
            // Two blocks of brightness share one of each colour.
            if (x % 2 == 0) continue;
            put_block(&to, 1, blue - last_blue, 0, 2);
            put_block(&to, 1, red - last_red, 0, 2);
            last_blue = blue, last_red = red;
        }
    }
    put(&to, 0x7f, 7);
    const uint8_t end[] = {0xff, 0xd9};
    memcpy(to.at, end, sizeof end);
    return (size_t)(to.at + sizeof end - bytes);
}

/// Where the height is: after the start (2 bytes), the tables of steps (69), and the frame's marker, length and depth.
#define HEIGHT 76

void halve_height(uint8_t *jpeg) {
    unsigned height = (unsigned)(jpeg[HEIGHT] << 8 | jpeg[HEIGHT + 1]) / 2;
    jpeg[HEIGHT] = (uint8_t)(height >> 8);
    jpeg[HEIGHT + 1] = (uint8_t)height;
}

size_t make_frame(struct camera *camera, int64_t time, bool has_tables, uint8_t *bytes) {
    struct mode mode = modes[camera->stream.size - 1];
    int columns = mode.width / 8, rows = mode.height / 8;
    draw(camera, time, columns, rows);
    if (camera->video.exists) {
        struct drawing drawing = {.blocks = blocks, .columns = columns, .rows = rows};
        tint(camera, &drawing.blue, &drawing.red);
        return write_video(camera, &drawing, bytes);
    }
    return is_jpeg(camera, camera->stream.format) ? write_jpeg(camera, columns, rows, has_tables, bytes)
                                                  : write_raw(camera, columns, rows, bytes);
}
