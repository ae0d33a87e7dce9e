// SPDX-License-Identifier: MIT
// Requests of the control pipe: USB's own, and the negotiation of a stream. Controls are in controls.c.

#include "camera.h"

#include <string.h>

enum { SET_CURRENT = 0x01, GET_CURRENT = 0x81, GET_MIN, GET_MAX, GET_STEP, GET_LENGTH, GET_INFO, GET_INITIAL };
enum { PROBE = 1, COMMIT = 2 };
/// The interface of the microphone's samples. Its control interface, before it, has no controls.
enum { SOUND = 3 };
enum { GET_STATUS = 0, GET_DESCRIPTOR = 6, GET_CONFIGURATION = 8, GET_INTERFACE = 10, SET_INTERFACE = 11 };

static uint32_t load(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store(uint8_t *at, uint32_t value) {
    for (unsigned i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static uint8_t clamped(uint8_t value, uint8_t max) { return value < 1 ? 1 : value > max ? max : value; }

/// Turns what the host wishes (format, size, interval) into what it gets.
static void negotiate(const struct camera *camera, uint8_t *probe) {
    uint8_t format = clamped(probe[2], format_count(camera)), size = clamped(probe[3], (uint8_t)mode_count);
    uint32_t wished = load(probe + 4), list[4], count = intervals(camera, format, size, list), interval = list[0];
    for (uint32_t i = 1; i < count; i++) {
        int64_t near = (int64_t)interval - wished, other = (int64_t)list[i] - wished;
        if (wished != 0 && (other < 0 ? -other : other) < (near < 0 ? -near : near)) interval = list[i];
    }
    memset(probe, 0, sizeof camera->stream.probe);
    probe[2] = format;
    probe[3] = size;
    store(probe + 4, interval);
    store(probe + 18, frame_bytes(camera, size));
    // JPEG and the smallest pictures need less of the bus.
    bool is_small = is_jpeg(camera, format) || size == 1;
    store(probe + 22, camera->is_bulk ? BULK_PAYLOAD : is_small ? 1024 : ISOCHRONOUS_PAYLOAD);
    store(probe + 26, 1000000);
}

static int stream_request(struct camera *camera, const struct request *request, uint8_t *data) {
    struct stream *stream = &camera->stream;
    uint8_t selector = (uint8_t)(request->value >> 8);
    if (selector != PROBE && selector != COMMIT) return STALL;
    switch (request->code) {
    case SET_CURRENT:
        if (selector == COMMIT && use_fault(camera, FAULT_REFUSE_COMMIT)) return STALL;
        memcpy(stream->probe, data, request->length < sizeof stream->probe ? request->length : sizeof stream->probe);
        // A camera that grants what was not asked for.
        if (use_fault(camera, FAULT_OTHER_GRANT)) stream->probe[3] = (uint8_t)camera->faults[FAULT_OTHER_GRANT].value;
        negotiate(camera, stream->probe);
        if (selector == COMMIT) {
            stop_stream(camera);
            stream->format = stream->probe[2];
            stream->size = stream->probe[3];
            stream->interval = load(stream->probe + 4);
            camera->commits++;
        }
        return 0;
    case GET_INITIAL: case GET_MIN: case GET_MAX: case GET_CURRENT:
        if (request->code == GET_INITIAL) memset(stream->probe, 0, sizeof stream->probe);
        negotiate(camera, stream->probe);
        memcpy(data, stream->probe, sizeof stream->probe);
        return sizeof stream->probe;
    case GET_LENGTH:
        data[0] = sizeof stream->probe;
        data[1] = 0;
        return 2;
    case GET_INFO: data[0] = 3; return 1;
    default: return STALL;
    }
}

static int standard_request(struct camera *camera, const struct request *request, uint8_t *data) {
    switch (request->code) {
    case GET_DESCRIPTOR: {
        size_t count = descriptor(camera, (uint8_t)(request->value >> 8), (uint8_t)request->value, data);
        return count > 0 ? (int)count : STALL;
    }
    case GET_STATUS: memset(data, 0, 2); return 2;
    case GET_CONFIGURATION: case GET_INTERFACE: data[0] = 0; return 1;
    case SET_INTERFACE:
        if (request->index == SOUND) {
            stop_sound(camera);
            camera->sound.is_on = request->value > 0;
            return 0;
        }
        if (request->value > 0 && use_fault(camera, FAULT_REFUSE_SETTING)) return STALL;
        if (request->index == 1) stop_stream(camera);
        return 0;
    default: return 0;
    }
}

int answer(struct camera *camera, const struct request *request, uint8_t *data) {
    if (use_fault(camera, FAULT_SILENT)) return SILENCE;
    bool is_of_class = (request->type & 0x60) == 0x20;
    if (!is_of_class) return standard_request(camera, request, data);
    if ((request->index & 0xff) >= SOUND - 1) return STALL;
    return (request->index & 0xff) == 1 ? stream_request(camera, request, data)
                                        : control_request(camera, request, data);
}
