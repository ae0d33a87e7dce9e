// SPDX-License-Identifier: MIT
// What of FFmpeg's structures and numbers is used here. Structures are opaque, and all of them are allocated by the
// libraries: where their fields are differs from release to release, so each release has a table (Layouts), which
// scripts/libav-layout makes from that release's headers by the list below.
#ifndef LIVECAP_LIBAV_TYPES_H
#define LIVECAP_LIBAV_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct lc_rational {
    int numerator, denominator;
};

struct lc_av_format_context;
struct lc_av_io_context;
struct lc_av_stream;
struct lc_av_chapter;
struct lc_av_codec_context;
struct lc_av_codec_descriptor;
struct lc_av_codec_parameters;
struct lc_av_side_data;
struct lc_av_packet;
struct lc_av_frame;
struct lc_av_dictionary_entry;

/// As long as FFmpeg's. Its functions fill it; only the number of channels is read in place.
struct lc_av_channel_layout {
    uint64_t opaque[3];
};

/// The fields that no function and no option of FFmpeg's reaches: our name of the structure and of the field, what is
/// there, and FFmpeg's names.
#define LC_LIBAV_FIELDS(FIELD) \
    FIELD(format_context, iformat, const struct lc_av_input_format *, AVFormatContext, iformat) \
    FIELD(format_context, pb, void *, AVFormatContext, pb) \
    FIELD(format_context, nb_streams, unsigned, AVFormatContext, nb_streams) \
    FIELD(format_context, streams, struct lc_av_stream **, AVFormatContext, streams) \
    FIELD(format_context, nb_chapters, unsigned, AVFormatContext, nb_chapters) \
    FIELD(format_context, chapters, struct lc_av_chapter **, AVFormatContext, chapters) \
    FIELD(format_context, metadata, void *, AVFormatContext, metadata) \
    FIELD(input_format, name, const char *, AVInputFormat, name) \
    FIELD(io_context, buffer, unsigned char *, AVIOContext, buffer) \
    FIELD(chapter, id, int64_t, AVChapter, id) \
    FIELD(chapter, time_base, struct lc_rational, AVChapter, time_base) \
    FIELD(chapter, start, int64_t, AVChapter, start) \
    FIELD(chapter, metadata, void *, AVChapter, metadata) \
    FIELD(stream, index, int, AVStream, index) \
    FIELD(stream, codecpar, struct lc_av_codec_parameters *, AVStream, codecpar) \
    FIELD(stream, time_base, struct lc_rational, AVStream, time_base) \
    FIELD(stream, avg_frame_rate, struct lc_rational, AVStream, avg_frame_rate) \
    FIELD(codec_parameters, codec_type, int, AVCodecParameters, codec_type) \
    FIELD(codec_parameters, codec_id, int, AVCodecParameters, codec_id) \
    FIELD(codec_parameters, extradata, uint8_t *, AVCodecParameters, extradata) \
    FIELD(codec_parameters, extradata_size, int, AVCodecParameters, extradata_size) \
    FIELD(codec_parameters, format, int, AVCodecParameters, format) \
    FIELD(codec_parameters, width, int, AVCodecParameters, width) \
    FIELD(codec_parameters, height, int, AVCodecParameters, height) \
    FIELD(codec_parameters, color_range, int, AVCodecParameters, color_range) \
    FIELD(codec_parameters, color_primaries, int, AVCodecParameters, color_primaries) \
    FIELD(codec_parameters, color_trc, int, AVCodecParameters, color_trc) \
    FIELD(codec_parameters, color_space, int, AVCodecParameters, color_space) \
    FIELD(codec_parameters, ch_layout, struct lc_av_channel_layout, AVCodecParameters, ch_layout) \
    FIELD(codec_parameters, sample_rate, int, AVCodecParameters, sample_rate) \
    FIELD(codec_parameters, frame_size, int, AVCodecParameters, frame_size) \
    FIELD(codec_parameters, initial_padding, int, AVCodecParameters, initial_padding) \
    FIELD(codec_context, framerate, struct lc_rational, AVCodecContext, framerate) \
    FIELD(codec_descriptor, id, int, AVCodecDescriptor, id) \
    FIELD(channel_layout, nb_channels, int, AVChannelLayout, nb_channels) \
    FIELD(packet, pts, int64_t, AVPacket, pts) \
    FIELD(packet, dts, int64_t, AVPacket, dts) \
    FIELD(packet, data, uint8_t *, AVPacket, data) \
    FIELD(packet, size, int, AVPacket, size) \
    FIELD(packet, stream_index, int, AVPacket, stream_index) \
    FIELD(packet, flags, int, AVPacket, flags) \
    FIELD(packet, duration, int64_t, AVPacket, duration) \
    FIELD(frame, data, uint8_t *, AVFrame, data[0]) \
    FIELD(frame, linesize, int, AVFrame, linesize[0]) \
    FIELD(frame, width, int, AVFrame, width) \
    FIELD(frame, height, int, AVFrame, height) \
    FIELD(frame, nb_samples, int, AVFrame, nb_samples) \
    FIELD(frame, format, int, AVFrame, format) \
    FIELD(frame, pict_type, int, AVFrame, pict_type) \
    FIELD(frame, pts, int64_t, AVFrame, pts) \
    FIELD(frame, flags, int, AVFrame, flags) \
    FIELD(frame, color_range, int, AVFrame, color_range) \
    FIELD(frame, decode_error_flags, int, AVFrame, decode_error_flags) \
    FIELD(frame, sample_rate, int, AVFrame, sample_rate) \
    FIELD(frame, ch_layout, struct lc_av_channel_layout, AVFrame, ch_layout) \
    FIELD(dictionary_entry, key, char *, AVDictionaryEntry, key) \
    FIELD(dictionary_entry, value, char *, AVDictionaryEntry, value)

