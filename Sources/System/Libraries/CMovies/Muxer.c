// SPDX-License-Identifier: MIT
// A movie's file, by libavformat.
#include "Libav.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lc_muxer {
    const struct lc_libav *libav;
    struct lc_movie_output output;
    struct lc_av_format_context *context;
    /// Of pictures, and of sound, if there is any.
    struct lc_av_stream *streams[2];
    struct lc_av_packet *packet;
    /// The time of each track's last packet, in ticks of the container.
    int64_t last[2];
    /// Added to times of sound, in nanoseconds.
    int64_t sound_delay;
};

enum { BUFFER_BYTES = 64 << 10 };

static int write_bytes(void *context, uint8_t *bytes, int count) {
    struct lc_muxer *muxer = context;
    int result = muxer->output.write(muxer->output.context, bytes, count);
    return result < 0 ? result : count;
}

static int64_t seek_file(void *context, int64_t offset, int whence) {
    struct lc_muxer *muxer = context;
    if (whence & LC_AV_SEEK_SIZE) return muxer->output.size(muxer->output.context);
    return muxer->output.seek(muxer->output.context, offset, whence & ~LC_AV_SEEK_FORCE);
}

/// Whether files of that kind consist of the boxes of ISO/IEC 14496-12.
static bool has_boxes(const char *container) {
    return strcmp(container, "mp4") == 0 || strcmp(container, "mov") == 0;
}

static int turn_pictures(struct lc_muxer *muxer, const int32_t *matrix) {
    size_t size = 9 * sizeof *matrix;
    uint8_t *copy = muxer->libav->av_malloc(size);
    if (!copy) return -ENOMEM;
    memcpy(copy, matrix, size);
    int result = muxer->libav->av_stream_add_side_data(muxer->streams[LC_MOVIE_PICTURES],
                                                       LC_AV_PKT_DATA_DISPLAYMATRIX, copy, size);
    if (result < 0) muxer->libav->av_freep(&copy);
    return result;
}

static int describe_pictures(struct lc_muxer *muxer, const struct lc_movie_settings *settings) {
    struct lc_av_codec_parameters *parameters = muxer->streams[LC_MOVIE_PICTURES]->codecpar;
    const struct lc_movie_picture *picture = &settings->picture;
    parameters->codec_id = (int)settings->codec;
    lc_describe_picture(parameters, picture);
    muxer->streams[LC_MOVIE_PICTURES]->avg_frame_rate =
        (struct lc_rational){picture->rate_numerator, picture->rate_denominator};
    int result = settings->matrix ? turn_pictures(muxer, settings->matrix) : 0;
    if (result < 0) return result;
    if (settings->extradata_size == 0) return 0;
    if (settings->extradata_size > INT_MAX - LC_MOVIE_PADDING) return -EINVAL;
    parameters->extradata = muxer->libav->av_mallocz(settings->extradata_size + LC_MOVIE_PADDING);
    if (!parameters->extradata) return -ENOMEM;
    memcpy(parameters->extradata, settings->extradata, settings->extradata_size);
    parameters->extradata_size = (int)settings->extradata_size;
    return 0;
}

static int describe_sound(struct lc_muxer *muxer, const struct lc_movie_settings *settings) {
    const struct lc_libav *libav = muxer->libav;
    struct lc_av_stream *stream = libav->avformat_new_stream(muxer->context, NULL);
    if (!stream) return -ENOMEM;
    muxer->streams[LC_MOVIE_SOUND] = stream;
    const struct lc_av_codec_parameters *parameters = lc_encoder_parameters(settings->sound);
    stream->time_base = (struct lc_rational){1, parameters->sample_rate};
    // Players of Matroska subtract what is not to be heard (CodecDelay) from the times in the file. FFmpeg 5 states it
    // and does not add it: it moves the pictures instead, and they come too late.
    if (!has_boxes(settings->container))
        muxer->sound_delay = (int64_t)parameters->initial_padding * 1000000000 / parameters->sample_rate;
    return libav->avcodec_parameters_copy(stream->codecpar, parameters);
}

enum { ROOM_CHAPTERS = 31, ROOM_NAME = 255 };

/// Adds chapters that take about 8 KiB of the file.
static int make_room(struct lc_muxer *muxer) {
    const struct lc_libav *libav = muxer->libav;
    struct lc_av_format_context *context = muxer->context;
    char name[ROOM_NAME + 1];
    memset(name, '-', ROOM_NAME);
    name[ROOM_NAME] = 0;
    context->chapters = libav->av_mallocz(ROOM_CHAPTERS * sizeof *context->chapters);
    if (!context->chapters) return -ENOMEM;
    for (int64_t number = 0; number < ROOM_CHAPTERS; number++) {
        struct lc_av_chapter *chapter = libav->av_mallocz(sizeof *chapter);
        if (!chapter) return -ENOMEM;
        chapter->id = number + 1;
        chapter->time_base = (struct lc_rational){1, 1000};
        context->chapters[context->nb_chapters++] = chapter;
        int result = libav->av_dict_set(&chapter->metadata, "title", name, 0);
        if (result < 0) return result;
    }
    return 0;
}

