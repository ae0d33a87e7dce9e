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
    struct lc_av_io_context *pb;
    /// Of pictures, and of sound, if there is any.
    struct lc_av_stream *streams[2];
    struct lc_av_packet *packet;
    /// The time of each track's last packet, in ticks of the container.
    int64_t last[2];
    /// Added to times of sound, in nanoseconds, and whether libavformat adds it, too.
    int64_t sound_delay;
    bool adds_delay;
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
    const struct lc_libav *libav = muxer->libav;
    struct lc_av_stream *stream = muxer->streams[LC_MOVIE_PICTURES];
    size_t size = 9 * sizeof *matrix;
    uint8_t *copy = libav->av_malloc(size);
    if (!copy) return -ENOMEM;
    memcpy(copy, matrix, size);
    int result;
    if (libav->av_packet_side_data_add) {
        struct lc_av_codec_parameters *parameters = *lc_stream_codecpar(libav, stream);
        bool is_added = libav->av_packet_side_data_add(lc_codec_parameters_coded_side_data(libav, parameters),
                                                       lc_codec_parameters_nb_coded_side_data(libav, parameters),
                                                       LC_AV_PKT_DATA_DISPLAYMATRIX, copy, size, 0);
        result = is_added ? 0 : -ENOMEM;
    } else {
        result = libav->av_stream_add_side_data(stream, LC_AV_PKT_DATA_DISPLAYMATRIX, copy, size);
    }
    if (result < 0) libav->av_freep(&copy);
    return result;
}

/// FFmpeg's number of a codec, which differs from release to release.
static int find_number(const struct lc_libav *libav, enum lc_movie_codec codec) {
    static const char *const names[] = {
        [LC_MOVIE_MJPEG] = "mjpeg", [LC_MOVIE_H264] = "h264", [LC_MOVIE_VP9] = "vp9", [LC_MOVIE_AV1] = "av1"};
    const struct lc_av_codec_descriptor *descriptor = libav->avcodec_descriptor_get_by_name(names[codec]);
    return descriptor ? *lc_codec_descriptor_id(libav, descriptor) : 0;
}

static int describe_pictures(struct lc_muxer *muxer, const struct lc_movie_settings *settings) {
    const struct lc_libav *libav = muxer->libav;
    struct lc_av_stream *stream = muxer->streams[LC_MOVIE_PICTURES];
    struct lc_av_codec_parameters *parameters = *lc_stream_codecpar(libav, stream);
    const struct lc_movie_picture *picture = &settings->picture;
    *lc_codec_parameters_codec_id(libav, parameters) = find_number(libav, settings->codec);
    lc_describe_picture(libav, parameters, picture);
    *lc_stream_avg_frame_rate(libav, stream) =
        (struct lc_rational){picture->rate_numerator, picture->rate_denominator};
    int result = settings->matrix ? turn_pictures(muxer, settings->matrix) : 0;
    if (result < 0) return result;
    if (settings->extradata_size == 0) return 0;
    if (settings->extradata_size > INT_MAX - LC_MOVIE_PADDING) return -EINVAL;
    uint8_t *extradata = libav->av_mallocz(settings->extradata_size + LC_MOVIE_PADDING);
    if (!extradata) return -ENOMEM;
    memcpy(extradata, settings->extradata, settings->extradata_size);
    *lc_codec_parameters_extradata(libav, parameters) = extradata;
    *lc_codec_parameters_extradata_size(libav, parameters) = (int)settings->extradata_size;
    return 0;
}

static int describe_sound(struct lc_muxer *muxer, const struct lc_movie_settings *settings) {
    const struct lc_libav *libav = muxer->libav;
    struct lc_av_stream *stream = libav->avformat_new_stream(muxer->context, NULL);
    if (!stream) return -ENOMEM;
    muxer->streams[LC_MOVIE_SOUND] = stream;
    const struct lc_av_codec_parameters *parameters = lc_encoder_parameters(settings->sound);
    int rate = *lc_codec_parameters_sample_rate(libav, parameters);
    *lc_stream_time_base(libav, stream) = (struct lc_rational){1, rate};
    // Players of Matroska subtract what is not to be heard (CodecDelay) from the times in the file. FFmpeg 5 states it
    // and does not add it: it moves the pictures instead, and they come too late. Later ones add it to times that they
    // have rounded to milliseconds, so that blocks would lie up to one too late.
    if (!has_boxes(settings->container))
        muxer->sound_delay = (int64_t)*lc_codec_parameters_initial_padding(libav, parameters) * 1000000000 / rate;
    return libav->avcodec_parameters_copy(*lc_stream_codecpar(libav, stream), parameters);
}

enum { ROOM_CHAPTERS = 31, ROOM_NAME = 255 };

