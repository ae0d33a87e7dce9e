// SPDX-License-Identifier: MIT
// Makes a movie of each kind with our C code alone, by the FFmpeg that is installed, and reads each back. Used by
// scripts/test-ffmpeg, on systems that have nothing of ours.
// Usage: kinds FOLDER    prints a line for each file: NAME PICTURES COUNT SOUND COUNT TURNED CHAPTERS
#include "CMovies.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { WIDTH = 320, HEIGHT = 240, RATE = 30, PICTURES = 60, SOUND_RATE = 48000, SECONDS = 2, MAX_PACKETS = 512 };

struct kind {
    const char *name, *container, *encoder;
    enum lc_movie_codec codec;
    const char *sound;
    enum lc_movie_samples samples;
    bool is_whole, is_turned, has_chapters;
};

static const struct kind kinds[] = {
    {"h264.mp4", "mp4", "libx264", LC_MOVIE_H264, "aac", LC_MOVIE_FLOAT_PLANES, false, false, true},
    {"vp9.mp4", "mp4", "libvpx-vp9", LC_MOVIE_VP9, "aac", LC_MOVIE_FLOAT_PLANES, false, true, true},
    {"av1.mp4", "mp4", "libaom-av1", LC_MOVIE_AV1, "aac", LC_MOVIE_FLOAT_PLANES, false, false, true},
    {"silent.mp4", "mp4", "libx264", LC_MOVIE_H264, NULL, 0, false, true, false},
    {"whole.mov", "mov", "libx264", LC_MOVIE_H264, "aac", LC_MOVIE_FLOAT_PLANES, true, true, false},
    {"mjpeg.mkv", "matroska", "mjpeg", LC_MOVIE_MJPEG, "flac", LC_MOVIE_S16, false, false, true},
    {"h264.mkv", "matroska", "libx264", LC_MOVIE_H264, "flac", LC_MOVIE_S16, false, false, true},
    {"vp9.mkv", "matroska", "libvpx-vp9", LC_MOVIE_VP9, "flac", LC_MOVIE_S16, false, false, true},
    {"av1.mkv", "matroska", "libaom-av1", LC_MOVIE_AV1, "flac", LC_MOVIE_S16, false, false, true},
    {"vp9.webm", "webm", "libvpx-vp9", LC_MOVIE_VP9, "libopus", LC_MOVIE_FLOAT, false, false, true},
    {"av1.webm", "webm", "libaom-av1", LC_MOVIE_AV1, "libopus", LC_MOVIE_FLOAT, false, false, true},
};

/// How Sources/Movies sets them.
static const struct lc_encoder_option options[][8] = {
    [LC_MOVIE_MJPEG] = {{"strict", "-1"}, {NULL, NULL}},
    [LC_MOVIE_H264] = {{"g", "30"}, {"preset", "superfast"}, {"tune", "zerolatency"}, {"crf", "20"}, {NULL, NULL}},
    [LC_MOVIE_VP9] = {{"g", "30"}, {"deadline", "realtime"}, {"cpu-used", "8"}, {"lag-in-frames", "0"}, {"crf", "28"},
                      {"b", "0"}, {NULL, NULL}},
    [LC_MOVIE_AV1] = {{"g", "30"}, {"usage", "realtime"}, {"cpu-used", "8"}, {"lag-in-frames", "0"}, {"crf", "34"},
                      {"b", "0"}, {NULL, NULL}},
};
static const struct lc_encoder_option sound_options[] = {{"b", "112000"}, {"frame_size", "960"}, {NULL, NULL}};

/// A quarter turn, as cameras that hang on their side have it.
static const int32_t turn[9] = {0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30};

struct packets {
    size_t count;
    struct lc_encoded packet[MAX_PACKETS];
};

static void fail(const char *what, const char *why) {
    fprintf(stderr, "kinds: %s: %s\n", what, why);
    exit(1);
}

/// Keeps the packets that are ready, with their bytes.
static void keep(struct lc_encoder *encoder, struct packets *packets) {
    struct lc_encoded packet;
    int result;
    while ((result = lc_encoder_receive(encoder, &packet)) > 0) {
        if (packets->count == MAX_PACKETS) fail("encoding", "too many packets");
        uint8_t *bytes = calloc(1, packet.count + LC_MOVIE_PADDING);
        if (!bytes) fail("encoding", "no memory");
        memcpy(bytes, packet.bytes, packet.count);
        packet.bytes = bytes;
        packets->packet[packets->count++] = packet;
    }
    if (result < 0) fail("encoding", "no packet");
}

