// SPDX-License-Identifier: MIT
// Writes and reads PNG files with libpng. libpng reports failures by longjmp(3), which must not cross into Swift.
#ifndef LIVECAP_CSTILLS_H
#define LIVECAP_CSTILLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "HEIF.h"

/// The contents of a PNG file before its first row. Fractional numbers are integers in units of 1/100000, as in the
/// file.
struct lc_png_header {
    uint32_t width;
    uint32_t height;
    /// Samples per pixel: 1 for grey, 3 for red, green and blue.
    uint8_t channels;
    /// Bits per sample: 8 or 16.
    uint8_t depth;
    /// Whether the colours are sRGB.
    bool is_srgb;
    /// Code points of ITU-T H.273 for the cICP chunk, which is omitted if either is 0.
    uint8_t primaries;
    uint8_t transfer;
    /// For readers without cICP: the exponent of the encoding; 0 omits the chunk.
    int32_t gamma;
    /// For the same readers: x and y of white, red, green and blue. If the first is 0, the chunk is omitted.
    int32_t chromaticities[8];
    /// The data of an iCCP chunk, which should then alone describe the colours; a count of 0 omits the chunk.
    const uint8_t *profile;
    size_t profile_count;
    /// An Exif block for the eXIf chunk, starting with its byte order; a count of 0 omits the chunk.
    const uint8_t *exif;
    size_t exif_count;
    /// A zero-terminated XMP packet for an iTXt chunk; NULL omits the chunk.
    const char *xmp;
    /// zlib's compression level, 0 to 9.
    int level;
};

/// A file in memory. The caller owns it and must free it with `lc_bytes_free`.
struct lc_bytes {
    uint8_t *start;
    size_t count;
    size_t room;
};

/// Writes row `y` of the picture to `row`. 16-bit samples have the high byte first.
typedef void (*lc_png_row)(void *context, uint32_t y, uint8_t *row);

/// Creates a PNG file from the rows that `fill` provides, top to bottom. On failure, returns false and writes a message
/// into the `room` bytes at `why`.
bool lc_png_write(
    const struct lc_png_header *header, lc_png_row fill, void *context, struct lc_bytes *file, char *why, size_t room);

/// Reads a PNG file of a picture of `width` by `height` into `pixels`: three bytes per pixel, red first, encoded as
/// sRGB, in rows without padding. What is transparent is drawn on black. On failure, returns false and writes a message
/// into the `room` bytes at `why`.
bool lc_png_read(
    const uint8_t *file, size_t count, uint32_t width, uint32_t height, uint8_t *pixels, char *why, size_t room);

/// Reads the samples of a PNG file of `width` by `height` pixels, exactly as they are in it: words of this machine from
/// 0 to 65535, which are 257 times those of 8 bits, in rows without padding. Grey becomes red, green and blue. `lanes`
/// is the number of samples per pixel: 4 if the file has transparency, which then comes last, and 3 otherwise. On
/// failure, returns false and writes a message into the `room` bytes at `why`.
bool lc_png_read_fine(
    const uint8_t *file, size_t count, uint32_t width, uint32_t height, uint8_t lanes, uint16_t *samples, char *why,
    size_t room);

/// Frees a file's memory.
void lc_bytes_free(struct lc_bytes *file);

#endif
