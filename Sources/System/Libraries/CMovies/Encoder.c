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
    void *context;
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
    lc_describe_picture(parameters, picture);
    int result = libav->avcodec_parameters_to_context(encoder->context, parameters);
    if (result < 0) return result;
    // Not an option, and encoders would take the unit of times for it: a million frames per second.
    struct lc_rational rate = {picture->rate_numerator, picture->rate_denominator};
    memcpy((char *)encoder->context + LC_AV_CODEC_CONTEXT_FRAMERATE, &rate, sizeof rate);
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
    encoder->frame->format = LC_AV_PIX_FMT_YUV420P;
    encoder->frame->width = picture->width;
    encoder->frame->height = picture->height;
    return libav->av_frame_get_buffer(encoder->frame, 0);
}

static int open_sound(struct lc_encoder *encoder, const char *name, const struct lc_movie_sound *sound,
                      const struct lc_encoder_option *options) {
    const struct lc_libav *libav = encoder->libav;
    const void *codec;
    int result = find_encoder(encoder, name, &codec);
    if (result < 0) return result;
    int32_t channels = sound->channels;
    uint64_t layout = channels == 1 ? LC_AV_CHANNELS_MONO : LC_AV_CHANNELS_STEREO;
    struct lc_av_codec_parameters *parameters = encoder->parameters;
    parameters->codec_type = LC_AV_TYPE_AUDIO;
    parameters->format = (int)sound->samples;
    parameters->channels = channels;
    parameters->channel_layout = layout;
    parameters->sample_rate = sound->rate;
    char unit[32];
    snprintf(unit, sizeof unit, "1/%d", sound->rate);
    result = libav->avcodec_parameters_to_context(encoder->context, parameters);
    if (result >= 0) result = open_codec(encoder, codec, unit, options);
    if (result < 0) return result;
    if (encoder->parameters->frame_size <= 0) return -EINVAL;
    encoder->channels = channels;
    encoder->frame->format = (int)sound->samples;
    encoder->frame->nb_samples = encoder->parameters->frame_size;
    char *frame = (char *)encoder->frame;
    memcpy(frame + LC_AV_FRAME_SAMPLE_RATE, &(int){sound->rate}, sizeof(int));
    memcpy(frame + LC_AV_FRAME_CHANNEL_LAYOUT, &layout, sizeof layout);
    memcpy(frame + LC_AV_FRAME_CHANNELS, &(int){channels}, sizeof(int));
    return libav->av_frame_get_buffer(encoder->frame, 0);
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

size_t lc_encoder_block(const struct lc_encoder *encoder) { return (size_t)encoder->parameters->frame_size; }

/// A sample of 16 bits, rounded; what is louder than it can hold is clipped.
static int16_t in_16_bits(float value) {
    float scaled = value * 32768.0f;
    if (!(scaled > -32768.0f)) return -32768;
    return scaled >= 32767.0f ? 32767 : (int16_t)lrintf(scaled);
}

int lc_encoder_send_sound(struct lc_encoder *encoder, const float *samples, size_t count, int64_t place) {
    struct lc_av_frame *frame = encoder->frame;
    // The encoder may still hold the last block.
    frame->nb_samples = encoder->parameters->frame_size;
    int result = encoder->libav->av_frame_make_writable(frame);
    if (result < 0) return result;
    size_t channels = (size_t)encoder->channels;
    switch (frame->format) {
        case LC_AV_SAMPLE_FMT_S16:
            for (size_t at = 0; at < count * channels; at++) ((int16_t *)frame->data[0])[at] = in_16_bits(samples[at]);
            break;
        case LC_AV_SAMPLE_FMT_FLTP:
            for (size_t channel = 0; channel < channels; channel++)
                for (size_t at = 0; at < count; at++)
                    ((float *)frame->data[channel])[at] = samples[at * channels + channel];
            break;
        default: memcpy(frame->data[0], samples, count * channels * sizeof *samples); break;
    }
    frame->nb_samples = (int)count;
    frame->pts = place;
    return encoder->libav->avcodec_send_frame(encoder->context, frame);
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
        .duration = encoder->packet->duration,
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
