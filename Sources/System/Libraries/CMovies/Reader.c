// SPDX-License-Identifier: MIT
// Reads what a movie's file says of itself, by libavformat. Nothing is decoded.
#include "Libav.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct lc_reader {
    const struct lc_libav *libav;
    struct lc_movie_input input;
    struct lc_av_format_context *context;
    void *pb;
    struct lc_av_packet *packet;
};

enum { BUFFER_BYTES = 64 << 10 };

static int read_bytes(void *context, uint8_t *bytes, int room) {
    struct lc_reader *reader = context;
    int count = reader->input.read(reader->input.context, bytes, room);
    return count == 0 ? LC_AV_ERROR_EOF : count;
}

static int64_t seek_file(void *context, int64_t offset, int whence) {
    struct lc_reader *reader = context;
    if (whence & LC_AV_SEEK_SIZE) return reader->input.size(reader->input.context);
    return reader->input.seek(reader->input.context, offset, whence & ~LC_AV_SEEK_FORCE);
}

static int open_reader(struct lc_reader *reader) {
    const struct lc_libav *libav = reader->libav;
    reader->packet = libav->av_packet_alloc();
    reader->context = libav->avformat_alloc_context();
    unsigned char *buffer = libav->av_malloc(BUFFER_BYTES);
    if (buffer)
        reader->pb = libav->avio_alloc_context(buffer, BUFFER_BYTES, 0, reader, read_bytes, NULL, seek_file);
    if (!reader->pb) libav->av_freep(&buffer);
    if (!reader->packet || !reader->context || !reader->pb) return -ENOMEM;
    reader->context->pb = reader->pb;
    void *options = NULL;
    // Other formats may be lists of further files, or decoded by programs that nobody expects.
    libav->av_dict_set(&options, "format_whitelist", "mov,matroska", 0);
    libav->av_dict_set(&options, "protocol_whitelist", "none", 0);
    // Frees the context if it fails.
    int result = libav->avformat_open_input(&reader->context, "", NULL, &options);
    libav->av_dict_free(&options);
    return result < 0 ? result : 0;
}

int lc_reader_open(const struct lc_libav *libav, const struct lc_movie_input *input, struct lc_reader **reader,
                   char *why, size_t room) {
    struct lc_reader *made = calloc(1, sizeof *made);
    if (!made) return -ENOMEM;
    made->libav = libav;
    made->input = *input;
    int result = open_reader(made);
    if (result < 0) {
        libav->av_strerror(result, why, room);
        lc_reader_close(made);
        return result;
    }
    *reader = made;
    return 0;
}

const char *lc_reader_kind(const struct lc_reader *reader) {
    const struct lc_av_input_format *format = reader->context->input_format;
    return format && format->name ? format->name : "";
}

size_t lc_reader_tracks(const struct lc_reader *reader) { return reader->context->nb_streams; }

/// A time in a track's unit in nanoseconds; INT64_MIN if it is not known or absurd.
static int64_t nanoseconds(int64_t time, struct lc_rational unit) {
    if (time == INT64_MIN || unit.denominator <= 0 || unit.numerator <= 0) return INT64_MIN;
    __int128 scaled = (__int128)time * 1000000000 * unit.numerator / unit.denominator;
    return scaled > INT64_MAX || scaled <= INT64_MIN ? INT64_MIN : (int64_t)scaled;
}

void lc_reader_describe(const struct lc_reader *reader, size_t track, struct lc_track_facts *facts) {
    const struct lc_libav *libav = reader->libav;
    const struct lc_av_stream *stream = reader->context->streams[track];
    const struct lc_av_codec_parameters *parameters = stream->codecpar;
    *facts = (struct lc_track_facts){
        .kind = parameters->codec_type == LC_AV_TYPE_VIDEO   ? LC_TRACK_PICTURES
                : parameters->codec_type == LC_AV_TYPE_AUDIO ? LC_TRACK_SOUND
                                                             : LC_TRACK_OTHER,
        .codec = libav->avcodec_get_name(parameters->codec_id),
        .width = parameters->width,
        .height = parameters->height,
        .rate = parameters->sample_rate,
        .channels = parameters->channels,
    };
    size_t size = 0;
    const uint8_t *matrix = libav->av_stream_get_side_data(stream, LC_AV_PKT_DATA_DISPLAYMATRIX, &size);
    facts->is_turned = matrix && size == sizeof facts->matrix;
    if (facts->is_turned) memcpy(facts->matrix, matrix, size);
}

int lc_reader_next(struct lc_reader *reader, size_t *track, struct lc_packet_facts *facts) {
    int result = reader->libav->av_read_frame(reader->context, reader->packet);
    if (result == LC_AV_ERROR_EOF) return 0;
    if (result < 0) return result;
    const struct lc_av_packet *packet = reader->packet;
    size_t index = (size_t)packet->stream_index;
    // Tracks may appear late.
    int is_known = packet->stream_index >= 0 && index < reader->context->nb_streams;
    struct lc_rational unit = is_known ? reader->context->streams[index]->time_base : (struct lc_rational){0, 0};
    *track = is_known ? index : SIZE_MAX;
    *facts = (struct lc_packet_facts){
        .time = nanoseconds(packet->pts, unit),
        .duration = nanoseconds(packet->duration, unit),
        .count = packet->size > 0 ? (size_t)packet->size : 0,
        .is_key = packet->flags & LC_AV_PKT_FLAG_KEY,
    };
    reader->libav->av_packet_unref(reader->packet);
    return 1;
}

bool lc_reader_tag(const struct lc_reader *reader, const void **place, struct lc_movie_tag *tag) {
    const struct lc_av_dictionary_entry *entry =
        reader->libav->av_dict_get(reader->context->metadata, "", *place, LC_AV_DICT_IGNORE_SUFFIX);
    *place = entry;
    if (!entry) return false;
    *tag = (struct lc_movie_tag){entry->key, entry->value};
    return true;
}

size_t lc_reader_chapters(const struct lc_reader *reader) { return reader->context->nb_chapters; }

void lc_reader_chapter(const struct lc_reader *reader, size_t index, struct lc_chapter_facts *facts) {
    const struct lc_av_chapter *chapter = reader->context->chapters[index];
    const struct lc_av_dictionary_entry *title = reader->libav->av_dict_get(chapter->metadata, "title", NULL, 0);
    *facts = (struct lc_chapter_facts){
        .begin = nanoseconds(chapter->start, chapter->time_base),
        .name = title ? title->value : NULL,
    };
}

void lc_reader_close(struct lc_reader *reader) {
    const struct lc_libav *libav = reader->libav;
    if (reader->packet) libav->av_packet_free(&reader->packet);
    if (reader->context) libav->avformat_close_input(&reader->context);
    if (reader->pb) {
        // The buffer may be another one by now. It is the first field of an AVIOContext after its class.
        libav->av_freep((char *)reader->pb + sizeof(void *));
        libav->avio_context_free(&reader->pb);
    }
    free(reader);
}
