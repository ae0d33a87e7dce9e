// SPDX-License-Identifier: MIT
// A program that takes pictures from a PipeWire node, and a check that what we declare of PipeWire is what PipeWire
// declares. Usage: consumer COUNT, then connect its input, for example with pw-link. Prints each picture's size, bytes
// per row, first byte and last byte, and its time.

#include "../../../Sources/System/Libraries/CPipeWire/PipeWireTypes.h"

#include <pipewire/pipewire.h>
// After the types that it needs.
#include <pipewire/extensions/metadata.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/video/format-utils.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #ours)
#define SAME_PLACE(ours, field, theirs, name) SAME(offsetof(struct ours, field), offsetof(struct theirs, name))
SAME(LC_PW_TYPE_ID, SPA_TYPE_Id);
SAME(LC_PW_TYPE_INT, SPA_TYPE_Int);
SAME(LC_PW_TYPE_RECTANGLE, SPA_TYPE_Rectangle);
SAME(LC_PW_TYPE_FRACTION, SPA_TYPE_Fraction);
SAME(LC_PW_TYPE_OBJECT, SPA_TYPE_Object);
SAME(LC_PW_TYPE_CHOICE, SPA_TYPE_Choice);
SAME(LC_PW_CHOICE_RANGE, SPA_CHOICE_Range);
SAME(LC_PW_CHOICE_ENUM, SPA_CHOICE_Enum);
SAME(LC_PW_OBJECT_FORMAT, SPA_TYPE_OBJECT_Format);
SAME(LC_PW_OBJECT_BUFFERS, SPA_TYPE_OBJECT_ParamBuffers);
SAME(LC_PW_OBJECT_META, SPA_TYPE_OBJECT_ParamMeta);
SAME(LC_PW_PARAM_ENUM_FORMAT, SPA_PARAM_EnumFormat);
SAME(LC_PW_PARAM_FORMAT, SPA_PARAM_Format);
SAME(LC_PW_PARAM_BUFFERS, SPA_PARAM_Buffers);
SAME(LC_PW_PARAM_META, SPA_PARAM_Meta);
SAME(LC_PW_FORMAT_MEDIA_TYPE, SPA_FORMAT_mediaType);
SAME(LC_PW_FORMAT_MEDIA_SUBTYPE, SPA_FORMAT_mediaSubtype);
SAME(LC_PW_FORMAT_VIDEO_FORMAT, SPA_FORMAT_VIDEO_format);
SAME(LC_PW_FORMAT_VIDEO_SIZE, SPA_FORMAT_VIDEO_size);
SAME(LC_PW_FORMAT_VIDEO_RATE, SPA_FORMAT_VIDEO_framerate);
SAME(LC_PW_MEDIA_TYPE_VIDEO, SPA_MEDIA_TYPE_video);
SAME(LC_PW_MEDIA_SUBTYPE_RAW, SPA_MEDIA_SUBTYPE_raw);
SAME(LC_PW_VIDEO_FORMAT_YUY2, SPA_VIDEO_FORMAT_YUY2);
SAME(LC_PW_BUFFERS_BUFFERS, SPA_PARAM_BUFFERS_buffers);
SAME(LC_PW_BUFFERS_BLOCKS, SPA_PARAM_BUFFERS_blocks);
SAME(LC_PW_BUFFERS_SIZE, SPA_PARAM_BUFFERS_size);
SAME(LC_PW_BUFFERS_STRIDE, SPA_PARAM_BUFFERS_stride);
SAME(LC_PW_META_TYPE, SPA_PARAM_META_type);
SAME(LC_PW_META_SIZE, SPA_PARAM_META_size);
SAME(LC_PW_META_HEADER, SPA_META_Header);
SAME(LC_PW_STREAM_MAP_BUFFERS, PW_STREAM_FLAG_MAP_BUFFERS);
SAME(LC_PW_STREAM_DRIVER, PW_STREAM_FLAG_DRIVER);
SAME(LC_PW_STATE_ERROR, PW_STREAM_STATE_ERROR);
SAME(LC_PW_STATE_UNCONNECTED, PW_STREAM_STATE_UNCONNECTED);
SAME(LC_PW_STATE_STREAMING, PW_STREAM_STATE_STREAMING);
SAME(LC_PW_DIRECTION_OUTPUT, PW_DIRECTION_OUTPUT);
SAME(LC_PW_ID_ANY, PW_ID_ANY);
SAME_PLACE(lc_pw_stream_events, state_changed, pw_stream_events, state_changed);
SAME_PLACE(lc_pw_stream_events, param_changed, pw_stream_events, param_changed);
SAME_PLACE(lc_pw_stream_events, process, pw_stream_events, process);
SAME_PLACE(lc_pw_stream_events, trigger_done, pw_stream_events, trigger_done);
SAME(sizeof(struct lc_spa_data), sizeof(struct spa_data));
SAME_PLACE(lc_spa_data, max_size, spa_data, maxsize);
SAME_PLACE(lc_spa_data, data, spa_data, data);
SAME_PLACE(lc_spa_data, chunk, spa_data, chunk);
SAME(sizeof(struct lc_spa_chunk), sizeof(struct spa_chunk));
SAME(sizeof(struct lc_spa_meta), sizeof(struct spa_meta));
SAME_PLACE(lc_spa_meta, data, spa_meta, data);
SAME(sizeof(struct lc_spa_meta_header), sizeof(struct spa_meta_header));
SAME_PLACE(lc_spa_meta_header, pts, spa_meta_header, pts);
SAME_PLACE(lc_spa_meta_header, seq, spa_meta_header, seq);
SAME(sizeof(struct lc_spa_buffer), sizeof(struct spa_buffer));
SAME_PLACE(lc_spa_buffer, data_count, spa_buffer, n_datas);
SAME_PLACE(lc_spa_buffer, metas, spa_buffer, metas);
SAME_PLACE(lc_spa_buffer, datas, spa_buffer, datas);
SAME_PLACE(lc_pw_buffer, buffer, pw_buffer, buffer);

