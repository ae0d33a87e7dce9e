// SPDX-License-Identifier: MIT
// The microphone: a faint tone, and a click with each flash of the pictures, by a clock that may be wrong.

#include "camera.h"

/// A packet is due in each of the host's milliseconds; how many samples it has is the microphone's own affair.
#define PACKET_NS 1000000
/// Packets that are sent together: waking up the host for each of them would take most of an emulated processor.
#define TOGETHER 4
/// A click is two milliseconds of a square wave of 1500 Hz. It begins upwards, and downwards for each second camera, so
/// that a test knows whose click it hears.
#define CLICK_NS 2000000
#define CLICK_LEVEL 24000
/// The tone is a triangle of 480 Hz.
#define TONE_PERIOD 100

void stop_sound(struct camera *camera) { camera->sound.begun = 0; }

void click(struct camera *camera, int64_t time) {
    camera->sound.click = time;
    if (camera->sound.begun > 0) camera->sound.clicks++;
}

/// Samples of a stretch of time, by the microphone's true clock.
static int64_t samples_in(const struct sound *sound, int64_t ns) {
    return (int64_t)((double)ns * 1e-9 * SOUND_RATE * (1 + sound->ppm * 1e-6));
}

/// When a sample is captured.
static int64_t time_of(const struct sound *sound, int64_t sample) {
    return sound->begun + (int64_t)((double)sample * 1e9 / (SOUND_RATE * (1 + sound->ppm * 1e-6)));
}

static int16_t value(const struct sound *sound, int64_t sample) {
    int64_t since = time_of(sound, sample) - sound->click;
    if (sound->click > 0 && since >= 0 && since < CLICK_NS)
        return (since / 333333 % 2 == 0) != sound->is_inverted ? CLICK_LEVEL : -CLICK_LEVEL;
    int phase = (int)(sample % TONE_PERIOD);
    return (int16_t)(phase < TONE_PERIOD / 2 ? 8 * phase - 200 : 600 - 8 * phase);
}

/// Fills the oldest waiting transfer and completes it.
static void transfer(struct camera *camera) {
    static uint8_t data[2 * MAX_PACKETS * SOUND_PACKET_SAMPLES];
    struct sound *sound = &camera->sound;
    struct transfer transfer = take(&sound->queue);
    uint32_t bytes = 0, lengths[MAX_PACKETS] = {0};
    for (uint32_t i = 0; i < transfer.packets; i++) {
        sound->packets++;
        int64_t count = samples_in(sound, sound->packets * PACKET_NS) - sound->samples;
        if (count > transfer.packet[i].bytes / 2) count = transfer.packet[i].bytes / 2;
        if (count > SOUND_PACKET_SAMPLES) count = SOUND_PACKET_SAMPLES;
        lengths[i] = (uint32_t)(2 * count);
        for (; count > 0; count--, bytes += 2) {
            int16_t sample = value(sound, sound->samples++);
            data[bytes] = (uint8_t)sample;
            data[bytes + 1] = (uint8_t)(sample >> 8);
        }
    }
    complete(camera, &transfer, data, bytes, lengths);
}

int64_t run_sound(struct camera *camera, int64_t now) {
    struct sound *sound = &camera->sound;
    if (!sound->is_on || use_fault(camera, FAULT_DEAF)) {
        // What is captured now is lost.
        sound->begun = 0;
        return INT64_MAX;
    }
    if (sound->queue.count == 0) return INT64_MAX;
    if (sound->begun == 0) {
        sound->begun = now;
        sound->packets = sound->samples = 0;
    }
    int64_t due = sound->begun + (sound->packets + TOGETHER) * PACKET_NS;
    if (now < due) return due;
    // What is late is sent at once: nothing is lost because this program or the host was slow.
    while (sound->queue.count > 0 && sound->begun + (sound->packets + 1) * PACKET_NS <= now) transfer(camera);
    flush(camera);
    return sound->queue.count > 0 ? sound->begun + (sound->packets + TOGETHER) * PACKET_NS : INT64_MAX;
}
