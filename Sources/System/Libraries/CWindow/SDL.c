// SPDX-License-Identifier: MIT
// Loads SDL and finds its functions.
#include "SDL.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    size_t place;
};

#define LC_ENTRY(result, name, parameters) {"SDL_" #name, offsetof(struct lc_sdl, name)},
static const struct entry entries[] = {LC_SDL_FUNCTIONS(LC_ENTRY)};

struct lc_sdl *lc_sdl_load(const char *library, char *why, size_t room) {
    // It stays, and so do the drivers that it loads: those of graphics may have threads of their own.
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *message = dlerror();
        snprintf(why, room, "%s", message ? message : "dlopen failed");
        return NULL;
    }
    struct lc_sdl *sdl = calloc(1, sizeof *sdl);
    if (!sdl) snprintf(why, room, "%s", strerror(ENOMEM));
    for (size_t at = 0; sdl && at < sizeof entries / sizeof *entries; at++) {
        void *function = dlsym(handle, entries[at].name);
        if (function) {
            memcpy((char *)sdl + entries[at].place, &function, sizeof function);
        } else {
            snprintf(why, room, "%s has no %s", library, entries[at].name);
            free(sdl);
            sdl = NULL;
        }
    }
    dlclose(handle);
    return sdl;
}
