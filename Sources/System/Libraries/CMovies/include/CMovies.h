// SPDX-License-Identifier: MIT
// Movies over FFmpeg's libraries, which are loaded when the first movie is asked for. Needs no header of FFmpeg's to
// build, and no library to start.
#ifndef LIVECAP_CMOVIES_H
#define LIVECAP_CMOVIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Functions of libavformat, libavcodec and libavutil. Any thread may use them.
struct lc_libav;

/// Loads the libraries of the newest release of FFmpeg that is installed and whose structures are known, 5 to 9. They
/// then stay. NULL if there is none that can be loaded, with the reason in `why`; `unknown` is then the number of a
/// libavformat that is installed and not known, or 0.
struct lc_libav *lc_libav_load(char *why, size_t room, int32_t *unknown);

/// Frees the table of functions. Nothing made with it may be left.
void lc_libav_free(struct lc_libav *libav);

/// How pixels are coded: FFmpeg's numbers, which for colours are those of ITU-T H.273.
struct lc_movie_picture {
    int32_t width, height;
    /// 1 for limited range, 2 for full range.
    int32_t range;
    int32_t primaries, transfer, matrix;
    /// Frames per second, as far as known; 0/1 if not.
    int32_t rate_numerator, rate_denominator;
};

/// How a stream of pictures is compressed.
enum lc_movie_codec { LC_MOVIE_MJPEG, LC_MOVIE_H264, LC_MOVIE_VP9, LC_MOVIE_AV1 };

struct lc_encoder;

// MARK: The file

/// Where the bytes of a file go. Each function returns a negated errno if it fails.
struct lc_movie_output {
    void *context;
    /// Writes at the current position.
    int (*write)(void *context, const uint8_t *bytes, int count);
    /// Moves the position, with `whence` as in lseek(2). Returns it. NULL if that is impossible, as in a pipe.
    int64_t (*seek)(void *context, int64_t offset, int whence);
    /// Returns the file's size.
    int64_t (*size)(void *context);
};

/// A text in a movie's file. Only "creation_time" has a meaning for every container.
struct lc_movie_tag {
    const char *name, *value;
};

struct lc_movie_settings {
    /// "matroska", "webm", "mp4", or "mov" for QuickTime's.
    const char *container;
    enum lc_movie_codec codec;
    struct lc_movie_picture picture;
    /// What decoders need before the first packet; may be NULL.
    const uint8_t *extradata;
    size_t extradata_size;
    /// The encoder of a second track's sound; NULL for none. Not used after the file was opened.
    const struct lc_encoder *sound;
    /// What the file says of itself; ends with a name of NULL.
    const struct lc_movie_tag *tags;
    /// How players turn the pictures: the nine numbers of a track's matrix in ISO/IEC 14496-12. NULL if they do not.
    const int32_t *matrix;
    /// Whether MP4 is written with its index at the end, and is no movie before that.
    bool is_whole;
    /// Whether there is room for chapters: it holds chapters without a meaning, which the caller writes others over.
    bool has_chapters;
    struct lc_movie_output output;
};

/// A movie's file with a track of pictures, and perhaps one of sound. Used by one thread at a time.
struct lc_muxer;

/// Begins a file and writes its header. Returns a negated errno, or a negative number of FFmpeg's with words in `why`.
int lc_muxer_open(const struct lc_libav *libav, const struct lc_movie_settings *settings, struct lc_muxer **muxer,
                  char *why, size_t room);

/// How many bytes must be readable behind a packet's.
enum { LC_MOVIE_PADDING = 64 };

enum lc_movie_track { LC_MOVIE_PICTURES = 0, LC_MOVIE_SOUND = 1 };

/// Adds a packet, whose time and duration are in nanoseconds since the movie began. A time that is not later than that
/// of the track's packet before becomes a tick later. `LC_MOVIE_PADDING` bytes of 0 follow its `count` bytes.
int lc_muxer_add(struct lc_muxer *muxer, enum lc_movie_track track, const uint8_t *bytes, size_t count, int64_t time,
                 int64_t duration, bool is_key);

