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
    FUNCTION(format, uint8_t *, av_stream_get_side_data, (const struct lc_av_stream *, int, size_t *)) \
    FUNCTION(codec, const char *, avcodec_get_name, (int)) \
    FUNCTION(util, struct lc_av_dictionary_entry *, av_dict_get, \
             (const void *, const char *, const struct lc_av_dictionary_entry *, int)) \
    FUNCTION(format, int, av_stream_add_side_data, (struct lc_av_stream *, int, uint8_t *, size_t)) \
    FUNCTION(format, int, avformat_init_output, (struct lc_av_format_context *, void **)) \
    FUNCTION(format, int, avformat_write_header, (struct lc_av_format_context *, void **)) \
    FUNCTION(format, int, av_write_frame, (struct lc_av_format_context *, struct lc_av_packet *)) \
    FUNCTION(format, int, av_write_trailer, (struct lc_av_format_context *)) \
    FUNCTION(format, void *, avio_alloc_context, \
             (unsigned char *, int, int, void *, int (*)(void *, uint8_t *, int), \
              int (*)(void *, uint8_t *, int), int64_t (*)(void *, int64_t, int))) \
    FUNCTION(format, void, avio_context_free, (void **)) \
    FUNCTION(format, void, avio_flush, (void *)) \
    FUNCTION(codec, const void *, avcodec_find_encoder_by_name, (const char *)) \
    FUNCTION(codec, void *, avcodec_alloc_context3, (const void *)) \
    FUNCTION(codec, void, avcodec_free_context, (void **)) \
    FUNCTION(codec, struct lc_av_codec_parameters *, avcodec_parameters_alloc, (void)) \
    FUNCTION(codec, void, avcodec_parameters_free, (struct lc_av_codec_parameters **)) \
    FUNCTION(codec, int, avcodec_parameters_copy, \
             (struct lc_av_codec_parameters *, const struct lc_av_codec_parameters *)) \
    FUNCTION(codec, int, avcodec_parameters_to_context, (void *, const struct lc_av_codec_parameters *)) \
    FUNCTION(codec, int, avcodec_parameters_from_context, (struct lc_av_codec_parameters *, const void *)) \
    FUNCTION(codec, int, avcodec_open2, (void *, const void *, void **)) \
    FUNCTION(codec, int, avcodec_send_frame, (void *, const struct lc_av_frame *)) \
    FUNCTION(codec, int, avcodec_receive_packet, (void *, struct lc_av_packet *)) \
    FUNCTION(codec, struct lc_av_packet *, av_packet_alloc, (void)) \
    FUNCTION(codec, void, av_packet_free, (struct lc_av_packet **)) \
    FUNCTION(codec, void, av_packet_unref, (struct lc_av_packet *)) \
    FUNCTION(codec, uint8_t *, av_packet_get_side_data, (const struct lc_av_packet *, int, size_t *)) \
    FUNCTION(util, struct lc_av_frame *, av_frame_alloc, (void)) \
    FUNCTION(util, void, av_frame_free, (struct lc_av_frame **)) \
    FUNCTION(util, int, av_frame_get_buffer, (struct lc_av_frame *, int)) \
    FUNCTION(util, int, av_frame_make_writable, (struct lc_av_frame *)) \
    FUNCTION(util, int, av_dict_set, (void **, const char *, const char *, int)) \
    FUNCTION(util, void, av_dict_free, (void **)) \
    FUNCTION(util, void *, av_malloc, (size_t)) \
    FUNCTION(util, void *, av_mallocz, (size_t)) \
    FUNCTION(util, void, av_freep, (void *)) \
    FUNCTION(util, int, av_strerror, (int, char *, size_t)) \
    FUNCTION(util, void, av_log_set_level, (int))

struct lc_libav {
#define LC_MEMBER(library, result, name, parameters) result(*name) parameters;
    LC_LIBAV_FUNCTIONS(LC_MEMBER)
#undef LC_MEMBER
};

/// Says what the pictures of a stream are like.
static inline void lc_describe_picture(
    struct lc_av_codec_parameters *parameters, const struct lc_movie_picture *picture) {
    parameters->codec_type = LC_AV_TYPE_VIDEO;
    parameters->format = LC_AV_PIX_FMT_YUV420P;
    parameters->width = picture->width;
    parameters->height = picture->height;
    parameters->color_range = picture->range;
    parameters->color_primaries = picture->primaries;
    parameters->color_trc = picture->transfer;
    parameters->color_space = picture->matrix;
}

/// What an encoder's packets are like.
const struct lc_av_codec_parameters *lc_encoder_parameters(const struct lc_encoder *encoder);

#endif