/// Those that FFmpeg has since release 6.1. Used only where the functions for them are there: 6.0, whose libavformat
/// has the same number, has neither.
#define LC_LIBAV_FIELDS_SINCE_60(FIELD) \
    FIELD(codec_parameters, coded_side_data, struct lc_av_side_data *, AVCodecParameters, coded_side_data) \
    FIELD(codec_parameters, nb_coded_side_data, int, AVCodecParameters, nb_coded_side_data) \
    FIELD(side_data, data, uint8_t *, AVPacketSideData, data) \
    FIELD(side_data, size, size_t, AVPacketSideData, size)

/// A release of FFmpeg: the numbers of its libraries, and where its structures have their fields, in bytes.
struct lc_libav_layout {
    int format, codec, util;
    /// Of a chapter: FFmpeg has no function that adds one.
    size_t chapter_bytes;
#define LC_PLACE(object, name, type, structure, member) uint16_t object##_##name;
    LC_LIBAV_FIELDS(LC_PLACE)
    LC_LIBAV_FIELDS_SINCE_60(LC_PLACE)
#undef LC_PLACE
};

/// Numbers that are the same in all of these releases: Tests/Support/Movies/declarations.c compares them with each.
enum {
    LC_AV_TYPE_VIDEO = 0,
    LC_AV_TYPE_AUDIO = 1,
    LC_AV_PIX_FMT_YUV420P = 0,
    LC_AV_PICTURE_TYPE_NONE = 0,
    LC_AV_PICTURE_TYPE_I = 1,
    /// The same in full range, as some decoders say it.
    LC_AV_PIX_FMT_YUVJ420P = 12,
    LC_AV_FRAME_FLAG_CORRUPT = 1,
    LC_AV_SAMPLE_FMT_S16 = 1,
    LC_AV_SAMPLE_FMT_FLT = 3,
    LC_AV_SAMPLE_FMT_FLTP = 8,
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
    LC_AV_ERROR_DECODER_NOT_FOUND = -0x434544F8,
};

#endif
