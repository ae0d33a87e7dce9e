// SPDX-License-Identifier: MIT
// Compares our declarations of FFmpeg's structures, numbers and functions with its own headers: compiles if they agree.
#include "../../../Sources/System/Libraries/CMovies/Libav.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <stddef.h>

// Older names of channels, which FFmpeg 5.0 has as well.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

_Static_assert(LIBAVFORMAT_VERSION_MAJOR == 59 && LIBAVCODEC_VERSION_MAJOR == 59 && LIBAVUTIL_VERSION_MAJOR == 57,
               "the release whose libraries are loaded");

#define SAME_PLACE(ours, theirs, field) \
    _Static_assert(offsetof(struct ours, field) == offsetof(theirs, field) && \
                       sizeof(((struct ours *)NULL)->field) == sizeof(((theirs *)NULL)->field), \
                   #theirs "." #field)

SAME_PLACE(lc_av_format_context, AVFormatContext, pb);
SAME_PLACE(lc_av_format_context, AVFormatContext, nb_streams);
SAME_PLACE(lc_av_format_context, AVFormatContext, streams);
SAME_PLACE(lc_av_format_context, AVFormatContext, nb_chapters);
SAME_PLACE(lc_av_format_context, AVFormatContext, chapters);
SAME_PLACE(lc_av_format_context, AVFormatContext, metadata);
_Static_assert(offsetof(struct lc_av_format_context, input_format) == offsetof(AVFormatContext, iformat), "iformat");
SAME_PLACE(lc_av_input_format, AVInputFormat, name);
SAME_PLACE(lc_av_dictionary_entry, AVDictionaryEntry, key);
SAME_PLACE(lc_av_dictionary_entry, AVDictionaryEntry, value);
SAME_PLACE(lc_av_chapter, AVChapter, id);
SAME_PLACE(lc_av_chapter, AVChapter, time_base);
SAME_PLACE(lc_av_chapter, AVChapter, start);
SAME_PLACE(lc_av_chapter, AVChapter, end);
SAME_PLACE(lc_av_chapter, AVChapter, metadata);
_Static_assert(sizeof(struct lc_av_chapter) == sizeof(AVChapter), "chapters are allocated here");
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, codec_type);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, codec_id);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, extradata);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, extradata_size);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, format);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, width);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, height);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, color_range);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, color_primaries);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, color_trc);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, color_space);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, channel_layout);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, channels);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, sample_rate);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, frame_size);
SAME_PLACE(lc_av_codec_parameters, AVCodecParameters, initial_padding);
SAME_PLACE(lc_av_stream, AVStream, time_base);
SAME_PLACE(lc_av_stream, AVStream, avg_frame_rate);
SAME_PLACE(lc_av_stream, AVStream, codecpar);
SAME_PLACE(lc_av_packet, AVPacket, pts);
SAME_PLACE(lc_av_packet, AVPacket, dts);
SAME_PLACE(lc_av_packet, AVPacket, data);
SAME_PLACE(lc_av_packet, AVPacket, size);
SAME_PLACE(lc_av_packet, AVPacket, stream_index);
SAME_PLACE(lc_av_packet, AVPacket, flags);
SAME_PLACE(lc_av_packet, AVPacket, duration);
SAME_PLACE(lc_av_frame, AVFrame, data);
SAME_PLACE(lc_av_frame, AVFrame, linesize);
SAME_PLACE(lc_av_frame, AVFrame, width);
SAME_PLACE(lc_av_frame, AVFrame, height);
SAME_PLACE(lc_av_frame, AVFrame, nb_samples);
SAME_PLACE(lc_av_frame, AVFrame, format);
SAME_PLACE(lc_av_frame, AVFrame, pts);

// An AVIOContext's buffer follows its class.
_Static_assert(offsetof(AVIOContext, buffer) == sizeof(void *), "AVIOContext.buffer");
_Static_assert(LC_AV_CODEC_CONTEXT_FRAMERATE == offsetof(AVCodecContext, framerate), "AVCodecContext.framerate");
_Static_assert(LC_AV_FRAME_SAMPLE_RATE == offsetof(AVFrame, sample_rate), "AVFrame.sample_rate");
_Static_assert(LC_AV_FRAME_CHANNEL_LAYOUT == offsetof(AVFrame, channel_layout), "AVFrame.channel_layout");
_Static_assert(LC_AV_FRAME_CHANNELS == offsetof(AVFrame, channels), "AVFrame.channels");

