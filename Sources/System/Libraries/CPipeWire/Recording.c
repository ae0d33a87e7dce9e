// SPDX-License-Identifier: MIT
// Takes the sound of a source: a stream of class Stream/Input/Audio, whose blocks PipeWire's real-time thread puts
// where one thread of ours finds them, each with the time of its end.

#include "CPipeWireSound.h"
#include "Library.h"
#include "Parameters.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/// 5 seconds of sound, and blocks of it as short as 1 ms. Powers of two.
#define FRAMES (1u << 18)
#define BLOCKS (1u << 13)

struct block {
    uint32_t count;
    bool has_gap;
    int64_t end_ns;
};

struct lc_pipewire_recording {
    struct lc_pw pw;
    void *loop, *stream;
    uint32_t channels;
    int bell;
    _Atomic int state;
    // One writer, PipeWire's real-time thread, and one reader: numbers of blocks, and of frames.
    _Atomic uint32_t written, read;
    _Atomic uint32_t frames_read;
    struct block *blocks;
    float *frames;
    // The real-time thread alone.
    uint32_t frames_written;
    bool has_gap, has_ticks;
    uint64_t ticks_due;
    // The reader alone.
    uint32_t taken;
    bool is_first;
};

static void ring(struct lc_pipewire_recording *recording) {
    uint64_t one = 1;
    // It can only fail if it was rung and nobody has looked.
    ssize_t result = write(recording->bell, &one, sizeof one);
    (void)result;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

// MARK: What PipeWire's threads call

static void state_changed(void *data, int old, int state, const char *error) {
    struct lc_pipewire_recording *recording = data;
    int seen = LC_PIPEWIRE_WAITING;
    if (state == LC_PW_STATE_STREAMING) seen = LC_PIPEWIRE_STREAMING;
    if (state == LC_PW_STATE_ERROR) seen = LC_PIPEWIRE_REFUSED;
    // A session manager removes the stream of a source that has gone. A daemon that ends leaves an error.
    if (state == LC_PW_STATE_UNCONNECTED && old != LC_PW_STATE_UNCONNECTED)
        seen = error ? LC_PIPEWIRE_ENDED : LC_PIPEWIRE_REFUSED;
    // What is over stays so.
    if (atomic_load(&recording->state) < LC_PIPEWIRE_REFUSED) atomic_store(&recording->state, seen);
    ring(recording);
}

/// Whether cycles were missed since the last block, by the graph's own count of samples.
static bool has_jumped(struct lc_pipewire_recording *recording, const struct lc_pw_time *time, uint32_t count) {
    if (!time->rate_denominator || !time->rate_numerator) return false;
    double scale = (double)time->rate_denominator / time->rate_numerator / LC_PIPEWIRE_RATE;
    uint64_t length = (uint64_t)(count * scale + 0.5);
    bool has_jumped = recording->has_ticks && time->ticks > recording->ticks_due + length / 2;
    recording->has_ticks = true;
    recording->ticks_due = time->ticks + length;
    return has_jumped;
}

/// When the last of a block's frames was captured. PipeWire says how long before the beginning of the cycle the first
/// one was: so the last one lies the block's length later, but not after that beginning.
static int64_t end_of(const struct lc_pw_time *time, uint32_t count) {
    int64_t present = now();
    if (!time->rate_denominator) return present;
    double second = 1e9, length = count * second / LC_PIPEWIRE_RATE;
    double delay = (double)time->delay * time->rate_numerator / time->rate_denominator * second;
    double age = delay > length ? delay - length : 0;
    // What PipeWire's resampler still has is newer.
    age += (double)time->buffered * second / LC_PIPEWIRE_RATE;
    int64_t end = time->now - (int64_t)age;
    // A graph may be driven by another clock than ours.
    return end <= present && present - end < 1000000000 ? end : present;
}

/// Puts a block where the reader finds it. If there is no room, it is lost, and the next one says so.
static void keep(struct lc_pipewire_recording *recording, const float *samples, uint32_t count, int64_t end_ns) {
    uint32_t written = atomic_load_explicit(&recording->written, memory_order_relaxed);
    uint32_t blocks = written - atomic_load_explicit(&recording->read, memory_order_acquire);
    uint32_t frames =
        recording->frames_written - atomic_load_explicit(&recording->frames_read, memory_order_acquire);
    if (blocks >= BLOCKS || frames + count > FRAMES) {
        recording->has_gap = true;
        return;
    }
    uint32_t channels = recording->channels, at = recording->frames_written & (FRAMES - 1);
    uint32_t first = count < FRAMES - at ? count : FRAMES - at;
    memcpy(recording->frames + (size_t)at * channels, samples, (size_t)first * channels * sizeof *samples);
    memcpy(recording->frames, samples + (size_t)first * channels,
           (size_t)(count - first) * channels * sizeof *samples);
    recording->frames_written += count;
    recording->blocks[written & (BLOCKS - 1)] = (struct block){count, recording->has_gap, end_ns};
    recording->has_gap = false;
    atomic_store_explicit(&recording->written, written + 1, memory_order_release);
    ring(recording);
}

static void process(void *data) {
    struct lc_pipewire_recording *recording = data;
    struct lc_pw_time time = {.now = 0};
    // It fails while the stream's state lags behind, but what it gives is right.
    recording->pw.stream_get_time_n(recording->stream, &time, sizeof time);
    struct lc_pw_buffer *taken;
    while ((taken = recording->pw.stream_dequeue_buffer(recording->stream))) {
        struct lc_spa_data *source = taken->buffer->datas;
        if (taken->buffer->data_count > 0 && source->data && source->chunk) {
            uint32_t offset = source->chunk->offset < source->max_size ? source->chunk->offset : source->max_size;
            uint32_t room = source->max_size - offset;
            uint32_t size = source->chunk->size < room ? source->chunk->size : room;
            uint32_t count = size / (recording->channels * (uint32_t)sizeof(float));
            if (count > 0) {
                if (has_jumped(recording, &time, count)) recording->has_gap = true;
                keep(recording, (const float *)((const char *)source->data + offset), count, end_of(&time, count));
            }
        }
        recording->pw.stream_queue_buffer(recording->stream, taken);
    }
}

static const struct lc_pw_stream_events events = {.version = 2, .state_changed = state_changed, .process = process};

// MARK: The stream

static struct object format_wanted(uint32_t channels) {
    const uint32_t mono[] = {LC_PW_AUDIO_MONO}, stereo[] = {LC_PW_AUDIO_LEFT, LC_PW_AUDIO_RIGHT};
    struct object format;
    begin(&format, LC_PW_OBJECT_FORMAT, LC_PW_PARAM_ENUM_FORMAT);
    add_id(&format, LC_PW_FORMAT_MEDIA_TYPE, LC_PW_MEDIA_TYPE_AUDIO);
    add_id(&format, LC_PW_FORMAT_MEDIA_SUBTYPE, LC_PW_MEDIA_SUBTYPE_RAW);
    add_id(&format, LC_PW_FORMAT_AUDIO_FORMAT, LC_PW_AUDIO_FORMAT_FLOAT);
    add_int(&format, LC_PW_FORMAT_AUDIO_RATE, LC_PIPEWIRE_RATE);
    add_int(&format, LC_PW_FORMAT_AUDIO_CHANNELS, channels);
    add_list(&format, LC_PW_FORMAT_AUDIO_POSITION, LC_PW_TYPE_ID, channels == 1 ? mono : stereo, channels);
    return format;
}

static int connect(struct lc_pipewire_recording *recording, const char *wish) {
    char target[256], choice[400] = "", properties[900];
    lc_pw_copy_plain(target, sizeof target, wish);
    // A source that was named is waited for; no other one stands in for it.
    if (*target)
        snprintf(choice, sizeof choice,
                 ", target.object = \"%s\", node.dont-reconnect = true, node.dont-fallback = true", target);
    // Long cycles: movies need no haste, and a busy machine misses fewer of them.
    snprintf(properties, sizeof properties,
             "{ media.type = \"Audio\", media.category = \"Capture\", media.role = \"Camera\", "
             "node.name = \"livecap\", node.description = \"livecap\", media.name = \"sound of movies\", "
             "application.name = \"livecap\", node.latency = \"2048/48000\"%s }",
             choice);
    recording->stream = recording->pw.stream_new_simple(
        recording->pw.thread_loop_get_loop(recording->loop), "livecap",
        recording->pw.properties_new_string(properties), &events, recording);
    if (!recording->stream) return -errno;
    struct object format = format_wanted(recording->channels);
    const void *params[] = {format.words};
    return recording->pw.stream_connect(
        recording->stream, LC_PW_DIRECTION_INPUT, LC_PW_ID_ANY,
        LC_PW_STREAM_AUTOCONNECT | LC_PW_STREAM_MAP_BUFFERS | LC_PW_STREAM_RT_PROCESS, params, 1);
}

enum lc_pipewire_result lc_pipewire_recording_open(
    const struct lc_pipewire_recording_settings *settings, struct lc_pipewire_recording **made, char *why,
    size_t room) {
    struct lc_pipewire_recording *recording = calloc(1, sizeof *recording);
    if (!recording) {
        snprintf(why, room, "%s", strerror(ENOMEM));
        return LC_PIPEWIRE_NOT_RUNNING;
    }
    if (!lc_pw_load(settings->library, &recording->pw, why, room)) {
        free(recording);
        return LC_PIPEWIRE_NO_LIBRARY;
    }
    recording->channels = settings->channels == 1 ? 1 : 2;
    recording->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    recording->blocks = calloc(BLOCKS, sizeof *recording->blocks);
    recording->frames = calloc((size_t)FRAMES * recording->channels, sizeof *recording->frames);
    recording->loop = recording->pw.thread_loop_new("livecap sound", NULL);
    int result = recording->bell < 0 ? -errno : -ENOMEM;
    if (recording->bell >= 0 && recording->blocks && recording->frames && recording->loop) {
        recording->pw.thread_loop_lock(recording->loop);
        result = recording->pw.thread_loop_start(recording->loop);
        if (result >= 0) result = connect(recording, settings->target);
        recording->pw.thread_loop_unlock(recording->loop);
    }
    if (result < 0) {
        snprintf(why, room, "%s", strerror(-result));
        lc_pipewire_recording_close(recording);
        return LC_PIPEWIRE_NOT_RUNNING;
    }
    *made = recording;
    return LC_PIPEWIRE_OK;
}

// MARK: The reader

enum lc_pipewire_state lc_pipewire_recording_state(struct lc_pipewire_recording *recording) {
    return (enum lc_pipewire_state)atomic_load(&recording->state);
}

/// Waits until the bell rings. False if the time is over.
static bool wait_for_bell(struct lc_pipewire_recording *recording, int64_t deadline) {
    int64_t left = (deadline - now() + 999999) / 1000000;
    if (left <= 0) return false;
    struct pollfd polled = {.fd = recording->bell, .events = POLLIN};
    if (poll(&polled, 1, (int)left) > 0) {
        uint64_t rings;
        ssize_t result = read(recording->bell, &rings, sizeof rings);
        (void)result;
    }
    return true;
}

enum lc_pipewire_state lc_pipewire_recording_start(struct lc_pipewire_recording *recording, int milliseconds) {
    int64_t deadline = now() + milliseconds * 1000000ll;
    while (lc_pipewire_recording_state(recording) == LC_PIPEWIRE_WAITING) {
        if (!wait_for_bell(recording, deadline)) break;
    }
    uint32_t written = atomic_load_explicit(&recording->written, memory_order_acquire);
    uint32_t read = atomic_load_explicit(&recording->read, memory_order_relaxed);
    // From the beginning of a block that was read in part.
    uint32_t frames = atomic_load_explicit(&recording->frames_read, memory_order_relaxed) - recording->taken;
    for (; read != written; read++) frames += recording->blocks[read & (BLOCKS - 1)].count;
    atomic_store_explicit(&recording->frames_read, frames, memory_order_release);
    atomic_store_explicit(&recording->read, read, memory_order_release);
    recording->taken = 0;
    recording->is_first = true;
    return lc_pipewire_recording_state(recording);
}

bool lc_pipewire_recording_read(struct lc_pipewire_recording *recording, float *samples, uint32_t room,
                                int milliseconds, struct lc_pipewire_samples *result) {
    int64_t deadline = now() + milliseconds * 1000000ll;
    uint32_t at = atomic_load_explicit(&recording->read, memory_order_relaxed);
    while (at == atomic_load_explicit(&recording->written, memory_order_acquire)) {
        if (lc_pipewire_recording_state(recording) >= LC_PIPEWIRE_REFUSED) return false;
        if (!wait_for_bell(recording, deadline)) return false;
    }
    struct block *block = recording->blocks + (at & (BLOCKS - 1));
    bool has_gap = block->has_gap && !recording->is_first;
    block->has_gap = false;
    recording->is_first = false;
    *result = (struct lc_pipewire_samples){.has_gap = has_gap};
    if (has_gap) return true;
    uint32_t left = block->count - recording->taken, count = left < room ? left : room;
    uint32_t begin = atomic_load_explicit(&recording->frames_read, memory_order_relaxed);
    uint32_t place = begin & (FRAMES - 1), channels = recording->channels;
    uint32_t first = count < FRAMES - place ? count : FRAMES - place;
    memcpy(samples, recording->frames + (size_t)place * channels, (size_t)first * channels * sizeof *samples);
    memcpy(samples + (size_t)first * channels, recording->frames,
           (size_t)(count - first) * channels * sizeof *samples);
    *result = (struct lc_pipewire_samples){.count = count, .left = left - count, .time_ns = block->end_ns};
    recording->taken += count;
    atomic_store_explicit(&recording->frames_read, begin + count, memory_order_release);
    if (recording->taken == block->count) {
        recording->taken = 0;
        atomic_store_explicit(&recording->read, at + 1, memory_order_release);
    }
    return true;
}

void lc_pipewire_recording_close(struct lc_pipewire_recording *recording) {
    if (recording->loop) {
        recording->pw.thread_loop_stop(recording->loop);
        if (recording->stream) recording->pw.stream_destroy(recording->stream);
        recording->pw.thread_loop_destroy(recording->loop);
    }
    if (recording->bell >= 0) close(recording->bell);
    free(recording->blocks);
    free(recording->frames);
    free(recording);
}
