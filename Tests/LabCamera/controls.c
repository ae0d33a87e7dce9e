// SPDX-License-Identifier: MIT
// The camera's controls: their values, their ranges, and those an automatic mode locks.

#include "camera.h"

#include <string.h>

/// Units of descriptors.c: camera terminal, processing unit, extension unit.
enum { CAMERA = 1, PROCESSING = 2, EXTENSION = 4 };

// The exposure mode is a set of bits: 1 manual, 8 automatic (aperture priority). Its step is the set it accepts.
const struct control controls[CONTROLS] = {
    [EXPOSURE_AUTO] = {"exposure-auto", CAMERA, 0x02, 1, 1, 1, 1, 8, 9, 8, CONTROLS, 0},
    [EXPOSURE_PRIORITY] = {"exposure-priority", CAMERA, 0x03, 2, 1, 1, 0, 1, 1, 0, CONTROLS, 0},
    [EXPOSURE] = {"exposure", CAMERA, 0x04, 3, 4, 1, 1, 5000, 1, 156, EXPOSURE_AUTO, 1},
    [FOCUS] = {"focus", CAMERA, 0x06, 5, 2, 1, 0, 250, 5, 30, FOCUS_AUTO, 0},
    [FOCUS_AUTO] = {"focus-auto", CAMERA, 0x08, 17, 1, 1, 0, 1, 1, 1, CONTROLS, 0},
    [ZOOM] = {"zoom", CAMERA, 0x0b, 9, 2, 1, 100, 500, 1, 100, CONTROLS, 0},
    [PAN_TILT] = {"pan-tilt", CAMERA, 0x0d, 11, 4, 2, -36000, 36000, 3600, 0, CONTROLS, 0},
    [PRIVACY] = {"privacy", CAMERA, 0x11, 18, 1, 1, 0, 1, 1, 0, CONTROLS, 0},
    [BACKLIGHT] = {"backlight", PROCESSING, 0x01, 8, 2, 1, 0, 2, 1, 1, CONTROLS, 0},
    [BRIGHTNESS] = {"brightness", PROCESSING, 0x02, 0, 2, 1, -64, 64, 1, 0, CONTROLS, 0},
    [CONTRAST] = {"contrast", PROCESSING, 0x03, 1, 2, 1, 0, 95, 1, 32, CONTROLS, 0},
    [SATURATION] = {"saturation", PROCESSING, 0x07, 3, 2, 1, 0, 100, 1, 64, CONTROLS, 0},
    [GAIN] = {"gain", PROCESSING, 0x04, 9, 2, 1, 0, 255, 1, 0, CONTROLS, 0},
    [POWER_LINE] = {"power-line", PROCESSING, 0x05, 10, 1, 1, 0, 2, 1, 1, CONTROLS, 0},
    [WHITE_BALANCE] = {"white-balance", PROCESSING, 0x0a, 6, 2, 1, 2800, 6500, 10, 4600, WHITE_BALANCE_AUTO, 0},
    [WHITE_BALANCE_AUTO] = {"white-balance-auto", PROCESSING, 0x0b, 12, 1, 1, 0, 1, 1, 1, CONTROLS, 0},
    [VENDOR] = {"vendor", EXTENSION, 0x01, 0, 4, 1, 0, 1000, 1, 7, CONTROLS, 0},
};

enum { SET_CURRENT = 0x01, GET_CURRENT = 0x81, GET_MIN, GET_MAX, GET_STEP, GET_LENGTH, GET_INFO, GET_INITIAL };
/// Refusals, as UVC numbers them.
enum { WRONG_STATE = 3, OUT_OF_RANGE = 4, UNKNOWN_CONTROL = 6, UNKNOWN_REQUEST = 7 };

void reset_controls(struct camera *camera) {
    for (unsigned id = 0; id < CONTROLS; id++)
        camera->values[id][0] = camera->values[id][1] = controls[id].initial;
}

static bool is_locked(const struct camera *camera, const struct control *control) {
    return control->lock != CONTROLS && camera->values[control->lock][0] != control->unlocking;
}

static bool is_fixed(const struct camera *camera, const struct control *control) {
    return camera->has_fixed_contrast && control == &controls[CONTRAST];
}

