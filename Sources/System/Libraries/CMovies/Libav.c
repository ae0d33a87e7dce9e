// SPDX-License-Identifier: MIT
// Finds FFmpeg's libraries, of any release whose structures are known, and their functions.
#include "Libav.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The releases that are known, newest first: FFmpeg 9 to 5.
static const struct lc_libav_layout layouts[] = {
#include "Layouts/Libav63.h"
#include "Layouts/Libav62.h"
#include "Layouts/Libav61.h"
#include "Layouts/Libav60.h"
#include "Layouts/Libav59.h"
};

enum {
    LAYOUTS = sizeof layouts / sizeof *layouts,
    /// Other numbers of libavformat that are looked for, to name what is installed instead.
    OLDEST_NUMBER = 56,
    NEWEST_NUMBER = 79,
    /// Since libavformat 56, FFmpeg's releases have numbers that are smaller by this.
    NUMBER_AHEAD = 54,
};

_Static_assert(sizeof(void *) == 8, "the tables are those of systems with 64 bits");

enum library { LIBRARY_util, LIBRARY_codec, LIBRARY_format, LIBRARIES };

/// The libraries of a release.
struct libraries {
    char names[LIBRARIES][32];
    void *handles[LIBRARIES];
};

/// A function's library, its name, and where it belongs in `struct lc_libav`. Releases `since` to `until` may have it,
/// and those from `needed` on do.
struct entry {
    enum library library;
    const char *name;
    size_t place;
    int since, needed, until;
};

