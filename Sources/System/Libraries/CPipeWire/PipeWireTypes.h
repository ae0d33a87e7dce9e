// SPDX-License-Identifier: MIT
// What of libpipewire's binary interface is used, declared here so that it is needed neither to build nor to start.
// Tests/Support/PipeWire compares it with PipeWire's own headers.

#ifndef LIVECAP_PIPEWIRE_TYPES_H
#define LIVECAP_PIPEWIRE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Constants of the protocol.
#define LC_PW_TYPE_ID 3u
#define LC_PW_TYPE_INT 4u
#define LC_PW_TYPE_RECTANGLE 10u
#define LC_PW_TYPE_FRACTION 11u
#define LC_PW_TYPE_ARRAY 13u
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
#define LC_PW_FORMAT_AUDIO_FORMAT 0x10001u
#define LC_PW_FORMAT_AUDIO_RATE 0x10003u
#define LC_PW_FORMAT_AUDIO_CHANNELS 0x10004u
#define LC_PW_FORMAT_AUDIO_POSITION 0x10005u
#define LC_PW_FORMAT_VIDEO_FORMAT 0x20001u
#define LC_PW_FORMAT_VIDEO_SIZE 0x20003u
#define LC_PW_FORMAT_VIDEO_RATE 0x20004u
#define LC_PW_MEDIA_TYPE_AUDIO 1u
#define LC_PW_MEDIA_TYPE_VIDEO 2u
#define LC_PW_MEDIA_SUBTYPE_RAW 1u
#define LC_PW_VIDEO_FORMAT_YUY2 4u
// Floats in this machine's order of bytes, which is the little-endian one wherever livecap runs.
#define LC_PW_AUDIO_FORMAT_FLOAT 0x11Bu
#define LC_PW_AUDIO_MONO 2u
#define LC_PW_AUDIO_LEFT 3u
#define LC_PW_AUDIO_RIGHT 4u
#define LC_PW_BUFFERS_BUFFERS 1u
#define LC_PW_BUFFERS_BLOCKS 2u
#define LC_PW_BUFFERS_SIZE 3u
#define LC_PW_BUFFERS_STRIDE 4u
#define LC_PW_META_TYPE 1u
#define LC_PW_META_SIZE 2u
#define LC_PW_META_HEADER 1u
#define LC_PW_STREAM_AUTOCONNECT 1u
#define LC_PW_STREAM_MAP_BUFFERS 4u
#define LC_PW_STREAM_DRIVER 8u
#define LC_PW_STREAM_RT_PROCESS 16u
#define LC_PW_STATE_ERROR (-1)
#define LC_PW_STATE_UNCONNECTED 0
#define LC_PW_STATE_STREAMING 3
#define LC_PW_DIRECTION_INPUT 0
#define LC_PW_DIRECTION_OUTPUT 1
#define LC_PW_ID_ANY 0xFFFFFFFFu
#define LC_PW_ID_CORE 0u
#define LC_PW_VERSION_REGISTRY 3u
#define LC_PW_VERSION_NODE 3u
#define LC_PW_VERSION_METADATA 3u
#define LC_PW_NODE_CHANGE_PROPS 8u
#define LC_PW_TYPE_NODE "PipeWire:Interface:Node"
#define LC_PW_TYPE_METADATA "PipeWire:Interface:Metadata"

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

/// struct pw_time
struct lc_pw_time {
    int64_t now;
    uint32_t rate_numerator, rate_denominator;
    uint64_t ticks;
    int64_t delay;
    uint64_t queued, buffered;
    uint32_t queued_buffers, avail_buffers;
};

/// struct spa_dict_item
struct lc_spa_item {
    const char *key, *value;
};

/// struct spa_dict
struct lc_spa_dict {
    uint32_t flags, count;
    const struct lc_spa_item *items;
};

/// struct spa_interface, with which every object of PipeWire's begins.
struct lc_spa_interface {
    const char *type;
    uint32_t version;
    const void *methods;
    void *data;
};

/// struct spa_hook: the library's own account of a listener.
struct lc_spa_hook {
    void *words[6];
};

/// The beginning of struct pw_core_methods.
struct lc_pw_core_methods {
    uint32_t version;
    void *add_listener, *hello;
    int (*sync)(void *object, uint32_t id, int seq);
    void *pong, *error;
    void *(*get_registry)(void *object, uint32_t version, size_t user_size);
};

/// The beginning of struct pw_registry_methods.
struct lc_pw_registry_methods {
    uint32_t version;
    void *add_listener;
    void *(*bind)(void *object, uint32_t id, const char *type, uint32_t version, size_t user_size);
};

/// struct pw_core_events, version 0.
struct lc_pw_core_events {
    uint32_t version;
    void *info;
    void (*done)(void *data, uint32_t id, int seq);
    void *ping;
    void (*error)(void *data, uint32_t id, int seq, int result, const char *message);
    void *others[5];
};

/// struct pw_registry_events, version 0.
struct lc_pw_registry_events {
    uint32_t version;
    void (*global)(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                   const struct lc_spa_dict *props);
    void (*global_remove)(void *data, uint32_t id);
};

/// The beginning of struct pw_node_info.
struct lc_pw_node_info {
    uint32_t id, max_input_ports, max_output_ports;
    uint64_t change_mask;
    uint32_t n_input_ports, n_output_ports;
    int state;
    const char *error;
    const struct lc_spa_dict *props;
};

/// struct pw_node_events, version 0.
struct lc_pw_node_events {
    uint32_t version;
    void (*info)(void *data, const struct lc_pw_node_info *info);
    void *param;
};

/// struct pw_metadata_events, version 0.
struct lc_pw_metadata_events {
    uint32_t version;
    int (*property)(void *data, uint32_t subject, const char *key, const char *type, const char *value);
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
    int (*stream_get_time_n)(void *stream, struct lc_pw_time *time, size_t size);
    void *(*context_new)(void *loop, void *properties, size_t user_size);
    void *(*context_connect)(void *context, void *properties, size_t user_size);
    void (*context_destroy)(void *context);
    int (*core_disconnect)(void *core);
    void (*proxy_add_object_listener)(void *proxy, struct lc_spa_hook *hook, const void *events, void *data);
    void (*proxy_destroy)(void *proxy);
    void (*thread_loop_signal)(void *loop, bool wait);
    int (*thread_loop_timed_wait)(void *loop, int seconds);
    void (*log_set_level)(int level);
};

#endif
