// SPDX-License-Identifier: MIT
// How libpng's error messages are kept: it reports errors by a callback that must not return.
#ifndef LIVECAP_CSTILLS_PNGCOMPLAINT_H
#define LIVECAP_CSTILLS_PNGCOMPLAINT_H

#include <png.h>
#include <string.h>

/// Where libpng's error message is stored.
struct complaint {
    char *text;
    size_t room;
};

static inline void lc_png_on_error(png_structp png, png_const_charp message) {
    struct complaint *why = png_get_error_ptr(png);
    if (why->room > 0) {
        strncpy(why->text, message, why->room - 1);
        why->text[why->room - 1] = 0;
    }
    png_longjmp(png, 1);
}

/// Warnings concern what is not used: parameters that are known to be right, or chunks that are skipped.
static inline void lc_png_on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

#endif
