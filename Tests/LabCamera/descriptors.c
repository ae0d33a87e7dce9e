// SPDX-License-Identifier: MIT
// USB descriptors of a UVC 1.1 webcam: each format in four sizes, over isochronous or bulk transfers.
// A microphone may sit in it.

#include "camera.h"

#include <string.h>

const struct mode modes[] = {{160, 120}, {320, 240}, {640, 480}, {1280, 720}};
const unsigned mode_count = sizeof modes / sizeof *modes;

enum { DEVICE = 1, CONFIGURATION, STRING, INTERFACE, ENDPOINT, QUALIFIER, ASSOCIATION = 11 };
/// Descriptors of a class: of an interface, for video and sound, and of an endpoint.
enum { CLASS = 0x24, CLASS_ENDPOINT = 0x25 };
/// Strings by index.
enum { LANGUAGES, MAKER, MODEL, SERIAL };

/// Appends to a descriptor.
struct writer { uint8_t *at; };
static void byte(struct writer *to, unsigned value) { *to->at++ = (uint8_t)value; }
static void word(struct writer *to, unsigned value) { byte(to, value), byte(to, value >> 8); }
static void number(struct writer *to, uint32_t value) { word(to, value), word(to, value >> 16); }
static void bytes(struct writer *to, const void *from, size_t count) { memcpy(to->at, from, count), to->at += count; }
static void store(uint8_t *at, size_t value) { at[0] = (uint8_t)value, at[1] = (uint8_t)(value >> 8); }
#define BYTES(to, ...) bytes(to, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

uint8_t format_count(const struct camera *camera) { return camera->kind == COLOUR && !camera->video.exists ? 2 : 1; }

bool is_jpeg(const struct camera *camera, uint8_t format) { return format_count(camera) == 2 && format == 1; }

static unsigned bytes_per_pixel(const struct camera *camera) { return camera->kind == INFRARED ? 1 : 2; }

uint32_t frame_bytes(const struct camera *camera, uint8_t size) {
    return bytes_per_pixel(camera) * modes[size - 1].width * modes[size - 1].height;
}

unsigned intervals(const struct camera *camera, uint8_t format, uint8_t size, uint32_t list[4]) {
    static const uint32_t all[] = {333333, 666666, 1000000, 2000000};
    // USB 2 carries no more than 24 MB/s in isochronous transfers.
    unsigned first = !is_jpeg(camera, format) && !camera->video.exists && size == 4 ? 2 : 0;
    memcpy(list, all + first, sizeof all - first * sizeof *all);
    return 4 - first;
}

/// Which controls of a unit exist, as bits.
static uint32_t bits_of_unit(uint8_t unit) {
    uint32_t bits = 0;
    for (unsigned id = 0; id < CONTROLS; id++)
        if (controls[id].unit == unit) bits |= 1u << controls[id].bit;
    return bits;
}

static void put_bits(struct writer *to, uint32_t bits) {
    BYTES(to, 3, (uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16));
}

/// Interface 0: sensor, processing, a unit of the vendor's, output.
static void put_video_control(struct writer *to) {
    static const char vendor[] = "livecap lab unit";
    BYTES(to, 9, INTERFACE, 0, 0, 0, 14, 1, 0, MODEL);
    uint8_t *header = to->at;
    BYTES(to, 13, CLASS, 1, 0x10, 0x01, 0, 0);
    number(to, 1000000);
    BYTES(to, 1, 1);
    BYTES(to, 18, CLASS, 2, 1, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0);
    put_bits(to, bits_of_unit(1));
    BYTES(to, 13, CLASS, 5, 2, 1, 0, 0);
    put_bits(to, bits_of_unit(2));
    BYTES(to, 0, 0);
    BYTES(to, 26, CLASS, 6, 4);
    bytes(to, vendor, 16);
    BYTES(to, 1, 1, 2, 1, 1, 0);
    BYTES(to, 9, CLASS, 3, 3, 0x01, 0x01, 0, 4, 0);
    store(header + 5, (size_t)(to->at - header));
}

