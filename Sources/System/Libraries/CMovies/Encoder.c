// SPDX-License-Identifier: MIT
// Encodes pictures, or sound, with one of libavcodec's encoders.
#include "Libav.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lc_encoder {
    const struct lc_libav *libav;
    struct lc_av_codec_context *context;
    struct lc_av_codec_parameters *parameters;
    struct lc_av_frame *frame;
    struct lc_av_packet *packet;
    /// What some encoders give only with their first packet, as extradata.
    uint8_t *late;
    size_t late_size;
    /// Of sound.
    int channels;
};

static int describe(struct lc_encoder *encoder, const struct lc_movie_picture *picture) {
    const struct lc_libav *libav = encoder->libav;
    struct lc_av_codec_parameters *parameters = encoder->parameters;
    lc_describe_picture(libav, parameters, picture);
    int result = libav->avcodec_parameters_to_context(encoder->context, parameters);
    if (result < 0) return result;
    // Not an option, and encoders would take the unit of times for it: a million frames per second.
    *lc_codec_context_framerate(libav, encoder->context) =
        (struct lc_rational){picture->rate_numerator, picture->rate_denominator};
    return 0;
}

/// Finds the encoder and makes what every one needs.
static int find_encoder(struct lc_encoder *encoder, const char *name, const void **found) {
    const struct lc_libav *libav = encoder->libav;
    const void *codec = *found = libav->avcodec_find_encoder_by_name(name);
    if (!codec) return LC_AV_ERROR_ENCODER_NOT_FOUND;
    encoder->context = libav->avcodec_alloc_context3(codec);
    encoder->parameters = libav->avcodec_parameters_alloc();
    encoder->frame = libav->av_frame_alloc();
    encoder->packet = libav->av_packet_alloc();
    if (!encoder->context || !encoder->parameters || !encoder->frame || !encoder->packet) return -ENOMEM;
    // The context has its codec's number, and keeps it.
    return libav->avcodec_parameters_from_context(encoder->parameters, encoder->context);
}

static int open_codec(struct lc_encoder *encoder, const void *codec, const char *unit,
                      const struct lc_encoder_option *option) {
    const struct lc_libav *libav = encoder->libav;
    void *options = NULL;
    libav->av_dict_set(&options, "time_base", unit, 0);
    libav->av_dict_set(&options, "flags", "+global_header", 0);
    for (; option->name; option++) libav->av_dict_set(&options, option->name, option->value, 0);
    int result = libav->avcodec_open2(encoder->context, codec, &options);
    libav->av_dict_free(&options);
    return result < 0 ? result : libav->avcodec_parameters_from_context(encoder->parameters, encoder->context);
}

static int open_pictures(struct lc_encoder *encoder, const char *name, const struct lc_movie_picture *picture,
                         const struct lc_encoder_option *options) {
    const struct lc_libav *libav = encoder->libav;
    const void *codec;
    int result = find_encoder(encoder, name, &codec);
    if (result >= 0) result = describe(encoder, picture);
    if (result >= 0) result = open_codec(encoder, codec, "1/1000000", options);
    if (result < 0) return result;
    *lc_frame_format(libav, encoder->frame) = LC_AV_PIX_FMT_YUV420P;
    *lc_frame_width(libav, encoder->frame) = picture->width;
    *lc_frame_height(libav, encoder->frame) = picture->height;
    return libav->av_frame_get_buffer(encoder->frame, 0);
}

static int open_sound(struct lc_encoder *encoder, const char *name, const struct lc_movie_sound *sound,
                      const struct lc_encoder_option *options) {
    const struct lc_libav *libav = encoder->libav;
    const void *codec;
    int result = find_encoder(encoder, name, &codec);
    if (result < 0) return result;
    struct lc_av_codec_parameters *parameters = encoder->parameters;
    *lc_codec_parameters_codec_type(libav, parameters) = LC_AV_TYPE_AUDIO;
    *lc_codec_parameters_format(libav, parameters) = (int)sound->samples;
    *lc_codec_parameters_sample_rate(libav, parameters) = sound->rate;
    libav->av_channel_layout_default(lc_codec_parameters_ch_layout(libav, parameters), sound->channels);
    char unit[32];
    snprintf(unit, sizeof unit, "1/%d", sound->rate);
    result = libav->avcodec_parameters_to_context(encoder->context, parameters);
    if (result >= 0) result = open_codec(encoder, codec, unit, options);
    if (result < 0) return result;
    int block = *lc_codec_parameters_frame_size(libav, parameters);
    if (block <= 0) return -EINVAL;
    encoder->channels = sound->channels;
    struct lc_av_frame *frame = encoder->frame;
    *lc_frame_format(libav, frame) = (int)sound->samples;
    *lc_frame_nb_samples(libav, frame) = block;
    *lc_frame_sample_rate(libav, frame) = sound->rate;
    libav->av_channel_layout_default(lc_frame_ch_layout(libav, frame), sound->channels);
    return libav->av_frame_get_buffer(frame, 0);
}

/// Hands on an encoder that was opened, or says why it was not.
static int opened(struct lc_encoder *made, int result, struct lc_encoder **encoder, char *why, size_t room) {
    if (result < 0) {
        made->libav->av_strerror(result, why, room);
        lc_encoder_close(made);
        return result;
    }
    *encoder = made;
    return 0;
}

