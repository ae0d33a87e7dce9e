// SPDX-License-Identifier: MIT
// The functions of FFmpeg's libraries that are used, declared by us.
#ifndef LIVECAP_LIBAV_H
#define LIVECAP_LIBAV_H

#include "CMovies.h"
#include "LibavTypes.h"

/// Each function's library, its result, its name and its parameters.
#define LC_LIBAV_FUNCTIONS(FUNCTION) \
    FUNCTION(format, int, avformat_alloc_output_context2, \
             (struct lc_av_format_context **, const void *, const char *, const char *)) \
    FUNCTION(format, void, avformat_free_context, (struct lc_av_format_context *)) \
    FUNCTION(format, struct lc_av_stream *, avformat_new_stream, (struct lc_av_format_context *, const void *)) \
    FUNCTION(format, struct lc_av_format_context *, avformat_alloc_context, (void)) \
    FUNCTION(format, int, avformat_open_input, \
             (struct lc_av_format_context **, const char *, const void *, void **)) \
    FUNCTION(format, void, avformat_close_input, (struct lc_av_format_context **)) \
    FUNCTION(format, int, av_read_frame, (struct lc_av_format_context *, struct lc_av_packet *)) \
    FUNCTION(format, int, avformat_init_output, (struct lc_av_format_context *, void **)) \
    FUNCTION(format, int, avformat_write_header, (struct lc_av_format_context *, void **)) \
    FUNCTION(format, int, av_write_frame, (struct lc_av_format_context *, struct lc_av_packet *)) \
    FUNCTION(format, int, av_write_trailer, (struct lc_av_format_context *)) \
    FUNCTION(format, struct lc_av_io_context *, avio_alloc_context, \
             (unsigned char *, int, int, void *, int (*)(void *, uint8_t *, int), \
              int (*)(void *, uint8_t *, int), int64_t (*)(void *, int64_t, int))) \
    FUNCTION(format, void, avio_context_free, (struct lc_av_io_context **)) \
    FUNCTION(format, void, avio_flush, (struct lc_av_io_context *)) \
    FUNCTION(codec, const char *, avcodec_get_name, (int)) \
    FUNCTION(codec, const struct lc_av_codec_descriptor *, avcodec_descriptor_get_by_name, (const char *)) \
    FUNCTION(codec, const void *, avcodec_find_encoder_by_name, (const char *)) \
    FUNCTION(codec, struct lc_av_codec_context *, avcodec_alloc_context3, (const void *)) \
    FUNCTION(codec, void, avcodec_free_context, (struct lc_av_codec_context **)) \
    FUNCTION(codec, struct lc_av_codec_parameters *, avcodec_parameters_alloc, (void)) \
    FUNCTION(codec, void, avcodec_parameters_free, (struct lc_av_codec_parameters **)) \
    FUNCTION(codec, int, avcodec_parameters_copy, \
             (struct lc_av_codec_parameters *, const struct lc_av_codec_parameters *)) \
    FUNCTION(codec, int, avcodec_parameters_to_context, \
             (struct lc_av_codec_context *, const struct lc_av_codec_parameters *)) \
    FUNCTION(codec, int, avcodec_parameters_from_context, \
             (struct lc_av_codec_parameters *, const struct lc_av_codec_context *)) \
    FUNCTION(codec, int, avcodec_open2, (struct lc_av_codec_context *, const void *, void **)) \
    FUNCTION(codec, int, avcodec_send_frame, (struct lc_av_codec_context *, const struct lc_av_frame *)) \
    FUNCTION(codec, int, avcodec_receive_packet, (struct lc_av_codec_context *, struct lc_av_packet *)) \
    FUNCTION(codec, const void *, avcodec_find_decoder_by_name, (const char *)) \
    FUNCTION(codec, int, avcodec_send_packet, (struct lc_av_codec_context *, const struct lc_av_packet *)) \
    FUNCTION(codec, int, avcodec_receive_frame, (struct lc_av_codec_context *, struct lc_av_frame *)) \
    FUNCTION(codec, void, avcodec_flush_buffers, (struct lc_av_codec_context *)) \
    FUNCTION(codec, struct lc_av_packet *, av_packet_alloc, (void)) \
    FUNCTION(codec, void, av_packet_free, (struct lc_av_packet **)) \
    FUNCTION(codec, void, av_packet_unref, (struct lc_av_packet *)) \
    FUNCTION(codec, uint8_t *, av_packet_get_side_data, (const struct lc_av_packet *, int, size_t *)) \
    FUNCTION(util, struct lc_av_frame *, av_frame_alloc, (void)) \
    FUNCTION(util, void, av_frame_free, (struct lc_av_frame **)) \
    FUNCTION(util, void, av_frame_unref, (struct lc_av_frame *)) \
    FUNCTION(util, int, av_frame_get_buffer, (struct lc_av_frame *, int)) \
    FUNCTION(util, int, av_frame_make_writable, (struct lc_av_frame *)) \
    FUNCTION(util, void, av_channel_layout_default, (struct lc_av_channel_layout *, int)) \
    FUNCTION(util, struct lc_av_dictionary_entry *, av_dict_get, \
             (const void *, const char *, const struct lc_av_dictionary_entry *, int)) \
    FUNCTION(util, int, av_dict_set, (void **, const char *, const char *, int)) \
    FUNCTION(util, void, av_dict_free, (void **)) \
    FUNCTION(util, void *, av_malloc, (size_t)) \
    FUNCTION(util, void *, av_mallocz, (size_t)) \
    FUNCTION(util, void, av_freep, (void *)) \
    FUNCTION(util, int, av_strerror, (int, char *, size_t)) \
    FUNCTION(util, void, av_log_set_level, (int))

