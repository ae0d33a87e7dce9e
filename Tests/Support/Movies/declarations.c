// SPDX-License-Identifier: MIT
// Compares our declarations of FFmpeg's numbers and functions with its own headers: compiles if they agree. layout.c
// does that for structures. scripts/libav-layout uses both.
#include "../../../Sources/System/Libraries/CMovies/Libav.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>

// Functions for a track's turn, of which FFmpeg 6 and 7 have the older ones as well.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define SAME(ours, theirs) _Static_assert((ours) == (int)(theirs), #theirs)
SAME(LC_AV_TYPE_VIDEO, AVMEDIA_TYPE_VIDEO);
SAME(LC_AV_TYPE_AUDIO, AVMEDIA_TYPE_AUDIO);
SAME(LC_AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16);
SAME(LC_AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLT);
SAME(LC_AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_FLTP);
SAME(LC_MOVIE_S16, AV_SAMPLE_FMT_S16);
SAME(LC_MOVIE_FLOAT, AV_SAMPLE_FMT_FLT);
SAME(LC_MOVIE_FLOAT_PLANES, AV_SAMPLE_FMT_FLTP);
SAME(LC_AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P);
SAME(LC_AV_PICTURE_TYPE_NONE, AV_PICTURE_TYPE_NONE);
SAME(LC_AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_I);
SAME(LC_AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ420P);
SAME(LC_AV_FRAME_FLAG_CORRUPT, AV_FRAME_FLAG_CORRUPT);
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
SAME(LC_AV_ERROR_DECODER_NOT_FOUND, AVERROR_DECODER_NOT_FOUND);
// Ranges and colours are Colorimetry's codes by H.273.
SAME(1, AVCOL_RANGE_MPEG);
SAME(2, AVCOL_RANGE_JPEG);
SAME(13, AVCOL_TRC_IEC61966_2_1);
SAME(6, AVCOL_SPC_SMPTE170M);

/// Whether functions return what ours do, and accept what we pass.
#define RETURNS(function, type, ...) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(function(__VA_ARGS__)), type), #function)
RETURNS(avformat_version, unsigned);
RETURNS(avcodec_version, unsigned);
RETURNS(avutil_version, unsigned);
RETURNS(avformat_alloc_output_context2, int, NULL, NULL, NULL, NULL);
RETURNS(avformat_free_context, void, NULL);
RETURNS(avformat_new_stream, AVStream *, NULL, NULL);
RETURNS(avformat_alloc_context, AVFormatContext *);
RETURNS(avformat_open_input, int, NULL, NULL, NULL, NULL);
RETURNS(avformat_close_input, void, NULL);
RETURNS(av_read_frame, int, NULL, NULL);
RETURNS(avcodec_get_name, const char *, AV_CODEC_ID_H264);
RETURNS(av_dict_get, AVDictionaryEntry *, NULL, NULL, NULL, 0);
RETURNS(avformat_init_output, int, NULL, NULL);
RETURNS(avformat_write_header, int, NULL, NULL);
RETURNS(av_write_frame, int, NULL, NULL);
RETURNS(av_write_trailer, int, NULL);
RETURNS(avio_alloc_context, AVIOContext *, NULL, 0, 0, NULL, NULL, NULL, (int64_t(*)(void *, int64_t, int))NULL);
RETURNS(avio_context_free, void, NULL);
RETURNS(avio_flush, void, NULL);
RETURNS(avcodec_descriptor_get_by_name, const AVCodecDescriptor *, NULL);
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
RETURNS(avcodec_find_decoder_by_name, const AVCodec *, NULL);
RETURNS(avcodec_send_packet, int, NULL, NULL);
RETURNS(avcodec_receive_frame, int, NULL, NULL);
RETURNS(avcodec_flush_buffers, void, NULL);
RETURNS(av_frame_unref, void, NULL);
RETURNS(av_packet_alloc, AVPacket *);
RETURNS(av_packet_free, void, NULL);
RETURNS(av_packet_unref, void, NULL);
RETURNS(av_packet_get_side_data, uint8_t *, NULL, AV_PKT_DATA_NEW_EXTRADATA, NULL);
RETURNS(av_frame_alloc, AVFrame *);
RETURNS(av_frame_free, void, NULL);
RETURNS(av_frame_get_buffer, int, NULL, 0);
RETURNS(av_frame_make_writable, int, NULL);
RETURNS(av_channel_layout_default, void, NULL, 0);
RETURNS(av_dict_set, int, NULL, NULL, NULL, 0);
RETURNS(av_dict_free, void, NULL);
RETURNS(av_malloc, void *, (size_t)1);
RETURNS(av_mallocz, void *, (size_t)1);
RETURNS(av_freep, void, NULL);
RETURNS(av_strerror, int, 0, NULL, (size_t)1);
RETURNS(av_log_set_level, void, 0);
#if LIBAVFORMAT_VERSION_MAJOR >= 60
RETURNS(av_packet_side_data_add, AVPacketSideData *, NULL, NULL, AV_PKT_DATA_DISPLAYMATRIX, NULL, (size_t)1, 0);
RETURNS(av_packet_side_data_get, const AVPacketSideData *, NULL, 0, AV_PKT_DATA_DISPLAYMATRIX);
#endif
#if LIBAVFORMAT_VERSION_MAJOR <= 60
RETURNS(av_stream_add_side_data, int, NULL, AV_PKT_DATA_DISPLAYMATRIX, NULL, (size_t)1);
RETURNS(av_stream_get_side_data, uint8_t *, NULL, AV_PKT_DATA_DISPLAYMATRIX, NULL);
#endif
