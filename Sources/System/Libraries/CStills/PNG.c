// SPDX-License-Identifier: MIT
// Writes PNG files with libpng, into a growing memory buffer.
#include "CStills.h"
#include "PNGComplaint.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static void append(png_structp png, png_bytep bytes, size_t count) {
    struct lc_bytes *file = png_get_io_ptr(png);
    if (count > file->room - file->count) {
        size_t room = 2 * file->room + count + (1 << 16);
        uint8_t *larger = realloc(file->start, room);
        if (!larger) png_error(png, "out of memory");
        file->start = larger;
        file->room = room;
    }
    memcpy(file->start + file->count, bytes, count);
    file->count += count;
}

static void flush(png_structp png) { (void)png; }

static void write_header(png_structp png, png_infop info, const struct lc_png_header *header) {
    int color = header->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB;
    png_set_IHDR(
        png, info, header->width, header->height, header->depth, color, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
        PNG_FILTER_TYPE_BASE);
    // With camera noise, only neighbours in a row help to predict a pixel. Trying every filter would cost time for
    // nothing.
    png_set_filter(png, 0, PNG_FILTER_SUB);
    png_set_compression_level(png, header->level);
    png_set_compression_buffer_size(png, 1 << 16);
    if (header->is_srgb) {
        png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    } else {
        const int32_t *place = header->chromaticities;
        if (header->gamma) png_set_gAMA_fixed(png, info, header->gamma);
        if (place[0]) {
            png_set_cHRM_fixed(
                png, info, place[0], place[1], place[2], place[3], place[4], place[5], place[6], place[7]);
        }
    }
    // libpng copies the block, although its prototype lacks the const.
    if (header->exif_count > 0) png_set_eXIf_1(png, info, (png_uint_32)header->exif_count, (png_bytep)header->exif);
    if (header->xmp) {
        png_text text = {
            .compression = PNG_ITXT_COMPRESSION_NONE, .key = (png_charp) "XML:com.adobe.xmp",
            .text = (png_charp)header->xmp, .itxt_length = strlen(header->xmp), .lang = (png_charp) "",
            .lang_key = (png_charp) ""};
        png_set_text(png, info, &text, 1);
    }
    png_write_info_before_PLTE(png, info);
    if (header->profile_count > 0) {
        // It is compressed, as it was in the file that it comes from.
        png_write_chunk(png, (png_const_bytep) "iCCP", header->profile, header->profile_count);
    } else if (header->primaries && header->transfer) {
        // libpng 1.6.39 has no function for this chunk, which must precede the first row.
        const png_byte codes[4] = {header->primaries, header->transfer, 0, 1};
        png_write_chunk(png, (png_const_bytep) "cICP", codes, sizeof codes);
    }
    png_write_info(png, info);
}

bool lc_png_write(
    const struct lc_png_header *header, lc_png_row fill, void *context, struct lc_bytes *file, char *why, size_t room) {
    struct complaint complaint = {why, room};
    *file = (struct lc_bytes){NULL, 0, 0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &complaint, lc_png_on_error, lc_png_on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    uint8_t *row = malloc((size_t)header->width * header->channels * (header->depth / 8) + 1);
    // Set before setjmp and not changed after it, so these values are still valid when longjmp returns here.
    bool is_ready = png && info && row;
    if (!is_ready && room > 0) strncpy(why, "out of memory", room);
    if (is_ready && setjmp(png_jmpbuf(png))) {
        is_ready = false;
    } else if (is_ready) {
        png_set_write_fn(png, file, append, flush);
        png_set_user_limits(png, header->width, header->height);
        write_header(png, info, header);
        for (uint32_t y = 0; y < header->height; y++) {
            fill(context, y, row);
            png_write_row(png, row);
        }
        // If given the header's chunks, png_write_end would write the Exif block again.
        png_write_end(png, NULL);
    }
    bool is_done = is_ready;
    free(row);
    png_destroy_write_struct(&png, &info);
    if (!is_done) lc_bytes_free(file);
    return is_done;
}

void lc_bytes_free(struct lc_bytes *file) {
    free(file->start);
    *file = (struct lc_bytes){NULL, 0, 0};
}