/// How a track's turn is set and read until libavformat 60. In 6.1, what is read this way may come later.
#define LC_LIBAV_FUNCTIONS_UNTIL_60(FUNCTION) \
    FUNCTION(format, int, av_stream_add_side_data, (struct lc_av_stream *, int, uint8_t *, size_t)) \
    FUNCTION(format, uint8_t *, av_stream_get_side_data, (const struct lc_av_stream *, int, size_t *))

/// The same since FFmpeg 6.1: the one of libavformat 60 may lack it.
#define LC_LIBAV_FUNCTIONS_SINCE_60(FUNCTION) \
    FUNCTION(codec, struct lc_av_side_data *, av_packet_side_data_add, \
             (struct lc_av_side_data **, int *, int, void *, size_t, int)) \
    FUNCTION(codec, const struct lc_av_side_data *, av_packet_side_data_get, (const struct lc_av_side_data *, int, int))

struct lc_libav {
    struct lc_libav_layout layout;
#define LC_MEMBER(library, result, name, parameters) result(*name) parameters;
    LC_LIBAV_FUNCTIONS(LC_MEMBER)
    /// NULL in releases that do not have them.
    LC_LIBAV_FUNCTIONS_UNTIL_60(LC_MEMBER)
    LC_LIBAV_FUNCTIONS_SINCE_60(LC_MEMBER)
#undef LC_MEMBER
};

// Where an object of FFmpeg's has a field: lc_packet_pts(libav, packet) for an AVPacket's pts.
#define LC_ACCESSOR(object, name, type, structure, member) \
    static inline type *lc_##object##_##name(const struct lc_libav *libav, const struct lc_av_##object *of) { \
        return (type *)((char *)of + libav->layout.object##_##name); \
    }
LC_LIBAV_FIELDS(LC_ACCESSOR)
LC_LIBAV_FIELDS_SINCE_60(LC_ACCESSOR)
#undef LC_ACCESSOR

/// Says what the pictures of a stream are like.
void lc_describe_picture(const struct lc_libav *libav, struct lc_av_codec_parameters *parameters,
                         const struct lc_movie_picture *picture);

/// What an encoder's packets are like.
const struct lc_av_codec_parameters *lc_encoder_parameters(const struct lc_encoder *encoder);

#endif