/// Pieces of the file end where `lc_muxer_flush` says so, and nowhere else.
static int write_header(struct lc_muxer *muxer, const struct lc_movie_settings *settings) {
    const struct lc_libav *libav = muxer->libav;
    void *options = NULL;
    if (has_boxes(settings->container)) {
        // With sound, the description waits for the first piece, which shows how much of it is not to be heard.
        // Texts get their names, of which the usual place has few.
        libav->av_dict_set(&options, "movflags", "+use_metadata_tags", 0);
        if (!settings->is_whole)
            libav->av_dict_set(&options, "movflags", "+empty_moov+default_base_moof+frag_custom", LC_AV_DICT_APPEND);
        if (!settings->is_whole && settings->sound)
            libav->av_dict_set(&options, "movflags", "+delay_moov", LC_AV_DICT_APPEND);
        libav->av_dict_set(&options, "video_track_timescale", "90000", 0);
    } else {
        libav->av_dict_set(&options, "cluster_time_limit", "30000", 0);
        libav->av_dict_set(&options, "cluster_size_limit", "1000000000", 0);
    }
    for (const struct lc_movie_tag *tag = settings->tags; tag->name; tag++)
        libav->av_dict_set(&muxer->context->metadata, tag->name, tag->value, 0);
    muxer->streams[LC_MOVIE_PICTURES]->time_base = (struct lc_rational){1, 90000};
    int result = libav->avformat_init_output(muxer->context, &options);
    // Not before: MP4 would get a track of texts as well, whose samples cannot be written over.
    if (result >= 0 && settings->has_chapters) result = make_room(muxer);
    if (result >= 0) result = libav->avformat_write_header(muxer->context, &options);
    libav->av_dict_free(&options);
    return result < 0 ? result : 0;
}

static int open_muxer(struct lc_muxer *muxer, const struct lc_movie_settings *settings) {
    const struct lc_libav *libav = muxer->libav;
    int result = libav->avformat_alloc_output_context2(&muxer->context, NULL, settings->container, NULL);
    if (result < 0) return result;
    unsigned char *buffer = libav->av_malloc(BUFFER_BYTES);
    if (!buffer) return -ENOMEM;
    muxer->context->pb =
        libav->avio_alloc_context(buffer, BUFFER_BYTES, 1, muxer, NULL, write_bytes, seek_file);
    if (!muxer->context->pb) {
        libav->av_freep(&buffer);
        return -ENOMEM;
    }
    muxer->streams[LC_MOVIE_PICTURES] = libav->avformat_new_stream(muxer->context, NULL);
    muxer->packet = libav->av_packet_alloc();
    if (!muxer->streams[LC_MOVIE_PICTURES] || !muxer->packet) return -ENOMEM;
    result = describe_pictures(muxer, settings);
    if (result >= 0 && settings->sound) result = describe_sound(muxer, settings);
    return result < 0 ? result : write_header(muxer, settings);
}

int lc_muxer_open(const struct lc_libav *libav, const struct lc_movie_settings *settings, struct lc_muxer **muxer,
                  char *why, size_t room) {
    struct lc_muxer *made = calloc(1, sizeof *made);
    if (!made) return -ENOMEM;
    made->libav = libav;
    made->output = settings->output;
    made->last[LC_MOVIE_PICTURES] = -1;
    made->last[LC_MOVIE_SOUND] = INT64_MIN;
    int result = open_muxer(made, settings);
    if (result < 0) {
        libav->av_strerror(result, why, room);
        lc_muxer_close(made);
        return result;
    }
    *muxer = made;
    return 0;
}

/// Nanoseconds in ticks of a track, rounded.
static int64_t ticks(const struct lc_av_stream *stream, int64_t nanoseconds) {
    __int128 scaled = (__int128)nanoseconds * stream->time_base.denominator;
    __int128 unit = (__int128)1000000000 * stream->time_base.numerator;
    return (int64_t)((scaled + (scaled < 0 ? -unit / 2 : unit / 2)) / unit);
}

int lc_muxer_add(struct lc_muxer *muxer, enum lc_movie_track track, const uint8_t *bytes, size_t count, int64_t time,
                 int64_t duration, bool is_key) {
    if (count > INT_MAX || (time < 0 && track == LC_MOVIE_PICTURES)) return -EINVAL;
    const struct lc_av_stream *stream = muxer->streams[track];
    if (track == LC_MOVIE_SOUND) time += muxer->sound_delay;
    struct lc_av_packet *packet = muxer->packet;
    int64_t at = ticks(stream, time);
    if (at <= muxer->last[track]) at = muxer->last[track] + 1;
    int64_t end = ticks(stream, time + duration);
    muxer->last[track] = at;
    packet->pts = packet->dts = at;
    packet->duration = end > at ? end - at : 1;
    packet->data = (uint8_t *)bytes;
    packet->size = (int)count;
    packet->stream_index = stream->index;
    packet->flags = is_key ? LC_AV_PKT_FLAG_KEY : 0;
    // The packet's bytes are the caller's: libavformat copies what it keeps.
    int result = muxer->libav->av_write_frame(muxer->context, packet);
    muxer->libav->av_packet_unref(packet);
    return result < 0 ? result : 0;
}

int lc_muxer_flush(struct lc_muxer *muxer) {
    int result = muxer->libav->av_write_frame(muxer->context, NULL);
    muxer->libav->avio_flush(muxer->context->pb);
    return result < 0 ? result : 0;
}

int lc_muxer_finish(struct lc_muxer *muxer) {
    int result = muxer->libav->av_write_trailer(muxer->context);
    muxer->libav->avio_flush(muxer->context->pb);
    return result < 0 ? result : 0;
}

void lc_muxer_close(struct lc_muxer *muxer) {
    const struct lc_libav *libav = muxer->libav;
    if (muxer->packet) libav->av_packet_free(&muxer->packet);
    if (muxer->context) {
        void *pb = muxer->context->pb;
        if (pb) {
            // The buffer may be another one by now. It is the first field of an AVIOContext after its class.
            libav->av_freep((char *)pb + sizeof(void *));
            libav->avio_context_free(&muxer->context->pb);
        }
        libav->avformat_free_context(muxer->context);
    }
    free(muxer);
}