/// Adds chapters that take about 8 KiB of the file.
static int make_room(struct lc_muxer *muxer) {
    const struct lc_libav *libav = muxer->libav;
    struct lc_av_format_context *context = muxer->context;
    char name[ROOM_NAME + 1];
    memset(name, '-', ROOM_NAME);
    name[ROOM_NAME] = 0;
    struct lc_av_chapter **chapters = libav->av_mallocz(ROOM_CHAPTERS * sizeof *chapters);
    if (!chapters) return -ENOMEM;
    *lc_format_context_chapters(libav, context) = chapters;
    for (int64_t number = 0; number < ROOM_CHAPTERS; number++) {
        struct lc_av_chapter *chapter = libav->av_mallocz(libav->layout.chapter_bytes);
        if (!chapter) return -ENOMEM;
        *lc_chapter_id(libav, chapter) = number + 1;
        *lc_chapter_time_base(libav, chapter) = (struct lc_rational){1, 1000};
        chapters[(*lc_format_context_nb_chapters(libav, context))++] = chapter;
        int result = libav->av_dict_set(lc_chapter_metadata(libav, chapter), "title", name, 0);
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
    void **metadata = lc_format_context_metadata(libav, muxer->context);
    for (const struct lc_movie_tag *tag = settings->tags; tag->name; tag++)
        libav->av_dict_set(metadata, tag->name, tag->value, 0);
    *lc_stream_time_base(libav, muxer->streams[LC_MOVIE_PICTURES]) = (struct lc_rational){1, 90000};
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
    muxer->pb = libav->avio_alloc_context(buffer, BUFFER_BYTES, 1, muxer, NULL, write_bytes,
                                          muxer->output.seek ? seek_file : NULL);
    if (!muxer->pb) {
        libav->av_freep(&buffer);
        return -ENOMEM;
    }
    *lc_format_context_pb(libav, muxer->context) = muxer->pb;
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
    made->adds_delay = libav->layout.format >= 60;
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
static int64_t ticks(struct lc_rational tick, int64_t nanoseconds) {
    __int128 scaled = (__int128)nanoseconds * tick.denominator;
    __int128 unit = (__int128)1000000000 * tick.numerator;
    return (int64_t)((scaled + (scaled < 0 ? -unit / 2 : unit / 2)) / unit);
}

int lc_muxer_add(struct lc_muxer *muxer, enum lc_movie_track track, const uint8_t *bytes, size_t count, int64_t time,
                 int64_t duration, bool is_key) {
    if (count > INT_MAX || (time < 0 && track == LC_MOVIE_PICTURES)) return -EINVAL;
    const struct lc_libav *libav = muxer->libav;
    const struct lc_av_stream *stream = muxer->streams[track];
    struct lc_rational tick = *lc_stream_time_base(libav, stream);
    int64_t added = 0;
    if (track == LC_MOVIE_SOUND) {
        time += muxer->sound_delay;
        if (muxer->adds_delay) added = ticks(tick, muxer->sound_delay);
    }
    struct lc_av_packet *packet = muxer->packet;
    int64_t at = ticks(tick, time) - added;
    if (at <= muxer->last[track]) at = muxer->last[track] + 1;
    int64_t end = ticks(tick, time + duration) - added;
    muxer->last[track] = at;
    *lc_packet_pts(libav, packet) = *lc_packet_dts(libav, packet) = at;
    *lc_packet_duration(libav, packet) = end > at ? end - at : 1;
    *lc_packet_data(libav, packet) = (uint8_t *)bytes;
    *lc_packet_size(libav, packet) = (int)count;
    *lc_packet_stream_index(libav, packet) = *lc_stream_index(libav, stream);
    *lc_packet_flags(libav, packet) = is_key ? LC_AV_PKT_FLAG_KEY : 0;
    // The packet's bytes are the caller's: libavformat copies what it keeps.
    int result = libav->av_write_frame(muxer->context, packet);
    libav->av_packet_unref(packet);
    return result < 0 ? result : 0;
}

int lc_muxer_flush(struct lc_muxer *muxer) {
    int result = muxer->libav->av_write_frame(muxer->context, NULL);
    muxer->libav->avio_flush(muxer->pb);
    return result < 0 ? result : 0;
}

int lc_muxer_finish(struct lc_muxer *muxer) {
    int result = muxer->libav->av_write_trailer(muxer->context);
    muxer->libav->avio_flush(muxer->pb);
    return result < 0 ? result : 0;
}

void lc_muxer_close(struct lc_muxer *muxer) {
    const struct lc_libav *libav = muxer->libav;
    if (muxer->packet) libav->av_packet_free(&muxer->packet);
    if (muxer->context) libav->avformat_free_context(muxer->context);
    if (muxer->pb) {
        // The buffer may be another one by now.
        libav->av_freep(lc_io_context_buffer(libav, muxer->pb));
        libav->avio_context_free(&muxer->pb);
    }
    free(muxer);
}
