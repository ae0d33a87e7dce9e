// SPDX-License-Identifier: MIT
// Loads libpipewire and finds its functions.

#include "Library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    size_t place;
};

#define ENTRY(name) {"pw_" #name, offsetof(struct lc_pw, name)}

static const struct entry entries[] = {
    ENTRY(init),
    ENTRY(thread_loop_new),
    ENTRY(thread_loop_destroy),
    ENTRY(thread_loop_get_loop),
    ENTRY(thread_loop_start),
    ENTRY(thread_loop_stop),
    ENTRY(thread_loop_lock),
    ENTRY(thread_loop_unlock),
    ENTRY(properties_new_string),
    ENTRY(stream_new_simple),
    ENTRY(stream_destroy),
    ENTRY(stream_connect),
    ENTRY(stream_update_params),
    ENTRY(stream_dequeue_buffer),
    ENTRY(stream_queue_buffer),
    ENTRY(stream_trigger_process),
    ENTRY(stream_get_time_n),
    ENTRY(context_new),
    ENTRY(context_connect),
    ENTRY(context_destroy),
    ENTRY(core_disconnect),
    ENTRY(proxy_add_object_listener),
    ENTRY(proxy_destroy),
    ENTRY(thread_loop_signal),
    ENTRY(thread_loop_timed_wait),
    ENTRY(log_set_level),
};

_Static_assert(
    sizeof entries / sizeof *entries == sizeof(struct lc_pw) / sizeof(void *), "each function has its entry");

bool lc_pw_load(const char *library, struct lc_pw *pw, char *why, size_t room) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *message = dlerror();
        snprintf(why, room, "%s", message ? message : "dlopen failed");
        return false;
    }
    for (size_t at = 0; at < sizeof entries / sizeof *entries; at++) {
        void *function = dlsym(handle, entries[at].name);
        if (!function) {
            snprintf(why, room, "%s has no %s", library, entries[at].name);
            return false;
        }
        memcpy((char *)pw + entries[at].place, &function, sizeof function);
    }
    pw->init(NULL, NULL);
    // The library prints its troubles to standard error; ours are errors of our own.
    if (!getenv("PIPEWIRE_DEBUG")) pw->log_set_level(0);
    return true;
}

void lc_pw_copy_plain(char *to, size_t room, const char *from) {
    size_t length = 0;
    for (; *from && length + 1 < room; from++) {
        if (*from != '"' && *from != '\\' && (unsigned char)*from >= ' ') to[length++] = *from;
    }
    to[length] = 0;
}
