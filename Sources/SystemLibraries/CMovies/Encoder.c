// SPDX-License-Identifier: MIT
// Encodes pictures with one of libavcodec's encoders.
#include "Libav.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lc_encoder {
    const struct lc_libav *libav;
    void *context;
    struct lc_av_codec_parameters *parameters;
    struct lc_av_frame *frame;
    struct lc_av_packet *packet;
    /// What some encoders give only with their first packet, as extradata.
    uint8_t *late;
    size_t late_size;
};

static int describe(struct lc_encoder *encoder, const struct lc_movie_picture *picture) {
    const struct lc_libav *libav = encoder->libav;
    struct lc_av_codec_parameters *parameters = encoder->parameters;
    lc_describe_picture(parameters, picture);
    int result = libav->avcodec_parameters_to_context(encoder->context, parameters);
    if (result < 0) return result;
    // Not an option, and encoders would take the unit of times for it: a million frames per second.
    struct lc_rational rate = {picture->rate_numerator, picture->rate_denominator};
    memcpy((char *)encoder->context + LC_AV_CODEC_CONTEXT_FRAMERATE, &rate, sizeof rate);
    return 0;
}

static int open_encoder(struct lc_encoder *encoder, const char *name, const struct lc_movie_picture *picture,
                        const struct lc_encoder_option *option) {
    const struct lc_libav *libav = encoder->libav;
    const void *codec = libav->avcodec_find_encoder_by_name(name);
    if (!codec) return LC_AV_ERROR_ENCODER_NOT_FOUND;
    encoder->context = libav->avcodec_alloc_context3(codec);
    encoder->parameters = libav->avcodec_parameters_alloc();
    encoder->frame = libav->av_frame_alloc();
    encoder->packet = libav->av_packet_alloc();
    if (!encoder->context || !encoder->parameters || !encoder->frame || !encoder->packet) return -ENOMEM;
    // The context has its codec's number, and keeps it.
    int result = libav->avcodec_parameters_from_context(encoder->parameters, encoder->context);
    if (result >= 0) result = describe(encoder, picture);
    if (result < 0) return result;
    void *options = NULL;
    libav->av_dict_set(&options, "time_base", "1/1000000", 0);
    libav->av_dict_set(&options, "flags", "+global_header", 0);
    for (; option->name; option++) libav->av_dict_set(&options, option->name, option->value, 0);
    result = libav->avcodec_open2(encoder->context, codec, &options);
    libav->av_dict_free(&options);
    if (result >= 0) result = libav->avcodec_parameters_from_context(encoder->parameters, encoder->context);
    if (result < 0) return result;
    encoder->frame->format = LC_AV_PIX_FMT_YUV420P;
    encoder->frame->width = picture->width;
    encoder->frame->height = picture->height;
    return libav->av_frame_get_buffer(encoder->frame, 0);
}

int lc_encoder_open(const struct lc_libav *libav, const char *name, const struct lc_movie_picture *picture,
                    const struct lc_encoder_option *options, struct lc_encoder **encoder, char *why, size_t room) {
    struct lc_encoder *made = calloc(1, sizeof *made);
    if (!made) return -ENOMEM;
    made->libav = libav;
    int result = open_encoder(made, name, picture, options);
    if (result < 0) {
        libav->av_strerror(result, why, room);
        lc_encoder_close(made);
        return result;
    }
    *encoder = made;
    return 0;
}

const uint8_t *lc_encoder_extradata(const struct lc_encoder *encoder, size_t *count) {
    *count = encoder->late ? encoder->late_size : (size_t)encoder->parameters->extradata_size;
    return encoder->late ? encoder->late : encoder->parameters->extradata;
}

int lc_encoder_planes(struct lc_encoder *encoder, uint8_t *planes[3], int32_t strides[3]) {
    // The encoder may still hold the last picture.
    int result = encoder->libav->av_frame_make_writable(encoder->frame);
    for (int plane = 0; plane < 3; plane++) {
        planes[plane] = encoder->frame->data[plane];
        strides[plane] = encoder->frame->linesize[plane];
    }
    return result;
}

int lc_encoder_send(struct lc_encoder *encoder, int64_t time) {
    encoder->frame->pts = time;
    return encoder->libav->avcodec_send_frame(encoder->context, encoder->frame);
}

int lc_encoder_end(struct lc_encoder *encoder) { return encoder->libav->avcodec_send_frame(encoder->context, NULL); }

int lc_encoder_receive(struct lc_encoder *encoder, struct lc_encoded *packet) {
    // Releases the bytes of the packet before.
    int result = encoder->libav->avcodec_receive_packet(encoder->context, encoder->packet);
    if (result == -EAGAIN || result == LC_AV_ERROR_EOF) return 0;
    if (result < 0) return result;
    size_t size = 0;
    const uint8_t *late =
        encoder->libav->av_packet_get_side_data(encoder->packet, LC_AV_PKT_DATA_NEW_EXTRADATA, &size);
    if (late && size > 0 && !encoder->late) {
        encoder->late = malloc(size);
        if (!encoder->late) return -ENOMEM;
        memcpy(encoder->late, late, size);
        encoder->late_size = size;
    }
    *packet = (struct lc_encoded){
        .bytes = encoder->packet->data,
        .count = (size_t)encoder->packet->size,
        .time = encoder->packet->pts,
        .is_key = encoder->packet->flags & LC_AV_PKT_FLAG_KEY,
    };
    return 1;
}

void lc_encoder_close(struct lc_encoder *encoder) {
    const struct lc_libav *libav = encoder->libav;
    if (encoder->packet) libav->av_packet_free(&encoder->packet);
    if (encoder->frame) libav->av_frame_free(&encoder->frame);
    if (encoder->parameters) libav->avcodec_parameters_free(&encoder->parameters);
    if (encoder->context) libav->avcodec_free_context(&encoder->context);
    free(encoder->late);
    free(encoder);
}