static struct lc_encoder *encode_pictures(const struct lc_libav *libav, const struct kind *kind,
                                          const struct lc_movie_picture *picture, struct packets *packets) {
    char why[256];
    struct lc_encoder *encoder;
    if (lc_encoder_open(libav, kind->encoder, picture, options[kind->codec], &encoder, why, sizeof why) < 0)
        fail(kind->encoder, why);
    for (int number = 0; number < PICTURES; number++) {
        uint8_t *planes[3];
        int32_t strides[3];
        if (lc_encoder_planes(encoder, planes, strides) < 0) fail(kind->name, "no planes");
        for (int plane = 0; plane < 3; plane++)
            for (int row = 0; row < (plane ? HEIGHT / 2 : HEIGHT); row++)
                for (int column = 0; column < (plane ? WIDTH / 2 : WIDTH); column++)
                    planes[plane][row * strides[plane] + column] =
                        plane ? 128 : (uint8_t)(16 + (row + column + 3 * number) % 200);
        if (lc_encoder_send(encoder, (int64_t)number * 1000000 / RATE, false) < 0) fail(kind->name, "no picture");
        keep(encoder, packets);
    }
    if (lc_encoder_end(encoder) < 0) fail(kind->name, "no end");
    keep(encoder, packets);
    return encoder;
}

static struct lc_encoder *encode_sound(const struct lc_libav *libav, const struct kind *kind,
                                       struct packets *packets) {
    char why[256];
    struct lc_encoder *encoder;
    struct lc_movie_sound sound = {SOUND_RATE, 2, kind->samples};
    if (lc_encoder_open_sound(libav, kind->sound, &sound, sound_options, &encoder, why, sizeof why) < 0)
        fail(kind->sound, why);
    size_t block = lc_encoder_block(encoder);
    float *samples = calloc(2 * block, sizeof *samples);
    if (!samples) fail(kind->sound, "no memory");
    for (size_t place = 0; place < SECONDS * SOUND_RATE; place += block) {
        size_t count = SECONDS * SOUND_RATE - place < block ? SECONDS * SOUND_RATE - place : block;
        for (size_t at = 0; at < 2 * count; at++)
            samples[at] = 0.3f * sinf(6.2831853f * 440 * (float)(place + at / 2) / SOUND_RATE);
        if (lc_encoder_send_sound(encoder, samples, count, (int64_t)place) < 0) fail(kind->sound, "no block");
        keep(encoder, packets);
    }
    free(samples);
    if (lc_encoder_end(encoder) < 0) fail(kind->sound, "no end");
    keep(encoder, packets);
    return encoder;
}

static int write_file(void *file, const uint8_t *bytes, int count) {
    return fwrite(bytes, 1, (size_t)count, file) == (size_t)count ? count : -EIO;
}
static int read_file(void *file, uint8_t *bytes, int room) { return (int)fread(bytes, 1, (size_t)room, file); }
static int64_t seek_file(void *file, int64_t offset, int whence) {
    return fseeko(file, offset, whence) ? -errno : ftello(file);
}
static int64_t size_of_file(void *file) {
    off_t place = ftello(file), size = fseeko(file, 0, SEEK_END) ? -1 : ftello(file);
    return fseeko(file, place, SEEK_SET) ? -errno : size;
}

/// Writes both tracks in the order of their times, in pieces of half a second.
static void write_packets(struct lc_muxer *muxer, const struct packets *pictures, const struct packets *sound) {
    size_t next = 0;
    for (size_t number = 0; number <= pictures->count; number++) {
        int64_t time = number < pictures->count ? pictures->packet[number].time * 1000 : INT64_MAX;
        for (; next < sound->count; next++) {
            const struct lc_encoded *packet = &sound->packet[next];
            int64_t begin = packet->time * 1000000000 / SOUND_RATE;
            if (begin >= time) break;
            if (lc_muxer_add(muxer, LC_MOVIE_SOUND, packet->bytes, packet->count, begin,
                             packet->duration * 1000000000 / SOUND_RATE, true) < 0)
                fail("sound", "cannot be written");
        }
        if (number == pictures->count) break;
        const struct lc_encoded *packet = &pictures->packet[number];
        if (lc_muxer_add(muxer, LC_MOVIE_PICTURES, packet->bytes, packet->count, time, 1000000000 / RATE,
                         packet->is_key) < 0)
            fail("a picture", "cannot be written");
        if (number % 15 == 14 && lc_muxer_flush(muxer) < 0) fail("a piece", "cannot be written");
    }
}

