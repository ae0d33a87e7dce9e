// SPDX-License-Identifier: MIT
// Loads libasound and finds its functions.
#include "Alsa.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    size_t place;
};

#define LC_ENTRY(result, name, parameters) {"snd_" #name, offsetof(struct lc_alsa, name)},
static const struct entry entries[] = {LC_ALSA_FUNCTIONS(LC_ENTRY)};

/// The library prints its troubles to standard error; ours are errors of our own.
static void ignore(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

struct lc_alsa *lc_alsa_load(const char *library, char *why, size_t room) {
    // It stays, and so do its plugins, such as PipeWire's: what they have started may outlive every microphone.
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *message = dlerror();
        snprintf(why, room, "%s", message ? message : "dlopen failed");
        return NULL;
    }
    struct lc_alsa *alsa = calloc(1, sizeof *alsa);
    if (!alsa) snprintf(why, room, "%s", strerror(ENOMEM));
    for (size_t at = 0; alsa && at < sizeof entries / sizeof *entries; at++) {
        // Of several versions of a function, this finds the newest, which is the one declared here.
        void *function = dlsym(handle, entries[at].name);
        if (function) {
            memcpy((char *)alsa + entries[at].place, &function, sizeof function);
        } else {
            snprintf(why, room, "%s has no %s", library, entries[at].name);
            free(alsa);
            alsa = NULL;
        }
    }
    dlclose(handle);
    if (alsa) alsa->lib_error_set_handler(ignore);
    return alsa;
}

void lc_alsa_free(struct lc_alsa *alsa) { free(alsa); }