/// Frames of any length (USB Device Class Definition for Video Devices, Frame Based Payload).
static void put_video_format(struct writer *to, const struct camera *camera) {
    static const uint8_t code[16] = {'H', '2', '6', '4', 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    BYTES(to, 28, CLASS, 0x10, 1, (uint8_t)mode_count);
    bytes(to, code, sizeof code);
    BYTES(to, 16, 1, 0, 0, 0, 0, 1);
    for (uint8_t size = 1; size <= mode_count; size++) {
        uint32_t list[4], count = intervals(camera, 1, size, list), frame = frame_bytes(camera, size);
        BYTES(to, (uint8_t)(26 + 4 * count), CLASS, 0x11, size, 0);
        word(to, modes[size - 1].width);
        word(to, modes[size - 1].height);
        number(to, 8 * frame);
        number(to, 8 * frame * 30);
        number(to, list[0]);
        byte(to, count);
        number(to, 0);
        for (uint32_t i = 0; i < count; i++) number(to, list[i]);
    }
    BYTES(to, 6, CLASS, 13, 1, 1, 4);
}

static void put_format(struct writer *to, const struct camera *camera, uint8_t format) {
    static const uint8_t codes[][16] = {
        [COLOUR] = {'Y', 'U', 'Y', '2', 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71},
        [INFRARED] = {'Y', '8', '0', '0', 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71},
        [DEPTH] = {'I', 'N', 'V', 'Z', 0x90, 0x2d, 0x58, 0x4a, 0x92, 0x0b, 0x77, 0x3f, 0x1f, 0x2c, 0x55, 0x6b},
    };
    if (camera->video.exists) {
        put_video_format(to, camera);
        return;
    }
    if (is_jpeg(camera, format)) {
        BYTES(to, 11, CLASS, 6, 1, (uint8_t)mode_count, 0, 1, 0, 0, 0, 0);
    } else {
        BYTES(to, 27, CLASS, 4, format, (uint8_t)mode_count);
        bytes(to, codes[camera->kind], sizeof codes[camera->kind]);
        BYTES(to, (uint8_t)(8 * bytes_per_pixel(camera)), 1, 0, 0, 0, 0);
    }
    for (uint8_t size = 1; size <= mode_count; size++) {
        uint32_t list[4], count = intervals(camera, format, size, list), frame = frame_bytes(camera, size);
        BYTES(to, (uint8_t)(26 + 4 * count), CLASS, is_jpeg(camera, format) ? 7 : 5, size, 0);
        word(to, modes[size - 1].width);
        word(to, modes[size - 1].height);
        number(to, 8 * frame * 5);
        number(to, 8 * frame * 30);
        number(to, frame);
        number(to, list[0]);
        byte(to, count);
        for (uint32_t i = 0; i < count; i++) number(to, list[i]);
    }
    // Colours: BT.709's primaries and curve, BT.601's matrix.
    BYTES(to, 6, CLASS, 13, 1, 1, 4);
}

/// Interface 1: the formats, and the settings of the endpoint.
static void put_video_stream(struct writer *to, const struct camera *camera) {
    uint8_t formats = format_count(camera);
    BYTES(to, 9, INTERFACE, 1, 0, camera->is_bulk, 14, 2, 0, 0);
    uint8_t *header = to->at;
    BYTES(to, (uint8_t)(13 + formats), CLASS, 1, formats, 0, 0, 0x81, 0, 3, 0, 0, 0, 1);
    for (uint8_t format = 1; format <= formats; format++) byte(to, 0);
    for (uint8_t format = 1; format <= formats; format++) put_format(to, camera, format);
    store(header + 4, (size_t)(to->at - header));
    if (camera->is_bulk) {
        BYTES(to, 7, ENDPOINT, 0x81, 2, 0, 2, 0);
        return;
    }
    // One, two and three packets of 1024 bytes in 125 microseconds.
    for (uint8_t setting = 1; setting <= 3; setting++) {
        BYTES(to, 9, INTERFACE, 1, setting, 1, 14, 2, 0, 0);
        BYTES(to, 7, ENDPOINT, 0x81, 5, 0, (uint8_t)(4 | (setting - 1) << 3), 1);
    }
}

/// Interfaces 2 and 3, USB Audio 1.0: a microphone without controls, and its samples, mono with 16 bits.
static void put_microphone(struct writer *to) {
    BYTES(to, 8, ASSOCIATION, 2, 2, 1, 0, 0, MODEL);
    BYTES(to, 9, INTERFACE, 2, 0, 0, 1, 1, 0, MODEL);
    BYTES(to, 9, CLASS, 1, 0x00, 0x01, 9 + 12 + 9, 0, 1, 3);
    BYTES(to, 12, CLASS, 2, 1, 0x01, 0x02, 0, 1, 0, 0, 0, 0);
    BYTES(to, 9, CLASS, 3, 2, 0x01, 0x01, 0, 1, 0);
    // Silent in its first setting.
    BYTES(to, 9, INTERFACE, 3, 0, 0, 1, 2, 0, 0);
    BYTES(to, 9, INTERFACE, 3, 1, 1, 1, 2, 0, 0);
    BYTES(to, 7, CLASS, 1, 2, 1, 0x01, 0x00);
    BYTES(to, 11, CLASS, 2, 1, 1, 2, 16, 1, (uint8_t)SOUND_RATE, (uint8_t)(SOUND_RATE >> 8), SOUND_RATE >> 16);
    // One packet per millisecond, by a clock of its own.
    BYTES(to, 9, ENDPOINT, 0x82, 0x05, 2 * SOUND_PACKET_SAMPLES, 0, 4, 0, 0);
    BYTES(to, 7, CLASS_ENDPOINT, 1, 0, 0, 0, 0);
}

static void put_configuration(struct writer *to, const struct camera *camera) {
    uint8_t *start = to->at;
    BYTES(to, 9, CONFIGURATION, 0, 0, camera->sound.exists ? 4 : 2, 1, 0, 0x80, 250);
    BYTES(to, 8, ASSOCIATION, 0, 2, 14, 3, 0, MODEL);
    put_video_control(to);
    put_video_stream(to, camera);
    if (camera->sound.exists) put_microphone(to);
    store(start + 2, (size_t)(to->at - start));
}

static void put_string(struct writer *to, const char *text) {
    byte(to, (unsigned)(2 + 2 * strlen(text)));
    byte(to, STRING);
    for (; *text; text++) word(to, (uint8_t)*text);
}

size_t descriptor(const struct camera *camera, uint8_t type, uint8_t index, uint8_t *data) {
    struct writer to = {data};
    switch (type) {
    case DEVICE:
        BYTES(&to, 18, DEVICE, 0, 2, 0xef, 2, 1, 64);
        word(&to, camera->vendor);
        word(&to, camera->product);
        BYTES(&to, 0, 1, MAKER, MODEL, camera->serial[0] ? SERIAL : 0, 1);
        break;
    case CONFIGURATION: put_configuration(&to, camera); break;
    case QUALIFIER: BYTES(&to, 10, QUALIFIER, 0, 2, 0xef, 2, 1, 64, 1, 0); break;
    case STRING:
        switch (index) {
        case LANGUAGES: BYTES(&to, 4, STRING, 0x09, 0x04); break;
        case MAKER: put_string(&to, "livecap"); break;
        case MODEL: put_string(&to, camera->model); break;
        case SERIAL: put_string(&to, camera->serial); break;
        default: break;
        }
        break;
    default: break;
    }
    return (size_t)(to.at - data);
}