// What sound needs.
SAME(LC_PW_TYPE_ARRAY, SPA_TYPE_Array);
SAME(LC_PW_FORMAT_AUDIO_FORMAT, SPA_FORMAT_AUDIO_format);
SAME(LC_PW_FORMAT_AUDIO_RATE, SPA_FORMAT_AUDIO_rate);
SAME(LC_PW_FORMAT_AUDIO_CHANNELS, SPA_FORMAT_AUDIO_channels);
SAME(LC_PW_FORMAT_AUDIO_POSITION, SPA_FORMAT_AUDIO_position);
SAME(LC_PW_MEDIA_TYPE_AUDIO, SPA_MEDIA_TYPE_audio);
SAME(LC_PW_AUDIO_FORMAT_FLOAT, SPA_AUDIO_FORMAT_F32);
SAME(LC_PW_AUDIO_MONO, SPA_AUDIO_CHANNEL_MONO);
SAME(LC_PW_AUDIO_LEFT, SPA_AUDIO_CHANNEL_FL);
SAME(LC_PW_AUDIO_RIGHT, SPA_AUDIO_CHANNEL_FR);
SAME(LC_PW_STREAM_AUTOCONNECT, PW_STREAM_FLAG_AUTOCONNECT);
SAME(LC_PW_STREAM_RT_PROCESS, PW_STREAM_FLAG_RT_PROCESS);
SAME(LC_PW_DIRECTION_INPUT, PW_DIRECTION_INPUT);
SAME(LC_PW_ID_CORE, PW_ID_CORE);
SAME(LC_PW_VERSION_REGISTRY, PW_VERSION_REGISTRY);
SAME(LC_PW_VERSION_NODE, PW_VERSION_NODE);
SAME(LC_PW_VERSION_METADATA, PW_VERSION_METADATA);
SAME(LC_PW_NODE_CHANGE_PROPS, PW_NODE_CHANGE_MASK_PROPS);
_Static_assert(!__builtin_strcmp(LC_PW_TYPE_NODE, PW_TYPE_INTERFACE_Node), "nodes");
_Static_assert(!__builtin_strcmp(LC_PW_TYPE_METADATA, PW_TYPE_INTERFACE_Metadata), "metadata");
SAME_PLACE(lc_pw_time, now, pw_time, now);
SAME_PLACE(lc_pw_time, rate_numerator, pw_time, rate);
SAME_PLACE(lc_pw_time, ticks, pw_time, ticks);
SAME_PLACE(lc_pw_time, delay, pw_time, delay);
SAME_PLACE(lc_pw_time, buffered, pw_time, buffered);
SAME_PLACE(lc_pw_time, avail_buffers, pw_time, avail_buffers);
SAME_PLACE(lc_spa_item, value, spa_dict_item, value);
SAME_PLACE(lc_spa_dict, items, spa_dict, items);
SAME_PLACE(lc_spa_interface, methods, spa_interface, cb);
SAME(sizeof(struct lc_spa_interface), sizeof(struct spa_interface));
SAME(sizeof(struct lc_spa_hook), sizeof(struct spa_hook));
SAME_PLACE(lc_pw_core_methods, sync, pw_core_methods, sync);
SAME_PLACE(lc_pw_core_methods, get_registry, pw_core_methods, get_registry);
SAME_PLACE(lc_pw_registry_methods, bind, pw_registry_methods, bind);
SAME_PLACE(lc_pw_core_events, done, pw_core_events, done);
SAME_PLACE(lc_pw_core_events, error, pw_core_events, error);
SAME_PLACE(lc_pw_registry_events, global, pw_registry_events, global);
SAME_PLACE(lc_pw_registry_events, global_remove, pw_registry_events, global_remove);
SAME_PLACE(lc_pw_node_info, change_mask, pw_node_info, change_mask);
SAME_PLACE(lc_pw_node_info, props, pw_node_info, props);
SAME_PLACE(lc_pw_node_events, info, pw_node_events, info);
SAME_PLACE(lc_pw_metadata_events, property, pw_metadata_events, property);

