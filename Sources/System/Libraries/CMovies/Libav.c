// SPDX-License-Identifier: MIT
// Loads FFmpeg's libraries and finds their functions.
#include "Libav.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A function's library, its name, and where it belongs in `struct lc_libav`.
struct entry {
    size_t library;
    const char *name;
    size_t place;
};

#define LC_ENTRY(library, result, name, parameters) \
    {offsetof(struct lc_libav_names, library), #name, offsetof(struct lc_libav, name)},
static const struct entry entries[] = {LC_LIBAV_FUNCTIONS(LC_ENTRY)};

struct lc_libav *lc_libav_load(const struct lc_libav_names *names, char *why, size_t room) {
    struct lc_libav *libav = calloc(1, sizeof *libav);
    if (!libav) {
        snprintf(why, room, "%s", strerror(ENOMEM));
        return NULL;
    }
    for (size_t at = 0; at < sizeof entries / sizeof *entries; at++) {
        const char *library;
        memcpy(&library, (const char *)names + entries[at].library, sizeof library);
        // The libraries stay: what they have started, such as threads and handlers, may outlive every movie.
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        void *function = handle ? dlsym(handle, entries[at].name) : NULL;
        if (!function) {
            const char *message = handle ? NULL : dlerror();
            if (handle)
                snprintf(why, room, "%s has no %s", library, entries[at].name);
            else
                snprintf(why, room, "%s", message ? message : "dlopen failed");
            if (handle) dlclose(handle);
            free(libav);
            return NULL;
        }
        // It stays loaded, but the count of references need not grow.
        dlclose(handle);
        memcpy((char *)libav + entries[at].place, &function, sizeof function);
    }
    // They and x264 print what nobody asked for.
    libav->av_log_set_level(LC_AV_LOG_QUIET);
    return libav;
}

void lc_libav_free(struct lc_libav *libav) { free(libav); }

void lc_libav_words(const struct lc_libav *libav, int error, char *words, size_t room) {
    libav->av_strerror(error, words, room);
}
