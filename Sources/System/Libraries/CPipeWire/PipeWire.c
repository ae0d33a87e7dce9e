// SPDX-License-Identifier: MIT
// A node of class Video/Source: its format, its buffers, and the pictures that go into them.

#include "CPipeWire.h"
#include "Library.h"
#include "Parameters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lc_pipewire_node {
    struct lc_pw pw;
    void *loop;
    void *stream;
    struct lc_pipewire_settings settings;
    uint32_t stride, size;
    // Used under the loop's lock, which its thread holds while it calls us.
    uint8_t *picture;
    int64_t time_ns;
    uint64_t count;
    // PipeWire's thread alone.
    bool has_failed;
};

// MARK: The format

/// The rate, and the next whole number of frames per second if it is none: Chromium asks for whole numbers only.
static void add_rate(struct object *object, uint32_t numerator, uint32_t denominator) {
    uint32_t whole = (numerator + denominator - 1) / denominator;
    const uint32_t rates[] = {numerator, denominator, numerator, denominator, whole, 1};
    if (numerator % denominator == 0)
        add(object, LC_PW_FORMAT_VIDEO_RATE, LC_PW_TYPE_FRACTION, 2, whole, 1);
    else
        add_choice(object, LC_PW_FORMAT_VIDEO_RATE, LC_PW_CHOICE_ENUM, LC_PW_TYPE_FRACTION, 2, rates, 3);
}

static struct object format_offered(const struct lc_pipewire_settings *settings) {
    struct object format;
    begin(&format, LC_PW_OBJECT_FORMAT, LC_PW_PARAM_ENUM_FORMAT);
    add_id(&format, LC_PW_FORMAT_MEDIA_TYPE, LC_PW_MEDIA_TYPE_VIDEO);
    add_id(&format, LC_PW_FORMAT_MEDIA_SUBTYPE, LC_PW_MEDIA_SUBTYPE_RAW);
    add_id(&format, LC_PW_FORMAT_VIDEO_FORMAT, LC_PW_VIDEO_FORMAT_YUY2);
    add(&format, LC_PW_FORMAT_VIDEO_SIZE, LC_PW_TYPE_RECTANGLE, 2, settings->width, settings->height);
    add_rate(&format, settings->rate_numerator, settings->rate_denominator);
    return format;
}

// MARK: What PipeWire's thread calls

static void state_changed(void *data, int old, int state, const char *error) {
    (void)error;
    struct lc_pipewire_node *node = data;
    // A daemon that ends leaves the stream unconnected.
    bool is_lost = state == LC_PW_STATE_ERROR || (state == LC_PW_STATE_UNCONNECTED && old > LC_PW_STATE_UNCONNECTED);
    if (is_lost) node->has_failed = true;
    node->settings.changed(node->settings.owner, state == LC_PW_STATE_STREAMING, node->has_failed);
}

/// A format was agreed on, which can only be the one offered: asks for buffers of its size.
static void param_changed(void *data, uint32_t id, const void *param) {
    struct lc_pipewire_node *node = data;
    if (!param || id != LC_PW_PARAM_FORMAT) return;
    struct object buffers, header;
    begin(&buffers, LC_PW_OBJECT_BUFFERS, LC_PW_PARAM_BUFFERS);
    // GStreamer wants at least 8.
    const uint32_t counts[] = {4, 2, 32};
    add_choice(&buffers, LC_PW_BUFFERS_BUFFERS, LC_PW_CHOICE_RANGE, LC_PW_TYPE_INT, 1, counts, 3);
    add_int(&buffers, LC_PW_BUFFERS_BLOCKS, 1);
    add_int(&buffers, LC_PW_BUFFERS_SIZE, node->size);
    add_int(&buffers, LC_PW_BUFFERS_STRIDE, node->stride);
    begin(&header, LC_PW_OBJECT_META, LC_PW_PARAM_META);
    add_id(&header, LC_PW_META_TYPE, LC_PW_META_HEADER);
    add_int(&header, LC_PW_META_SIZE, sizeof(struct lc_spa_meta_header));
    const void *params[] = {buffers.words, header.words};
    node->pw.stream_update_params(node->stream, params, 2);
}

