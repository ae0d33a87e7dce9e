// SPDX-License-Identifier: MIT
// Reads PNG files with libpng: as bytes of sRGB, or exactly as they are.
#include "CStills.h"
#include "PNGComplaint.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

// The simplified interface, which returns where the other one jumps. It rounds to 8 bits, or converts to linear light.
bool lc_png_read(
    const uint8_t *file, size_t count, uint32_t width, uint32_t height, uint8_t *pixels, char *why, size_t room) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_memory(&image, file, count)) {
        image.format = PNG_FORMAT_RGB;
        // Files of 16 bits that do not say so are not linear either.
        image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
        png_color black = {0};
        if (image.width != width || image.height != height) {
            snprintf(image.message, sizeof image.message, "its size is contradictory");
        } else if (png_image_finish_read(&image, &black, pixels, (png_int_32)(3 * width), NULL)) {
            return true;
        }
    }
    snprintf(why, room, "%s", image.message);
    png_image_free(&image);
    return false;
}

/// The bytes of a file that have not been read yet.
struct rest {
    const uint8_t *start;
    size_t count;
};

static void take(png_structp png, png_bytep bytes, size_t count) {
    struct rest *rest = png_get_io_ptr(png);
    if (count > rest->count) png_error(png, "it is not complete");
    memcpy(bytes, rest->start, count);
    rest->start += count;
    rest->count -= count;
}

/// Reads the header, and chooses the form of samples.
static void read_header(png_structp png, png_infop info, uint32_t width, uint32_t height, int lanes) {
    png_set_user_limits(png, width, height);
    // Whoever needs to know what else is in the file has read it: no chunk but those of the samples takes memory.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(png, info);
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height) {
        png_error(png, "its size is contradictory");
    }
    // Also replaces places in a palette by their colours, and one that counts as transparent by its transparency.
    png_set_expand_16(png);
    if (!(png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
    // A transparency that is damaged is ignored: then nothing is transparent.
    if (lanes == 4) png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
    const uint16_t one = 1;
    // Files have the high byte first.
    if (*(const uint8_t *)&one == 1) png_set_swap(png);
}

bool lc_png_read_fine(
    const uint8_t *file, size_t count, uint32_t width, uint32_t height, uint8_t lanes, uint16_t *samples, char *why,
    size_t room) {
    struct complaint complaint = {why, room};
    struct rest rest = {file, count};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &complaint, lc_png_on_error, lc_png_on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    // Set before setjmp and not changed after it, except to report what has happened.
    volatile bool is_done = false;
    if (!png || !info) {
        snprintf(why, room, "out of memory");
    } else if (!setjmp(png_jmpbuf(png))) {
        png_set_read_fn(png, &rest, take);
        read_header(png, info, width, height, lanes);
        int passes = png_set_interlace_handling(png);
        png_read_update_info(png, info);
        size_t row = (size_t)width * lanes;
        if (png_get_rowbytes(png, info) != 2 * row) png_error(png, "its transparency is contradictory");
        for (int pass = 0; pass < passes; pass++) {
            for (uint32_t y = 0; y < height; y++) png_read_row(png, (png_bytep)(samples + y * row), NULL);
        }
        png_read_end(png, NULL);
        is_done = true;
    }
    png_destroy_read_struct(&png, &info, NULL);
    return is_done;
}
