// SPDX-License-Identifier: MIT
// A microphone among PipeWire's: a click at each whole second of CLOCK_MONOTONIC and a tone of 1 kHz in between. Usage:
// source NAME [RATE [CARD]], until it is killed.

#include <math.h>
#include <pipewire/pipewire.h>
#include <signal.h>
#include <spa/param/audio/format-utils.h>
#include <stdlib.h>

struct lab {
    struct pw_main_loop *loop;
    struct pw_stream *stream;
    uint32_t rate;
    uint64_t count;
};

static float value(const struct lab *lab, double seconds, uint64_t count) {
    double rest = seconds - floor(seconds);
    // 2 ms of 2 kHz, then 1 kHz at -20 dB.
    if (rest < 0.002) return (float)(0.8 * sin(2 * M_PI * 2000 * rest));
    return (float)(0.1 * sin(2 * M_PI * 1000 * (double)count / lab->rate));
}

/// As a device has it: what was heard until the cycle began.
static void process(void *data) {
    struct lab *lab = data;
    struct pw_time time = {0};
    pw_stream_get_time_n(lab->stream, &time, sizeof time);
    struct pw_buffer *taken = pw_stream_dequeue_buffer(lab->stream);
    if (!taken) return;
    struct spa_data *target = taken->buffer->datas;
    uint64_t room = target->maxsize / sizeof(float);
    uint64_t count = taken->requested && taken->requested < room ? taken->requested : room;
    float *samples = target->data;
    double begin = (double)time.now / 1e9 - (double)count / lab->rate;
    for (uint64_t at = 0; at < count; at++)
        samples[at] = value(lab, begin + (double)at / lab->rate, lab->count + at);
    lab->count += count;
    *target->chunk = (struct spa_chunk){.size = (uint32_t)(count * sizeof(float)), .stride = sizeof(float)};
    pw_stream_queue_buffer(lab->stream, taken);
}

static const struct pw_stream_events events = {PW_VERSION_STREAM_EVENTS, .process = process};

static void quit(void *data, int number) {
    (void)number;
    pw_main_loop_quit(((struct lab *)data)->loop);
}

int main(int count, char **words) {
    if (count < 2) return 64;
    pw_init(NULL, NULL);
    struct lab lab = {.loop = pw_main_loop_new(NULL), .rate = count > 2 ? (uint32_t)atoi(words[2]) : 48000};
    pw_loop_add_signal(pw_main_loop_get_loop(lab.loop), SIGTERM, quit, &lab);
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_CLASS, "Audio/Source", PW_KEY_NODE_NAME, words[1], PW_KEY_NODE_DESCRIPTION, "Lab microphone",
        PW_KEY_AUDIO_CHANNELS, "1", "priority.session", "1000", NULL);
    if (count > 3) pw_properties_set(properties, "alsa.card", words[3]);
    lab.stream = pw_stream_new_simple(pw_main_loop_get_loop(lab.loop), words[1], properties, &events, &lab);
    uint8_t room[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(room, sizeof room);
    struct spa_audio_info_raw format = {
        .format = SPA_AUDIO_FORMAT_F32, .rate = lab.rate, .channels = 1, .position = {SPA_AUDIO_CHANNEL_MONO}};
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format)};
    if (pw_stream_connect(lab.stream, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                          PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS, params, 1) < 0)
        return 1;
    pw_main_loop_run(lab.loop);
    pw_stream_destroy(lab.stream);
    pw_main_loop_destroy(lab.loop);
    return 0;
}