static struct pw_main_loop *loop;
static struct pw_stream *stream;
static int left;

static void process(void *data) {
    (void)data;
    struct pw_buffer *taken = pw_stream_dequeue_buffer(stream);
    if (!taken) return;
    const struct spa_data *picture = taken->buffer->datas;
    const struct spa_meta_header *header =
        spa_buffer_find_meta_data(taken->buffer, SPA_META_Header, sizeof(struct spa_meta_header));
    const uint8_t *bytes = picture->data;
    if (bytes && picture->chunk->size > 0) {
        printf("%u %d %u %u %lld\n", picture->chunk->size, picture->chunk->stride, bytes[0],
               bytes[picture->chunk->size - 1], header ? (long long)header->pts : -1);
        fflush(stdout);
        if (--left == 0) pw_main_loop_quit(loop);
    }
    pw_stream_queue_buffer(stream, taken);
}

/// Asks for as many buffers as GStreamer does, and for the header with the picture's time.
static void param_changed(void *data, uint32_t id, const struct spa_pod *format) {
    (void)data;
    if (!format || id != SPA_PARAM_Format) return;
    uint8_t memory[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[2];
    params[0] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
        SPA_PARAM_META_size, SPA_POD_Int(sizeof(struct spa_meta_header)));
    params[1] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
        SPA_POD_CHOICE_RANGE_Int(8, 8, 16));
    pw_stream_update_params(stream, params, 2);
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .param_changed = param_changed, .process = process};

int main(int count, char **words) {
    left = count > 1 ? atoi(words[1]) : -1;
    pw_init(&count, &words);
    loop = pw_main_loop_new(NULL);
    stream = pw_stream_new_simple(
        pw_main_loop_get_loop(loop), "consumer",
        pw_properties_new(PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY, "Capture", PW_KEY_NODE_NAME, "consumer",
                          NULL),
        &events, NULL);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[1];
    params[0] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format,
        SPA_POD_CHOICE_ENUM_Id(3, SPA_VIDEO_FORMAT_RGB, SPA_VIDEO_FORMAT_RGB, SPA_VIDEO_FORMAT_YUY2),
        // A whole number, as Chromium does.
        SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&SPA_FRACTION(30, 1)));
    if (pw_stream_connect(stream, PW_DIRECTION_INPUT, PW_ID_ANY, PW_STREAM_FLAG_MAP_BUFFERS, params, 1) < 0) return 1;
    pw_main_loop_run(loop);
    return 0;
}