/// Writes `parts` little-endian numbers.
static int put(const struct control *control, const int32_t *values, uint8_t *data) {
    for (unsigned part = 0; part < control->parts; part++)
        for (unsigned byte = 0; byte < control->bytes; byte++)
            *data++ = (uint8_t)((uint32_t)values[part] >> (8 * byte));
    return control->parts * control->bytes;
}

static int put_both(const struct control *control, int32_t value, uint8_t *data) {
    return put(control, (int32_t[]){value, value}, data);
}

static int refuse(struct camera *camera, uint8_t why) {
    camera->refusal = why;
    return STALL;
}

static int set(struct camera *camera, enum control_id id, const struct request *request, const uint8_t *data) {
    const struct control *control = &controls[id];
    if (request->length != control->bytes * control->parts) return refuse(camera, UNKNOWN_REQUEST);
    if (use_fault(camera, FAULT_REFUSE_CONTROL)) return refuse(camera, UNKNOWN_REQUEST);
    if (is_locked(camera, control)) return refuse(camera, WRONG_STATE);
    if (is_fixed(camera, control)) return refuse(camera, UNKNOWN_REQUEST);
    int32_t values[2] = {0, 0};
    for (unsigned part = 0; part < control->parts; part++) {
        uint32_t value = 0;
        for (unsigned byte = 0; byte < control->bytes; byte++) value |= (uint32_t)*data++ << (8 * byte);
        // A number of two bytes has a sign.
        values[part] = control->bytes == 2 && control->min < 0 ? (int16_t)value : (int32_t)value;
        // The kernel sets all bits of a button that is pressed.
        if (id == VENDOR && values[part] == -1) values[part] = 1;
        bool fits = id == EXPOSURE_AUTO ? values[part] == 1 || values[part] == 8
                                        : values[part] >= control->min && values[part] <= control->max;
        if (!fits) return refuse(camera, OUT_OF_RANGE);
    }
    memcpy(camera->values[id], values, sizeof values);
    if (id == VENDOR) camera->video.wants_key = true;
    return 0;
}

int control_request(struct camera *camera, const struct request *request, uint8_t *data) {
    uint8_t unit = (uint8_t)(request->index >> 8), selector = (uint8_t)(request->value >> 8);
    if (unit == 0 && selector == 2 && request->code == GET_CURRENT) {
        data[0] = camera->refusal;
        camera->refusal = 0;
        return 1;
    }
    if (use_fault(camera, FAULT_HANG_CONTROL)) return SILENCE;
    for (unsigned id = 0; id < CONTROLS; id++) {
        const struct control *control = &controls[id];
        if (control->unit != unit || control->selector != selector) continue;
        switch (request->code) {
        case SET_CURRENT: return set(camera, (enum control_id)id, request, data);
        case GET_CURRENT: return put(control, camera->values[id], data);
        case GET_MIN: return put_both(control, control->min, data);
        case GET_MAX: return put_both(control, control->max, data);
        case GET_STEP: return put_both(control, control->step, data);
        case GET_INITIAL: return put_both(control, control->initial, data);
        case GET_LENGTH:
            data[0] = control->bytes * control->parts;
            data[1] = 0;
            return 2;
        case GET_INFO:
            // Can be read and set, or only read; disabled by an automatic mode.
            data[0] = (is_fixed(camera, control) ? 1 : 3) | (is_locked(camera, control) ? 4 : 0);
            return 1;
        default: return refuse(camera, UNKNOWN_REQUEST);
        }
    }
    return refuse(camera, UNKNOWN_CONTROL);
}

bool is_exposure_automatic(const struct camera *camera) { return camera->values[EXPOSURE_AUTO][0] != 1; }

uint32_t exposure_in_force(const struct camera *camera) {
    if (is_exposure_automatic(camera)) return (uint32_t)controls[EXPOSURE].initial;
    uint32_t exposure = (uint32_t)camera->values[EXPOSURE][0], frame = camera->stream.interval / 1000;
    // Without priority the rate is kept, and light is gathered for at most a frame's time.
    return camera->values[EXPOSURE_PRIORITY][0] || exposure < frame ? exposure : frame;
}