#define SAME(ours, theirs) _Static_assert((ours) == (int)(theirs), #theirs)
SAME(LC_AV_TYPE_VIDEO, AVMEDIA_TYPE_VIDEO);
SAME(LC_AV_TYPE_AUDIO, AVMEDIA_TYPE_AUDIO);
SAME(LC_AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16);
SAME(LC_AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLT);
SAME(LC_AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_FLTP);
SAME(LC_MOVIE_S16, AV_SAMPLE_FMT_S16);
SAME(LC_MOVIE_FLOAT, AV_SAMPLE_FMT_FLT);
SAME(LC_MOVIE_FLOAT_PLANES, AV_SAMPLE_FMT_FLTP);
SAME(LC_AV_CHANNELS_MONO, AV_CH_LAYOUT_MONO);
SAME(LC_AV_CHANNELS_STEREO, AV_CH_LAYOUT_STEREO);
SAME(LC_AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P);
SAME(LC_AV_PKT_FLAG_KEY, AV_PKT_FLAG_KEY);
SAME(LC_AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_NEW_EXTRADATA);
SAME(LC_AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_DISPLAYMATRIX);
SAME(LC_AV_DICT_IGNORE_SUFFIX, AV_DICT_IGNORE_SUFFIX);
SAME(LC_AV_DICT_APPEND, AV_DICT_APPEND);
SAME(LC_AV_SEEK_SIZE, AVSEEK_SIZE);
SAME(LC_AV_SEEK_FORCE, AVSEEK_FORCE);
SAME(LC_MOVIE_PADDING, AV_INPUT_BUFFER_PADDING_SIZE);
SAME(LC_AV_LOG_QUIET, AV_LOG_QUIET);
SAME(LC_AV_ERROR_EOF, AVERROR_EOF);
SAME(LC_AV_ERROR_ENCODER_NOT_FOUND, AVERROR_ENCODER_NOT_FOUND);
SAME(LC_MOVIE_MJPEG, AV_CODEC_ID_MJPEG);
SAME(LC_MOVIE_H264, AV_CODEC_ID_H264);
SAME(LC_MOVIE_VP9, AV_CODEC_ID_VP9);
SAME(LC_MOVIE_AV1, AV_CODEC_ID_AV1);
// Ranges and colours are Colorimetry's codes by H.273.
SAME(1, AVCOL_RANGE_MPEG);
SAME(2, AVCOL_RANGE_JPEG);
SAME(13, AVCOL_TRC_IEC61966_2_1);
SAME(6, AVCOL_SPC_SMPTE170M);

/// Whether functions return what ours do, and accept what we pass.
#define RETURNS(function, type, ...) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(function(__VA_ARGS__)), type), #function)
RETURNS(avformat_alloc_output_context2, int, NULL, NULL, NULL, NULL);
RETURNS(avformat_free_context, void, NULL);
RETURNS(avformat_new_stream, AVStream *, NULL, NULL);
RETURNS(avformat_alloc_context, AVFormatContext *);
RETURNS(avformat_open_input, int, NULL, NULL, NULL, NULL);
RETURNS(avformat_close_input, void, NULL);
RETURNS(av_read_frame, int, NULL, NULL);
RETURNS(av_stream_get_side_data, uint8_t *, NULL, AV_PKT_DATA_DISPLAYMATRIX, NULL);
RETURNS(avcodec_get_name, const char *, AV_CODEC_ID_H264);
RETURNS(av_dict_get, AVDictionaryEntry *, NULL, NULL, NULL, 0);
RETURNS(av_stream_add_side_data, int, NULL, AV_PKT_DATA_DISPLAYMATRIX, NULL, (size_t)1);
RETURNS(avformat_init_output, int, NULL, NULL);
RETURNS(avformat_write_header, int, NULL, NULL);
RETURNS(av_write_frame, int, NULL, NULL);
RETURNS(av_write_trailer, int, NULL);
RETURNS(avio_alloc_context, AVIOContext *, NULL, 0, 0, NULL, NULL, (int (*)(void *, uint8_t *, int))NULL,
        (int64_t(*)(void *, int64_t, int))NULL);
RETURNS(avio_context_free, void, NULL);
RETURNS(avio_flush, void, NULL);
RETURNS(avcodec_find_encoder_by_name, const AVCodec *, NULL);
RETURNS(avcodec_alloc_context3, AVCodecContext *, NULL);
RETURNS(avcodec_free_context, void, NULL);
RETURNS(avcodec_parameters_alloc, AVCodecParameters *);
RETURNS(avcodec_parameters_free, void, NULL);
RETURNS(avcodec_parameters_copy, int, NULL, NULL);
RETURNS(avcodec_parameters_to_context, int, NULL, NULL);
RETURNS(avcodec_parameters_from_context, int, NULL, NULL);
RETURNS(avcodec_open2, int, NULL, NULL, NULL);
RETURNS(avcodec_send_frame, int, NULL, NULL);
RETURNS(avcodec_receive_packet, int, NULL, NULL);
RETURNS(av_packet_alloc, AVPacket *);
RETURNS(av_packet_free, void, NULL);
RETURNS(av_packet_unref, void, NULL);
RETURNS(av_packet_get_side_data, uint8_t *, NULL, AV_PKT_DATA_NEW_EXTRADATA, NULL);
RETURNS(av_frame_alloc, AVFrame *);
RETURNS(av_frame_free, void, NULL);
RETURNS(av_frame_get_buffer, int, NULL, 0);
RETURNS(av_frame_make_writable, int, NULL);
RETURNS(av_dict_set, int, NULL, NULL, NULL, 0);
RETURNS(av_dict_free, void, NULL);
RETURNS(av_malloc, void *, (size_t)1);
RETURNS(av_mallocz, void *, (size_t)1);
RETURNS(av_freep, void, NULL);
RETURNS(av_strerror, int, 0, NULL, (size_t)1);
RETURNS(av_log_set_level, void, 0);
