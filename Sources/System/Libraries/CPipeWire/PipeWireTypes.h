// SPDX-License-Identifier: MIT
// What of libpipewire's binary interface is used, declared here so that it is needed neither to build nor to start.
// Tests/Support/PipeWire compares it with PipeWire's own headers.

#ifndef LIVECAP_PIPEWIRE_TYPES_H
#define LIVECAP_PIPEWIRE_TYPES_H

#include <stdint.h>

// Constants of the protocol.
#define LC_PW_TYPE_ID 3u
#define LC_PW_TYPE_INT 4u
#define LC_PW_TYPE_RECTANGLE 10u
#define LC_PW_TYPE_FRACTION 11u
#define LC_PW_TYPE_OBJECT 15u
#define LC_PW_TYPE_CHOICE 19u
#define LC_PW_CHOICE_RANGE 1u
#define LC_PW_CHOICE_ENUM 3u
#define LC_PW_OBJECT_FORMAT 0x40003u
#define LC_PW_OBJECT_BUFFERS 0x40004u
#define LC_PW_OBJECT_META 0x40005u
#define LC_PW_PARAM_ENUM_FORMAT 3u
#define LC_PW_PARAM_FORMAT 4u
#define LC_PW_PARAM_BUFFERS 5u
#define LC_PW_PARAM_META 6u
#define LC_PW_FORMAT_MEDIA_TYPE 1u
#define LC_PW_FORMAT_MEDIA_SUBTYPE 2u
#define LC_PW_FORMAT_VIDEO_FORMAT 0x20001u
#define LC_PW_FORMAT_VIDEO_SIZE 0x20003u
#define LC_PW_FORMAT_VIDEO_RATE 0x20004u
#define LC_PW_MEDIA_TYPE_VIDEO 2u
#define LC_PW_MEDIA_SUBTYPE_RAW 1u
#define LC_PW_VIDEO_FORMAT_YUY2 4u
#define LC_PW_BUFFERS_BUFFERS 1u
#define LC_PW_BUFFERS_BLOCKS 2u
#define LC_PW_BUFFERS_SIZE 3u
#define LC_PW_BUFFERS_STRIDE 4u
#define LC_PW_META_TYPE 1u
#define LC_PW_META_SIZE 2u
#define LC_PW_META_HEADER 1u
#define LC_PW_STREAM_MAP_BUFFERS 4u
#define LC_PW_STREAM_DRIVER 8u
#define LC_PW_STATE_ERROR (-1)
#define LC_PW_STATE_UNCONNECTED 0
#define LC_PW_STATE_STREAMING 3
#define LC_PW_DIRECTION_OUTPUT 1
#define LC_PW_ID_ANY 0xFFFFFFFFu

/// struct pw_stream_events, version 2.
struct lc_pw_stream_events {
    uint32_t version;
    void (*destroy)(void *data);
    void (*state_changed)(void *data, int old, int state, const char *error);
    void (*control_info)(void *data, uint32_t id, const void *control);
    void (*io_changed)(void *data, uint32_t id, void *area, uint32_t size);
    void (*param_changed)(void *data, uint32_t id, const void *param);
    void (*add_buffer)(void *data, void *buffer);
    void (*remove_buffer)(void *data, void *buffer);
    void (*process)(void *data);
    void (*drained)(void *data);
    void (*command)(void *data, const void *command);
    void (*trigger_done)(void *data);
};

/// struct spa_chunk
struct lc_spa_chunk {
    uint32_t offset, size;
    int32_t stride, flags;
};

/// struct spa_data
struct lc_spa_data {
    uint32_t type, flags;
    int64_t fd;
    uint32_t map_offset, max_size;
    void *data;
    struct lc_spa_chunk *chunk;
};

/// struct spa_meta
struct lc_spa_meta {
    uint32_t type, size;
    void *data;
};

/// struct spa_meta_header
struct lc_spa_meta_header {
    uint32_t flags, offset;
    int64_t pts, dts_offset;
    uint64_t seq;
};

/// struct spa_buffer
struct lc_spa_buffer {
    uint32_t meta_count, data_count;
    struct lc_spa_meta *metas;
    struct lc_spa_data *datas;
};

/// The beginning of struct pw_buffer.
struct lc_pw_buffer {
    struct lc_spa_buffer *buffer;
};

/// The functions, by their names without pw_.
struct lc_pw {
    void (*init)(int *count, char ***words);
    void *(*thread_loop_new)(const char *name, const void *properties);
    void (*thread_loop_destroy)(void *loop);
    void *(*thread_loop_get_loop)(void *loop);
    int (*thread_loop_start)(void *loop);
    void (*thread_loop_stop)(void *loop);
    void (*thread_loop_lock)(void *loop);
    void (*thread_loop_unlock)(void *loop);
    void *(*properties_new_string)(const char *text);
    void *(*stream_new_simple)(
        void *loop, const char *name, void *properties, const struct lc_pw_stream_events *events, void *data);
    void (*stream_destroy)(void *stream);
    int (*stream_connect)(
        void *stream, int direction, uint32_t target, uint32_t flags, const void **params, uint32_t count);
    int (*stream_update_params)(void *stream, const void **params, uint32_t count);
    struct lc_pw_buffer *(*stream_dequeue_buffer)(void *stream);
    int (*stream_queue_buffer)(void *stream, struct lc_pw_buffer *buffer);
    int (*stream_trigger_process)(void *stream);
};

#endif