/// Fills a buffer with the newest picture.
static void process(void *data) {
    struct lc_pipewire_node *node = data;
    struct lc_pw_buffer *taken = node->pw.stream_dequeue_buffer(node->stream);
    if (!taken) return;
    struct lc_spa_buffer *buffer = taken->buffer;
    struct lc_spa_data *target = buffer->datas;
    uint32_t size = 0;
    if (buffer->data_count > 0 && target->data && target->max_size >= node->size) {
        memcpy(target->data, node->picture, node->size);
        size = node->size;
    }
    if (buffer->data_count > 0 && target->chunk)
        *target->chunk = (struct lc_spa_chunk){.size = size, .stride = (int32_t)node->stride};
    for (uint32_t index = 0; index < buffer->meta_count; index++) {
        struct lc_spa_meta *meta = buffer->metas + index;
        if (meta->type != LC_PW_META_HEADER || meta->size < sizeof(struct lc_spa_meta_header)) continue;
        *(struct lc_spa_meta_header *)meta->data =
            (struct lc_spa_meta_header){.pts = node->time_ns, .seq = node->count};
    }
    node->pw.stream_queue_buffer(node->stream, taken);
}

static const struct lc_pw_stream_events events = {
    .version = 2, .state_changed = state_changed, .param_changed = param_changed, .process = process};

// MARK: The node

static int connect(struct lc_pipewire_node *node) {
    char name[128], description[256], properties[640];
    lc_pw_copy_plain(name, sizeof name, node->settings.name);
    lc_pw_copy_plain(description, sizeof description, node->settings.description);
    snprintf(properties, sizeof properties,
             "{ media.class = \"Video/Source\", media.type = \"Video\", media.category = \"Capture\", "
             "media.role = \"Camera\", node.name = \"%s\", node.description = \"%s\" }",
             name, description);
    node->stream = node->pw.stream_new_simple(
        node->pw.thread_loop_get_loop(node->loop), name, node->pw.properties_new_string(properties), &events, node);
    if (!node->stream) return -errno;
    struct object format = format_offered(&node->settings);
    const void *params[] = {format.words};
    return node->pw.stream_connect(node->stream, LC_PW_DIRECTION_OUTPUT, LC_PW_ID_ANY,
                                   LC_PW_STREAM_DRIVER | LC_PW_STREAM_MAP_BUFFERS, params, 1);
}

enum lc_pipewire_result lc_pipewire_open(
    const struct lc_pipewire_settings *settings, struct lc_pipewire_node **made, char *why, size_t room) {
    struct lc_pipewire_node *node = calloc(1, sizeof *node);
    if (!node) {
        snprintf(why, room, "%s", strerror(ENOMEM));
        return LC_PIPEWIRE_NOT_RUNNING;
    }
    if (!lc_pw_load(settings->library, &node->pw, why, room)) {
        free(node);
        return LC_PIPEWIRE_NO_LIBRARY;
    }
    node->settings = *settings;
    node->stride = (settings->width + 1) / 2 * 4;
    node->size = node->stride * settings->height;
    node->picture = calloc(1, node->size);
    node->loop = node->pw.thread_loop_new("livecap camera", NULL);
    int result = -ENOMEM;
    if (node->picture && node->loop) {
        node->pw.thread_loop_lock(node->loop);
        result = node->pw.thread_loop_start(node->loop);
        if (result >= 0) result = connect(node);
        node->pw.thread_loop_unlock(node->loop);
    }
    if (result < 0) {
        snprintf(why, room, "%s", strerror(-result));
        lc_pipewire_close(node);
        return LC_PIPEWIRE_NOT_RUNNING;
    }
    *made = node;
    return LC_PIPEWIRE_OK;
}

void lc_pipewire_put(struct lc_pipewire_node *node, const void *picture, int64_t time_ns) {
    node->pw.thread_loop_lock(node->loop);
    memcpy(node->picture, picture, node->size);
    node->time_ns = time_ns;
    node->count++;
    node->pw.stream_trigger_process(node->stream);
    node->pw.thread_loop_unlock(node->loop);
}

void lc_pipewire_close(struct lc_pipewire_node *node) {
    if (node->loop) {
        node->pw.thread_loop_stop(node->loop);
        if (node->stream) node->pw.stream_destroy(node->stream);
        node->pw.thread_loop_destroy(node->loop);
    }
    free(node->picture);
    free(node);
}