static void make(const struct lc_libav *libav, const struct kind *kind) {
    const struct lc_movie_picture picture = {WIDTH, HEIGHT, kind->codec == LC_MOVIE_MJPEG ? 2 : 1, 1, 13, 6, RATE, 1};
    static struct packets pictures, sound;
    pictures.count = sound.count = 0;
    struct lc_encoder *encoder = encode_pictures(libav, kind, &picture, &pictures);
    struct lc_encoder *voice = kind->sound ? encode_sound(libav, kind, &sound) : NULL;
    FILE *file = fopen(kind->name, "w+");
    if (!file) fail(kind->name, strerror(errno));
    const struct lc_movie_tag tags[] = {{"comment", "a movie of a test"}, {NULL, NULL}};
    struct lc_movie_settings settings = {
        .container = kind->container, .codec = kind->codec, .picture = picture, .sound = voice, .tags = tags,
        .matrix = kind->is_turned ? turn : NULL, .is_whole = kind->is_whole, .has_chapters = kind->has_chapters,
        .output = {file, write_file, seek_file, size_of_file}};
    settings.extradata = lc_encoder_extradata(encoder, &settings.extradata_size);
    char why[256];
    struct lc_muxer *muxer;
    if (lc_muxer_open(libav, &settings, &muxer, why, sizeof why) < 0) fail(kind->name, why);
    write_packets(muxer, &pictures, &sound);
    if (lc_muxer_finish(muxer) < 0) fail(kind->name, "cannot be finished");
    lc_muxer_close(muxer);
    if (fclose(file)) fail(kind->name, strerror(errno));
    lc_encoder_close(encoder);
    if (voice) lc_encoder_close(voice);
    for (size_t at = 0; at < pictures.count; at++) free((void *)pictures.packet[at].bytes);
    for (size_t at = 0; at < sound.count; at++) free((void *)sound.packet[at].bytes);
}

static void read_back(const struct lc_libav *libav, const struct kind *kind) {
    FILE *file = fopen(kind->name, "r");
    if (!file) fail(kind->name, strerror(errno));
    struct lc_movie_input input = {file, read_file, seek_file, size_of_file};
    struct lc_reader *reader;
    char why[256];
    if (lc_reader_open(libav, &input, &reader, why, sizeof why) < 0) fail(kind->name, why);
    size_t counts[2] = {0};
    int64_t begin = INT64_MIN, next = INT64_MIN;
    size_t track;
    struct lc_packet_facts packet;
    int result;
    while ((result = lc_reader_next(reader, &track, &packet)) > 0)
        if (track < 2) {
            counts[track]++;
            // Players of Matroska start at the first block, whose beginning is not heard.
            if (track == 1 && counts[1] == 1) begin = packet.time;
            if (track == 1 && counts[1] == 2) next = packet.time;
            if (track == 0 && counts[0] == 1 && packet.time != 0) fail(kind->name, "the pictures do not begin at 0");
        }
    if (result < 0) fail(kind->name, "cannot be read");
    if (kind->sound && strcmp(kind->sound, "libopus") == 0 && (begin != -7000000 || next != 13000000))
        fail(kind->name, "the sound does not begin as it should");
    struct lc_track_facts facts, sound = {.codec = "none"};
    lc_reader_describe(reader, 0, &facts);
    if (facts.kind != LC_TRACK_PICTURES || facts.width != WIDTH || facts.height != HEIGHT)
        fail(kind->name, "no pictures of that size");
    if (facts.is_turned && memcmp(facts.matrix, turn, sizeof turn)) fail(kind->name, "another turn");
    if (lc_reader_tracks(reader) > 1) {
        lc_reader_describe(reader, 1, &sound);
        if (sound.kind != LC_TRACK_SOUND || sound.rate != SOUND_RATE || sound.channels != 2)
            fail(kind->name, "other sound");
    }
    bool has_comment = false;
    const void *place = NULL;
    for (struct lc_movie_tag tag; lc_reader_tag(reader, &place, &tag);)
        has_comment |= strcasecmp(tag.name, "comment") == 0 && strcmp(tag.value, "a movie of a test") == 0;
    if (!has_comment) fail(kind->name, "no comment");
    printf("%s %s %zu %s %zu %d %zu\n", kind->name, facts.codec, counts[0], sound.codec, counts[1], facts.is_turned,
           lc_reader_chapters(reader));
    lc_reader_close(reader);
    fclose(file);
}

int main(int count, char **arguments) {
    char why[256];
    int32_t unknown;
    if (count != 2 || chdir(arguments[1])) fail("usage", "kinds FOLDER");
    struct lc_libav *libav = lc_libav_load(why, sizeof why, &unknown);
    if (!libav) fail("FFmpeg", why);
    for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
        make(libav, &kinds[at]);
        read_back(libav, &kinds[at]);
    }
    lc_libav_free(libav);
    return 0;
}