#define LC_ENTRY_OF(library, name, since, needed, until) \
    {LIBRARY_##library, #name, offsetof(struct lc_libav, name), since, needed, until},
#define LC_ENTRY(library, result, name, parameters) LC_ENTRY_OF(library, name, 0, 0, NEWEST_NUMBER)
#define LC_ENTRY_UNTIL_60(library, result, name, parameters) LC_ENTRY_OF(library, name, 0, 0, 60)
#define LC_ENTRY_SINCE_60(library, result, name, parameters) LC_ENTRY_OF(library, name, 60, 61, NEWEST_NUMBER)
static const struct entry entries[] = {
    LC_LIBAV_FUNCTIONS(LC_ENTRY)
    LC_LIBAV_FUNCTIONS_UNTIL_60(LC_ENTRY_UNTIL_60)
    LC_LIBAV_FUNCTIONS_SINCE_60(LC_ENTRY_SINCE_60)
};

/// The libraries stay: what they have started, such as threads and handlers, may outlive every movie.
static void *open_library(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

static void close_libraries(struct libraries *libraries) {
    for (size_t at = 0; at < LIBRARIES; at++) {
        // They stay loaded, but the count of references need not grow.
        if (libraries->handles[at]) dlclose(libraries->handles[at]);
        libraries->handles[at] = NULL;
    }
}

/// Opens a library. NULL if it cannot be opened, or is not what its name says: with a wrong table, anything would be
/// read and written. The reason is then in `why`, which is empty if it `may_be_absent` and is not there at all.
static void *open_numbered(const char *name, int number, const char *version, bool may_be_absent, char *why,
                           size_t room) {
    void *handle = open_library(name);
    if (!handle) {
        const char *message = dlerror();
        if (!message) message = "dlopen failed";
        // A file that was found is named by its path, and a library that it needs by that library's name.
        size_t length = strlen(name);
        bool is_absent = may_be_absent && strncmp(message, name, length) == 0 && message[length] == ':';
        snprintf(why, room, "%s", is_absent ? "" : message);
        return NULL;
    }
    unsigned (*find_version)(void);
    void *function = dlsym(handle, version);
    memcpy(&find_version, &function, sizeof function);
    unsigned found = function ? find_version() >> 16 : 0;
    if (found == (unsigned)number) return handle;
    snprintf(why, room, "%s says that it is version %u", name, found);
    dlclose(handle);
    return NULL;
}

/// Opens the libraries of a release. False if that fails: with the reason in `why`, which is empty if the release is
/// not there.
static bool open_libraries(const struct lc_libav_layout *layout, struct libraries *libraries, char *why, size_t room) {
    static const char *const names[LIBRARIES] = {"libavutil", "libavcodec", "libavformat"};
    static const char *const versions[LIBRARIES] = {"avutil_version", "avcodec_version", "avformat_version"};
    const int numbers[LIBRARIES] = {layout->util, layout->codec, layout->format};
    *libraries = (struct libraries){0};
    for (size_t at = LIBRARIES; at-- > 0;) {
        char *name = libraries->names[at];
        snprintf(name, sizeof libraries->names[at], "%s.so.%d", names[at], numbers[at]);
        libraries->handles[at] = open_numbered(name, numbers[at], versions[at], at == LIBRARY_format, why, room);
        if (libraries->handles[at]) continue;
        close_libraries(libraries);
        return false;
    }
    return true;
}

static bool find_functions(const struct libraries *libraries, struct lc_libav *libav, char *why, size_t room) {
    int number = libav->layout.format;
    for (size_t at = 0; at < sizeof entries / sizeof *entries; at++) {
        const struct entry *entry = &entries[at];
        if (number < entry->since || number > entry->until) continue;
        void *function = dlsym(libraries->handles[entry->library], entry->name);
        if (!function && number >= entry->needed) {
            snprintf(why, room, "%s has no %s", libraries->names[entry->library], entry->name);
            return false;
        }
        memcpy((char *)libav + entry->place, &function, sizeof function);
    }
    return true;
}

/// Loads a release. NULL if that fails, with the reason in `why`, which is empty if the release is not there.
static struct lc_libav *load(const struct lc_libav_layout *layout, char *why, size_t room) {
    struct libraries libraries;
    if (!open_libraries(layout, &libraries, why, room)) return NULL;
    struct lc_libav *libav = calloc(1, sizeof *libav);
    if (!libav) {
        snprintf(why, room, "no memory is left");
    } else {
        libav->layout = *layout;
        if (!find_functions(&libraries, libav, why, room)) {
            free(libav);
            libav = NULL;
        }
    }
    close_libraries(&libraries);
    return libav;
}

/// A libavformat that is installed and whose structures are not known: its number, or 0.
static int find_unknown(void) {
    for (int number = NEWEST_NUMBER; number >= OLDEST_NUMBER; number--) {
        if (number <= layouts[0].format && number >= layouts[LAYOUTS - 1].format) continue;
        char name[32];
        snprintf(name, sizeof name, "libavformat.so.%d", number);
        void *handle = open_library(name);
        if (!handle) continue;
        dlclose(handle);
        return number;
    }
    return 0;
}

struct lc_libav *lc_libav_load(char *why, size_t room, int32_t *unknown) {
    *unknown = 0;
    // The first reason counts: that of the newest release which is there.
    char reason[256] = "";
    for (size_t at = 0; at < LAYOUTS; at++) {
        char later[256];
        char *words = reason[0] ? later : reason;
        struct lc_libav *libav = load(&layouts[at], words, sizeof reason);
        if (!libav) continue;
        // They and x264 print what nobody asked for.
        libav->av_log_set_level(LC_AV_LOG_QUIET);
        return libav;
    }
    *unknown = find_unknown();
    if (*unknown)
        snprintf(why, room, "FFmpeg %d is installed (libavformat.so.%d), and not known here%s%s",
                 *unknown - NUMBER_AHEAD, *unknown, reason[0] ? "; " : "", reason);
    else if (reason[0])
        snprintf(why, room, "%s", reason);
    else
        snprintf(why, room, "none of libavformat.so.%d to %d is installed", layouts[LAYOUTS - 1].format,
                 layouts[0].format);
    return NULL;
}

void lc_libav_free(struct lc_libav *libav) { free(libav); }

void lc_libav_words(const struct lc_libav *libav, int error, char *words, size_t room) {
    libav->av_strerror(error, words, room);
}

void lc_describe_picture(const struct lc_libav *libav, struct lc_av_codec_parameters *parameters,
                         const struct lc_movie_picture *picture) {
    *lc_codec_parameters_codec_type(libav, parameters) = LC_AV_TYPE_VIDEO;
    *lc_codec_parameters_format(libav, parameters) = LC_AV_PIX_FMT_YUV420P;
    *lc_codec_parameters_width(libav, parameters) = picture->width;
    *lc_codec_parameters_height(libav, parameters) = picture->height;
    *lc_codec_parameters_color_range(libav, parameters) = picture->range;
    *lc_codec_parameters_color_primaries(libav, parameters) = picture->primaries;
    *lc_codec_parameters_color_trc(libav, parameters) = picture->transfer;
    *lc_codec_parameters_color_space(libav, parameters) = picture->matrix;
}
