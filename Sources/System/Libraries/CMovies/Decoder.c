// SPDX-License-Identifier: MIT
// Decodes a camera's compressed video with one of libavcodec's decoders.
#include "Libav.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct lc_decoder {
    const struct lc_libav *libav;
    struct lc_av_codec_context *context;
    struct lc_av_frame *frame;
    /// Borrows the bytes of the frame that is being sent; libavcodec copies them.
    struct lc_av_packet *packet;
};

static int open_decoder(struct lc_decoder *decoder, const char *name) {
    const struct lc_libav *libav = decoder->libav;
    const void *codec = libav->avcodec_find_decoder_by_name(name);
    if (!codec) return LC_AV_ERROR_DECODER_NOT_FOUND;
    decoder->context = libav->avcodec_alloc_context3(codec);
    decoder->frame = libav->av_frame_alloc();
    decoder->packet = libav->av_packet_alloc();
    if (!decoder->context || !decoder->frame || !decoder->packet) return -ENOMEM;
    void *options = NULL;
    // More threads would either hold pictures back, or need slices, which cameras do not make.
    libav->av_dict_set(&options, "threads", "1", 0);
    libav->av_dict_set(&options, "flags", "+low_delay", 0);
    // The one of HEVC says nowhere that a part of a picture is missing, unless it is to fail then. That of H.264 does,
    // and would fail for harmless faults, too.
    if (strcmp(name, "hevc") == 0) libav->av_dict_set(&options, "err_detect", "explode", 0);
    int result = libav->avcodec_open2(decoder->context, codec, &options);
    libav->av_dict_free(&options);
    return result;
}

int lc_decoder_open(const struct lc_libav *libav, const char *name, struct lc_decoder **decoder, char *why,
                    size_t room) {
    struct lc_decoder *made = calloc(1, sizeof *made);
    if (!made) return -ENOMEM;
    made->libav = libav;
    int result = open_decoder(made, name);
    if (result < 0) {
        libav->av_strerror(result, why, room);
        lc_decoder_close(made);
        return result;
    }
    *decoder = made;
    return 0;
}

int lc_decoder_send(struct lc_decoder *decoder, const uint8_t *bytes, size_t count, int64_t number) {
    const struct lc_libav *libav = decoder->libav;
    struct lc_av_packet *packet = decoder->packet;
    // Nothing would end the stream.
    if (count == 0 || count > INT_MAX / 2) return -EINVAL;
    *lc_packet_data(libav, packet) = (uint8_t *)bytes;
    *lc_packet_size(libav, packet) = (int)count;
    *lc_packet_pts(libav, packet) = number;
    *lc_packet_dts(libav, packet) = number;
    int result = libav->avcodec_send_packet(decoder->context, packet);
    *lc_packet_data(libav, packet) = NULL;
    *lc_packet_size(libav, packet) = 0;
    return result;
}

int lc_decoder_begin(struct lc_decoder *decoder, const uint8_t *bytes, size_t count, int64_t number) {
    // ITU-T H.264, D.1.8: a recovery point right here (0 frames), whose pictures match exactly.
    static const uint8_t point[] = {0, 0, 0, 1, 6, 6, 1, 0xc4, 0x80};
    if (count == 0 || count > INT_MAX / 4) return -EINVAL;
    uint8_t *frame = malloc(sizeof point + count);
    if (!frame) return -ENOMEM;
    memcpy(frame, point, sizeof point);
    memcpy(frame + sizeof point, bytes, count);
    int result = lc_decoder_send(decoder, frame, sizeof point + count, number);
    free(frame);
    return result;
}

int lc_decoder_receive(struct lc_decoder *decoder, struct lc_decoded *picture) {
    const struct lc_libav *libav = decoder->libav;
    struct lc_av_frame *frame = decoder->frame;
    // Gives the picture before back.
    int result = libav->avcodec_receive_frame(decoder->context, frame);
    if (result == -EAGAIN || result == LC_AV_ERROR_EOF) return 0;
    if (result < 0) return result;
    int format = *lc_frame_format(libav, frame);
    bool is_full = format == LC_AV_PIX_FMT_YUVJ420P;
    *picture = (struct lc_decoded){
        .width = *lc_frame_width(libav, frame),
        .height = *lc_frame_height(libav, frame),
        .range = is_full ? 2 : *lc_frame_color_range(libav, frame),
        .number = *lc_frame_pts(libav, frame),
        .is_damaged = (*lc_frame_flags(libav, frame) & LC_AV_FRAME_FLAG_CORRUPT) ||
                      *lc_frame_decode_error_flags(libav, frame) != 0,
        .is_other = !is_full && format != LC_AV_PIX_FMT_YUV420P,
    };
    for (int plane = 0; plane < 3 && !picture->is_other; plane++) {
        picture->planes[plane] = lc_frame_data(libav, frame)[plane];
        picture->strides[plane] = lc_frame_linesize(libav, frame)[plane];
    }
    return 1;
}

void lc_decoder_flush(struct lc_decoder *decoder) { decoder->libav->avcodec_flush_buffers(decoder->context); }

void lc_decoder_close(struct lc_decoder *decoder) {
    const struct lc_libav *libav = decoder->libav;
    if (decoder->packet) libav->av_packet_free(&decoder->packet);
    if (decoder->frame) libav->av_frame_free(&decoder->frame);
    if (decoder->context) libav->avcodec_free_context(&decoder->context);
    free(decoder);
}