int lc_encoder_open(const struct lc_libav *libav, const char *name, const struct lc_movie_picture *picture,
                    const struct lc_encoder_option *options, struct lc_encoder **encoder, char *why, size_t room) {
    struct lc_encoder *made = calloc(1, sizeof *made);
    if (!made) return -ENOMEM;
    made->libav = libav;
    return opened(made, open_pictures(made, name, picture, options), encoder, why, room);
}

int lc_encoder_open_sound(const struct lc_libav *libav, const char *name, const struct lc_movie_sound *sound,
                          const struct lc_encoder_option *options, struct lc_encoder **encoder, char *why,
                          size_t room) {
    struct lc_encoder *made = calloc(1, sizeof *made);
    if (!made) return -ENOMEM;
    made->libav = libav;
    return opened(made, open_sound(made, name, sound, options), encoder, why, room);
}

const struct lc_av_codec_parameters *lc_encoder_parameters(const struct lc_encoder *encoder) {
    return encoder->parameters;
}

size_t lc_encoder_block(const struct lc_encoder *encoder) {
    return (size_t)*lc_codec_parameters_frame_size(encoder->libav, encoder->parameters);
}

/// A sample of 16 bits, rounded; what is louder than it can hold is clipped.
static int16_t in_16_bits(float value) {
    float scaled = value * 32768.0f;
    if (!(scaled > -32768.0f)) return -32768;
    return scaled >= 32767.0f ? 32767 : (int16_t)lrintf(scaled);
}

int lc_encoder_send_sound(struct lc_encoder *encoder, const float *samples, size_t count, int64_t place) {
    const struct lc_libav *libav = encoder->libav;
    struct lc_av_frame *frame = encoder->frame;
    // The encoder may still hold the last block.
    *lc_frame_nb_samples(libav, frame) = (int)lc_encoder_block(encoder);
    int result = libav->av_frame_make_writable(frame);
    if (result < 0) return result;
    size_t channels = (size_t)encoder->channels;
    uint8_t **data = lc_frame_data(libav, frame);
    switch (*lc_frame_format(libav, frame)) {
        case LC_AV_SAMPLE_FMT_S16:
            for (size_t at = 0; at < count * channels; at++) ((int16_t *)data[0])[at] = in_16_bits(samples[at]);
            break;
        case LC_AV_SAMPLE_FMT_FLTP:
            for (size_t channel = 0; channel < channels; channel++)
                for (size_t at = 0; at < count; at++)
                    ((float *)data[channel])[at] = samples[at * channels + channel];
            break;
        default: memcpy(data[0], samples, count * channels * sizeof *samples); break;
    }
    *lc_frame_nb_samples(libav, frame) = (int)count;
    *lc_frame_pts(libav, frame) = place;
    return libav->avcodec_send_frame(encoder->context, frame);
}

const uint8_t *lc_encoder_extradata(const struct lc_encoder *encoder, size_t *count) {
    const struct lc_libav *libav = encoder->libav;
    *count = encoder->late ? encoder->late_size
                           : (size_t)*lc_codec_parameters_extradata_size(libav, encoder->parameters);
    return encoder->late ? encoder->late : *lc_codec_parameters_extradata(libav, encoder->parameters);
}

int lc_encoder_planes(struct lc_encoder *encoder, uint8_t *planes[3], int32_t strides[3]) {
    // The encoder may still hold the last picture.
    int result = encoder->libav->av_frame_make_writable(encoder->frame);
    for (int plane = 0; plane < 3; plane++) {
        planes[plane] = lc_frame_data(encoder->libav, encoder->frame)[plane];
        strides[plane] = lc_frame_linesize(encoder->libav, encoder->frame)[plane];
    }
    return result;
}

int lc_encoder_send(struct lc_encoder *encoder, int64_t time, bool is_key) {
    *lc_frame_pts(encoder->libav, encoder->frame) = time;
    *lc_frame_pict_type(encoder->libav, encoder->frame) = is_key ? LC_AV_PICTURE_TYPE_I : LC_AV_PICTURE_TYPE_NONE;
    return encoder->libav->avcodec_send_frame(encoder->context, encoder->frame);
}

int lc_encoder_end(struct lc_encoder *encoder) { return encoder->libav->avcodec_send_frame(encoder->context, NULL); }

int lc_encoder_receive(struct lc_encoder *encoder, struct lc_encoded *packet) {
    const struct lc_libav *libav = encoder->libav;
    struct lc_av_packet *made = encoder->packet;
    // Releases the bytes of the packet before.
    int result = libav->avcodec_receive_packet(encoder->context, made);
    if (result == -EAGAIN || result == LC_AV_ERROR_EOF) return 0;
    if (result < 0) return result;
    size_t size = 0;
    const uint8_t *late = libav->av_packet_get_side_data(made, LC_AV_PKT_DATA_NEW_EXTRADATA, &size);
    if (late && size > 0 && !encoder->late) {
        encoder->late = malloc(size);
        if (!encoder->late) return -ENOMEM;
        memcpy(encoder->late, late, size);
        encoder->late_size = size;
    }
    *packet = (struct lc_encoded){
        .bytes = *lc_packet_data(libav, made),
        .count = (size_t)*lc_packet_size(libav, made),
        .time = *lc_packet_pts(libav, made),
        .duration = *lc_packet_duration(libav, made),
        .is_key = *lc_packet_flags(libav, made) & LC_AV_PKT_FLAG_KEY,
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