/// Ends the current piece of the file, and writes it: what was added until now can be played, whatever happens next.
int lc_muxer_flush(struct lc_muxer *muxer);

/// Writes the end of the file: its index.
int lc_muxer_finish(struct lc_muxer *muxer);

/// Frees it. Writes nothing.
void lc_muxer_close(struct lc_muxer *muxer);

// MARK: Reading

/// Where the bytes of a file come from. Each function returns a negated errno if it fails.
struct lc_movie_input {
    void *context;
    /// Reads at the current position. Returns how many bytes it has read: 0 at the end.
    int (*read)(void *context, uint8_t *bytes, int room);
    /// Moves the position, with `whence` as in lseek(2). Returns it.
    int64_t (*seek)(void *context, int64_t offset, int whence);
    /// Returns the file's size.
    int64_t (*size)(void *context);
};

/// A movie's file that is read: MP4, QuickTime, Matroska or WebM. Accepts any bytes. Used by one thread at a time.
struct lc_reader;

/// Opens a file. Returns a negated errno, or a negative number of FFmpeg's with words in `why`.
int lc_reader_open(const struct lc_libav *libav, const struct lc_movie_input *input, struct lc_reader **reader,
                   char *why, size_t room);

/// FFmpeg's name for the kind of file.
const char *lc_reader_kind(const struct lc_reader *reader);

/// The number of tracks that are known until now.
size_t lc_reader_tracks(const struct lc_reader *reader);

enum lc_track_kind { LC_TRACK_PICTURES, LC_TRACK_SOUND, LC_TRACK_OTHER };

/// What the file says of a track.
struct lc_track_facts {
    enum lc_track_kind kind;
    /// FFmpeg's name of its codec.
    const char *codec;
    int32_t width, height;
    /// Samples per second, and channels, of sound; 0 if not known.
    int32_t rate, channels;
    /// How players turn its pictures: the matrix of ISO/IEC 14496-12.
    bool is_turned;
    int32_t matrix[9];
};

void lc_reader_describe(const struct lc_reader *reader, size_t track, struct lc_track_facts *facts);

struct lc_packet_facts {
    /// In nanoseconds; INT64_MIN if not known.
    int64_t time, duration;
    size_t count;
    bool is_key;
};

/// Reads the next packet of any track; of none (SIZE_MAX) if the file is damaged there. Returns 1 if there is one, 0 at
/// the end, and a negative number if reading failed.
int lc_reader_next(struct lc_reader *reader, size_t *track, struct lc_packet_facts *facts);

/// The text after the one at `place`, which is NULL at first. False after the last one. Valid until the next packet.
bool lc_reader_tag(const struct lc_reader *reader, const void **place, struct lc_movie_tag *tag);

struct lc_chapter_facts {
    int64_t begin;
    /// NULL if it has none.
    const char *name;
};

size_t lc_reader_chapters(const struct lc_reader *reader);
void lc_reader_chapter(const struct lc_reader *reader, size_t index, struct lc_chapter_facts *facts);

void lc_reader_close(struct lc_reader *reader);

// MARK: The encoder

/// An encoder of pictures in Y'CbCr 4:2:0 with 8 bits, or of sound. Used by one thread at a time.
struct lc_encoder;

/// What an encoder is set to.
struct lc_encoder_option {
    const char *name, *value;
};

/// Opens the encoder that FFmpeg calls `name`. Returns a negative number if it is missing or refuses, with the reason
/// in `why`. Options that it does not know are ignored. `options` ends with a name of NULL.
int lc_encoder_open(const struct lc_libav *libav, const char *name, const struct lc_movie_picture *picture,
                    const struct lc_encoder_option *options, struct lc_encoder **encoder, char *why, size_t room);

/// What decoders need before the first packet. Some encoders know it only once they have made that packet.
const uint8_t *lc_encoder_extradata(const struct lc_encoder *encoder, size_t *count);

/// The planes of the next picture, and how many bytes their rows lie apart. To be filled before it is sent.
int lc_encoder_planes(struct lc_encoder *encoder, uint8_t *planes[3], int32_t strides[3]);

