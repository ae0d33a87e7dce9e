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
    struct lc_av_io_context *pb;
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
    *lc_format_context_pb(libav, reader->context) = reader->pb;
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
    const struct lc_av_input_format *format = *lc_format_context_iformat(reader->libav, reader->context);
    const char *name = format ? *lc_input_format_name(reader->libav, format) : NULL;
    return name ? name : "";
}

size_t lc_reader_tracks(const struct lc_reader *reader) {
    return *lc_format_context_nb_streams(reader->libav, reader->context);
}

/// A time in a track's unit in nanoseconds; INT64_MIN if it is not known or absurd.
static int64_t nanoseconds(int64_t time, struct lc_rational unit) {
    if (time == INT64_MIN || unit.denominator <= 0 || unit.numerator <= 0) return INT64_MIN;
    __int128 scaled = (__int128)time * 1000000000 * unit.numerator / unit.denominator;
    return scaled > INT64_MAX || scaled <= INT64_MIN ? INT64_MIN : (int64_t)scaled;
}

/// The matrix by which players turn a track's pictures. Returns how many bytes it has, which is 0 if there is none.
static size_t find_matrix(const struct lc_libav *libav, const struct lc_av_stream *stream, const uint8_t **matrix) {
    size_t size = 0;
    if (!libav->av_packet_side_data_get) {
        *matrix = libav->av_stream_get_side_data(stream, LC_AV_PKT_DATA_DISPLAYMATRIX, &size);
        return *matrix ? size : 0;
    }
    const struct lc_av_codec_parameters *parameters = *lc_stream_codecpar(libav, stream);
    const struct lc_av_side_data *data = libav->av_packet_side_data_get(
        *lc_codec_parameters_coded_side_data(libav, parameters),
        *lc_codec_parameters_nb_coded_side_data(libav, parameters), LC_AV_PKT_DATA_DISPLAYMATRIX);
    *matrix = data ? *lc_side_data_data(libav, data) : NULL;
    return *matrix ? *lc_side_data_size(libav, data) : 0;
}

/// The number of channels; 0 if it is not known.
static int channels_of(const struct lc_libav *libav, const struct lc_av_codec_parameters *parameters) {
    return *lc_channel_layout_nb_channels(libav, lc_codec_parameters_ch_layout(libav, parameters));
}

void lc_reader_describe(const struct lc_reader *reader, size_t track, struct lc_track_facts *facts) {
    const struct lc_libav *libav = reader->libav;
    const struct lc_av_stream *stream = (*lc_format_context_streams(libav, reader->context))[track];
    const struct lc_av_codec_parameters *parameters = *lc_stream_codecpar(libav, stream);
    int type = *lc_codec_parameters_codec_type(libav, parameters);
    *facts = (struct lc_track_facts){
        .kind = type == LC_AV_TYPE_VIDEO   ? LC_TRACK_PICTURES
                : type == LC_AV_TYPE_AUDIO ? LC_TRACK_SOUND
                                           : LC_TRACK_OTHER,
        .codec = libav->avcodec_get_name(*lc_codec_parameters_codec_id(libav, parameters)),
        .width = *lc_codec_parameters_width(libav, parameters),
        .height = *lc_codec_parameters_height(libav, parameters),
        .rate = *lc_codec_parameters_sample_rate(libav, parameters),
        .channels = channels_of(libav, parameters),
    };
    const uint8_t *matrix;
    size_t size = find_matrix(libav, stream, &matrix);
    facts->is_turned = size == sizeof facts->matrix;
    if (facts->is_turned) memcpy(facts->matrix, matrix, size);
}

int lc_reader_next(struct lc_reader *reader, size_t *track, struct lc_packet_facts *facts) {
    const struct lc_libav *libav = reader->libav;
    const struct lc_av_packet *packet = reader->packet;
    int result = libav->av_read_frame(reader->context, reader->packet);
    if (result == LC_AV_ERROR_EOF) return 0;
    if (result < 0) return result;
    int number = *lc_packet_stream_index(libav, packet);
    size_t index = (size_t)number;
    // Tracks may appear late.
    bool is_known = number >= 0 && index < lc_reader_tracks(reader);
    struct lc_rational unit = {0, 0};
    if (is_known) unit = *lc_stream_time_base(libav, (*lc_format_context_streams(libav, reader->context))[index]);
    int size = *lc_packet_size(libav, packet);
    *track = is_known ? index : SIZE_MAX;
    *facts = (struct lc_packet_facts){
        .time = nanoseconds(*lc_packet_pts(libav, packet), unit),
        .duration = nanoseconds(*lc_packet_duration(libav, packet), unit),
        .count = size > 0 ? (size_t)size : 0,
        .is_key = *lc_packet_flags(libav, packet) & LC_AV_PKT_FLAG_KEY,
    };
    libav->av_packet_unref(reader->packet);
    return 1;
}

bool lc_reader_tag(const struct lc_reader *reader, const void **place, struct lc_movie_tag *tag) {
    const struct lc_libav *libav = reader->libav;
    const struct lc_av_dictionary_entry *entry = libav->av_dict_get(
        *lc_format_context_metadata(libav, reader->context), "", *place, LC_AV_DICT_IGNORE_SUFFIX);
    *place = entry;
    if (!entry) return false;
    *tag = (struct lc_movie_tag){*lc_dictionary_entry_key(libav, entry), *lc_dictionary_entry_value(libav, entry)};
    return true;
}

size_t lc_reader_chapters(const struct lc_reader *reader) {
    return *lc_format_context_nb_chapters(reader->libav, reader->context);
}

void lc_reader_chapter(const struct lc_reader *reader, size_t index, struct lc_chapter_facts *facts) {
    const struct lc_libav *libav = reader->libav;
    const struct lc_av_chapter *chapter = (*lc_format_context_chapters(libav, reader->context))[index];
    const struct lc_av_dictionary_entry *title =
        libav->av_dict_get(*lc_chapter_metadata(libav, chapter), "title", NULL, 0);
    *facts = (struct lc_chapter_facts){
        .begin = nanoseconds(*lc_chapter_start(libav, chapter), *lc_chapter_time_base(libav, chapter)),
        .name = title ? *lc_dictionary_entry_value(libav, title) : NULL,
    };
}

void lc_reader_close(struct lc_reader *reader) {
    const struct lc_libav *libav = reader->libav;
    if (reader->packet) libav->av_packet_free(&reader->packet);
    if (reader->context) libav->avformat_close_input(&reader->context);
    if (reader->pb) {
        // The buffer may be another one by now.
        libav->av_freep(lc_io_context_buffer(libav, reader->pb));
        libav->avio_context_free(&reader->pb);
    }
    free(reader);
}
