// SPDX-License-Identifier: MIT
// PNG files over libpng, which leaves a failure by longjmp(3): that stays in here.
#ifndef LIVECAP_CSTILLS_H
#define LIVECAP_CSTILLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a PNG file says before its first row. Numbers with a fraction are whole 100000ths, as in the file.
struct lc_png_header {
    uint32_t width;
    uint32_t height;
    /// Samples a pixel: 1 for grey, 3 for red, green and blue.
    uint8_t channels;
    /// Bits a sample: 8 or 16.
    uint8_t depth;
    /// Whether the colours are those of sRGB.
    bool is_srgb;
    /// Code points of ITU-T H.273 for the cICP chunk, which is left out where one of them is 0.
    uint8_t primaries;
    uint8_t transfer;
    /// For readers that know no cICP: the exponent of the encoding; 0 leaves the chunk out.
    int32_t gamma;
    /// For the same readers: x and y of white, red, green and blue; a first number of 0 leaves the chunk out.
    int32_t chromaticities[8];
    /// An Exif block for the eXIf chunk, from its byte order on; a count of 0 leaves the chunk out.
    const uint8_t *exif;
    size_t exif_count;
    /// A packet of XMP, ending with a zero, for an iTXt chunk; a null pointer leaves the chunk out.
    const char *xmp;
    /// zlib's level, 0 to 9.
    int level;
};

/// A file in memory. Belongs to the caller, who gives it back with `lc_bytes_free`.
struct lc_bytes {
    uint8_t *start;
    size_t count;
    size_t room;
};

/// Writes row `y` to `row`: samples of 16 bits with the high byte first.
typedef void (*lc_png_row)(void *context, uint32_t y, uint8_t *row);

/// Makes a PNG file of the rows `fill` gives, top to bottom. What went wrong goes into the `room` bytes at `why`.
bool lc_png_write(
    const struct lc_png_header *header, lc_png_row fill, void *context, struct lc_bytes *file, char *why, size_t room);

/// Lets go of a file's memory.
void lc_bytes_free(struct lc_bytes *file);

#endif