/// Encodes the picture at a time in microseconds, later than the one before. One that `is_key` needs no other, at least
/// with the encoder's option "forced-idr"; of others, the encoder chooses.
int lc_encoder_send(struct lc_encoder *encoder, int64_t time, bool is_key);

/// How samples are given to an encoder: FFmpeg's numbers.
enum lc_movie_samples { LC_MOVIE_S16 = 1, LC_MOVIE_FLOAT = 3, LC_MOVIE_FLOAT_PLANES = 8 };

/// Sound to encode.
struct lc_movie_sound {
    /// Samples per second.
    int32_t rate;
    /// 1 or 2.
    int32_t channels;
    /// What the encoder takes.
    enum lc_movie_samples samples;
};

/// Opens an encoder of sound, as `lc_encoder_open` does one of pictures.
int lc_encoder_open_sound(const struct lc_libav *libav, const char *name, const struct lc_movie_sound *sound,
                          const struct lc_encoder_option *options, struct lc_encoder **encoder, char *why,
                          size_t room);

/// How many samples of each channel an encoder of sound takes at once.
size_t lc_encoder_block(const struct lc_encoder *encoder);

/// Encodes `count` interleaved samples of each channel, the first of which is sample `place` of the track. Only the
/// last block may have fewer than `lc_encoder_block`.
int lc_encoder_send_sound(struct lc_encoder *encoder, const float *samples, size_t count, int64_t place);

/// Says that nothing will follow.
int lc_encoder_end(struct lc_encoder *encoder);

/// A packet of an encoder, whose bytes stay valid until the next call.
struct lc_encoded {
    const uint8_t *bytes;
    size_t count;
    /// In the unit of what was sent: microseconds, or samples. That of sound may be negative: decoders need a beginning
    /// that is not heard.
    int64_t time, duration;
    bool is_key;
};

/// The next packet. Returns 1 if there is one, 0 if not, and a negative number if encoding failed.
int lc_encoder_receive(struct lc_encoder *encoder, struct lc_encoded *packet);

void lc_encoder_close(struct lc_encoder *encoder);

// MARK: The decoder

/// A decoder of compressed video, for frames that come one by one: it uses one thread, the caller's, and gives each
/// picture as soon as the stream's own order allows. Accepts any bytes. Used by one thread at a time.
struct lc_decoder;

/// Opens the decoder that FFmpeg calls `name`. Returns a negative number if it is missing or refuses, with the reason
/// in `why`.
int lc_decoder_open(const struct lc_libav *libav, const char *name, struct lc_decoder **decoder, char *why,
                    size_t room);

/// Decodes a frame: the units of one picture, each after a start code. `number` comes back with its picture. Returns a
/// negative number if they make no sense.
int lc_decoder_send(struct lc_decoder *decoder, const uint8_t *bytes, size_t count, int64_t number);

/// Decodes a frame of H.264 whose picture needs no other, as the first after `lc_decoder_flush`, although the stream
/// does not say that decoding can begin there: decoders would keep the pictures back.
int lc_decoder_begin(struct lc_decoder *decoder, const uint8_t *bytes, size_t count, int64_t number);

/// A decoded picture in Y'CbCr 4:2:0 with 8 bits, valid until the next call.
struct lc_decoded {
    const uint8_t *planes[3];
    int32_t strides[3];
    int32_t width, height;
    /// 1 for limited range, 2 for full range, 0 if the stream does not say.
    int32_t range;
    /// That of the frame it was decoded of.
    int64_t number;
    /// Whether parts of it are missing or guessed, or the pictures it builds on are.
    bool is_damaged;
    /// Whether its samples are of another kind. `planes` are then NULL.
    bool is_other;
};

/// The next picture. Returns 1 if there is one, 0 if not, and a negative number if decoding failed.
int lc_decoder_receive(struct lc_decoder *decoder, struct lc_decoded *picture);

/// Forgets all pictures, but not the parameters for decoding them. Decoding begins anew with the next
/// frame.
void lc_decoder_flush(struct lc_decoder *decoder);

void lc_decoder_close(struct lc_decoder *decoder);

/// FFmpeg's words for an error of these functions.
void lc_libav_words(const struct lc_libav *libav, int error, char *words, size_t room);

#endif
