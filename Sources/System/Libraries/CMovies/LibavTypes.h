// SPDX-License-Identifier: MIT
// What of FFmpeg 5's structures and numbers is used here. Tests/Support/Movies/declarations.c compares it with FFmpeg's
// own headers. Structures are declared up to the last field in use: all of them are allocated by the libraries.
#ifndef LIVECAP_LIBAV_TYPES_H
#define LIVECAP_LIBAV_TYPES_H

#include <stdint.h>

struct lc_rational {
    int numerator, denominator;
};

struct lc_av_format_context {
    const void *class;
    const struct lc_av_input_format *input_format;
    const void *output_format;
    void *priv_data;
    void *pb;
    int ctx_flags;
    unsigned nb_streams;
    struct lc_av_stream **streams;
    uint8_t other[108];
    unsigned nb_chapters;
    struct lc_av_chapter **chapters;
    void *metadata;
};

struct lc_av_input_format {
    const char *name;
};

struct lc_av_dictionary_entry {
    char *key, *value;
};

struct lc_av_chapter {
    int64_t id;
    struct lc_rational time_base;
    int64_t start, end;
    void *metadata;
};

struct lc_av_codec_parameters {
    int codec_type;
    int codec_id;
    uint32_t codec_tag;
    uint8_t *extradata;
    int extradata_size;
    int format;
    int64_t bit_rate;
    int bits_per_coded_sample, bits_per_raw_sample, profile, level;
    int width, height;
    struct lc_rational sample_aspect_ratio;
    int field_order;
    int color_range, color_primaries, color_trc, color_space;
    int chroma_location, video_delay;
    uint64_t channel_layout;
    int channels, sample_rate, block_align, frame_size, initial_padding;
};

struct lc_av_stream {
    int index, id;
    void *priv_data;
    struct lc_rational time_base;
    uint8_t others[48];
    struct lc_rational avg_frame_rate;
    uint8_t more[128];
    struct lc_av_codec_parameters *codecpar;
};

struct lc_av_packet {
    void *buf;
    int64_t pts, dts;
    uint8_t *data;
    int size;
    int stream_index;
    int flags;
    void *side_data;
    int side_data_elems;
    int64_t duration;
};

struct lc_av_frame {
    uint8_t *data[8];
    int linesize[8];
    uint8_t **extended_data;
    int width, height;
    int nb_samples;
    int format;
    int key_frame;
    int pict_type;
    struct lc_rational sample_aspect_ratio;
    int64_t pts;
};

enum {
    LC_AV_TYPE_VIDEO = 0,
    LC_AV_TYPE_AUDIO = 1,
    LC_AV_PIX_FMT_YUV420P = 0,
    LC_AV_SAMPLE_FMT_S16 = 1,
    LC_AV_SAMPLE_FMT_FLT = 3,
    LC_AV_SAMPLE_FMT_FLTP = 8,
    LC_AV_CHANNELS_MONO = 4,
    LC_AV_CHANNELS_STEREO = 3,
    LC_AV_PKT_FLAG_KEY = 1,
    LC_AV_PKT_DATA_NEW_EXTRADATA = 1,
    LC_AV_PKT_DATA_DISPLAYMATRIX = 5,
    LC_AV_DICT_IGNORE_SUFFIX = 2,
    LC_AV_DICT_APPEND = 32,
    LC_AV_SEEK_SIZE = 0x10000,
    LC_AV_SEEK_FORCE = 0x20000,
    LC_AV_LOG_QUIET = -8,
    LC_AV_ERROR_EOF = -0x20464F45,
    LC_AV_ERROR_ENCODER_NOT_FOUND = -0x434E45F8,
    /// Where an AVCodecContext, which is long, has its frame rate.
    LC_AV_CODEC_CONTEXT_FRAMERATE = 712,
    /// Where an AVFrame, which is long, has what only sound needs.
    LC_AV_FRAME_SAMPLE_RATE = 208,
    LC_AV_FRAME_CHANNEL_LAYOUT = 216,
    LC_AV_FRAME_CHANNELS = 380,
};

#endif
