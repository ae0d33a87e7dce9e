// SPDX-License-Identifier: MIT
// Reads PNG files with libpng's simplified interface, which returns where the other one jumps.
#include "CStills.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

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
