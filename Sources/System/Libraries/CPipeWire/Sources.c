// SPDX-License-Identifier: MIT
// Follows which sources of sound PipeWire has, and which of them is its default.

#include "CPipeWireSound.h"
#include "Library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// An object that is followed: a source's node, or the account of defaults.
struct followed {
    struct followed *next;
    struct lc_pipewire_sources *owner;
    void *proxy;
    struct lc_spa_hook hook;
    uint32_t id;
    bool is_source;
    char name[256], description[256];
    uint64_t serial;
    int card;
    uint32_t channels;
};

struct lc_pipewire_sources {
    struct lc_pw pw;
    void *loop, *context, *core, *registry;
    struct lc_spa_hook core_hook, registry_hook;
    // Used under the loop's lock, which its thread holds while it calls us.
    struct followed *first;
    char chosen[256];
    int last_sync, last_done;
    bool is_lost;
};

static const char *value(const struct lc_spa_dict *props, const char *key) {
    for (uint32_t at = 0; props && at < props->count; at++) {
        if (!strcmp(props->items[at].key, key)) return props->items[at].value;
    }
    return NULL;
}

static void keep(char *to, size_t room, const char *text) {
    if (text) snprintf(to, room, "%s", text);
}

// MARK: What PipeWire's thread calls

/// What a node says of itself: the registry's account of it has no card and no channels.
static void node_info(void *data, const struct lc_pw_node_info *info) {
    struct followed *source = data;
    if (!(info->change_mask & LC_PW_NODE_CHANGE_PROPS)) return;
    keep(source->name, sizeof source->name, value(info->props, "node.name"));
    keep(source->description, sizeof source->description, value(info->props, "node.description"));
    const char *card = value(info->props, "alsa.card");
    if (!card) card = value(info->props, "api.alsa.pcm.card");
    char *end = NULL;
    long number = card ? strtol(card, &end, 10) : -1;
    source->card = card && end != card && !*end && number >= 0 && number < 1024 ? (int)number : -1;
    const char *channels = value(info->props, "audio.channels");
    source->channels = channels ? (uint32_t)strtoul(channels, NULL, 10) : 0;
}

static const struct lc_pw_node_events node_events = {.info = node_info};

/// The default is a name in JSON: { "name": "alsa_input.usb" }.
static int property(void *data, uint32_t subject, const char *key, const char *type, const char *text) {
    (void)type;
    struct followed *defaults = data;
    char *chosen = defaults->owner->chosen;
    if (subject != 0 || (key && strcmp(key, "default.audio.source"))) return 0;
    *chosen = 0;
    const char *name = key && text ? strstr(text, "\"name\"") : NULL;
    name = name ? strchr(name + 6, '"') : NULL;
    size_t length = name ? strcspn(name + 1, "\"") : 0;
    if (name && length < sizeof defaults->owner->chosen) {
        memcpy(chosen, name + 1, length);
        chosen[length] = 0;
    }
    return 0;
}

static const struct lc_pw_metadata_events metadata_events = {.property = property};

static void sync(struct lc_pipewire_sources *sources) {
    const struct lc_spa_interface *core = sources->core;
    const struct lc_pw_core_methods *methods = core->methods;
    sources->last_sync = methods->sync(core->data, LC_PW_ID_CORE, 0);
}

static void global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                   const struct lc_spa_dict *props) {
    (void)permissions, (void)version;
    struct lc_pipewire_sources *sources = data;
    const char *class = value(props, "media.class"), *name = value(props, "metadata.name");
    bool is_source = !strcmp(type, LC_PW_TYPE_NODE) && class
        && (!strncmp(class, "Audio/Source", 12) || !strcmp(class, "Audio/Duplex"));
    bool is_defaults = !strcmp(type, LC_PW_TYPE_METADATA) && name && !strcmp(name, "default");
    if (!is_source && !is_defaults) return;
    struct followed *followed = calloc(1, sizeof *followed);
    if (!followed) return;
    const struct lc_spa_interface *registry = sources->registry;
    const struct lc_pw_registry_methods *methods = registry->methods;
    followed->proxy = methods->bind(
        registry->data, id, type, is_source ? LC_PW_VERSION_NODE : LC_PW_VERSION_METADATA, 0);
    if (!followed->proxy) {
        free(followed);
        return;
    }
    followed->owner = sources;
    followed->id = id;
    followed->is_source = is_source;
    followed->card = -1;
    keep(followed->name, sizeof followed->name, value(props, "node.name"));
    keep(followed->description, sizeof followed->description, value(props, "node.description"));
    const char *serial = value(props, "object.serial");
    followed->serial = serial ? strtoull(serial, NULL, 10) : id;
    followed->next = sources->first;
    sources->first = followed;
    sources->pw.proxy_add_object_listener(
        followed->proxy, &followed->hook, is_source ? (const void *)&node_events : &metadata_events, followed);
    // The first list waits for what the object says of itself.
    sync(sources);
}

static void remove_followed(struct lc_pipewire_sources *sources, struct followed **place) {
    struct followed *followed = *place;
    *place = followed->next;
    if (!followed->is_source) *sources->chosen = 0;
    sources->pw.proxy_destroy(followed->proxy);
    free(followed);
}

static void global_remove(void *data, uint32_t id) {
    struct lc_pipewire_sources *sources = data;
    for (struct followed **place = &sources->first; *place; place = &(*place)->next) {
        if ((*place)->id != id) continue;
        remove_followed(sources, place);
        return;
    }
}

static const struct lc_pw_registry_events registry_events = {.global = global, .global_remove = global_remove};

static void done(void *data, uint32_t id, int seq) {
    struct lc_pipewire_sources *sources = data;
    if (id != LC_PW_ID_CORE) return;
    sources->last_done = seq;
    sources->pw.thread_loop_signal(sources->loop, false);
}

static void failed(void *data, uint32_t id, int seq, int result, const char *message) {
    (void)seq, (void)message;
    struct lc_pipewire_sources *sources = data;
    // Others are of objects that went while they were asked.
    if (id != LC_PW_ID_CORE || result != -EPIPE) return;
    sources->is_lost = true;
    sources->pw.thread_loop_signal(sources->loop, false);
}

static const struct lc_pw_core_events core_events = {.done = done, .error = failed};

// MARK: The connection

/// Waits, with the loop's lock, until the objects that were found have said what they are.
static int first_list(struct lc_pipewire_sources *sources) {
    sync(sources);
    while (sources->last_done != sources->last_sync) {
        if (sources->is_lost) return -EPIPE;
        if (sources->pw.thread_loop_timed_wait(sources->loop, 2) != 0) return -ETIMEDOUT;
    }
    return 0;
}

static int connect(struct lc_pipewire_sources *sources) {
    struct lc_pw *pw = &sources->pw;
    sources->context = pw->context_new(pw->thread_loop_get_loop(sources->loop), NULL, 0);
    if (!sources->context) return -errno;
    sources->core = pw->context_connect(sources->context, NULL, 0);
    if (!sources->core) return -errno;
    pw->proxy_add_object_listener(sources->core, &sources->core_hook, &core_events, sources);
    const struct lc_spa_interface *core = sources->core;
    const struct lc_pw_core_methods *methods = core->methods;
    sources->registry = methods->get_registry(core->data, LC_PW_VERSION_REGISTRY, 0);
    if (!sources->registry) return -errno;
    pw->proxy_add_object_listener(sources->registry, &sources->registry_hook, &registry_events, sources);
    return first_list(sources);
}

enum lc_pipewire_result lc_pipewire_sources_open(
    const char *library, struct lc_pipewire_sources **made, char *why, size_t room) {
    struct lc_pipewire_sources *sources = calloc(1, sizeof *sources);
    if (!sources) {
        snprintf(why, room, "%s", strerror(ENOMEM));
        return LC_PIPEWIRE_NOT_RUNNING;
    }
    if (!lc_pw_load(library, &sources->pw, why, room)) {
        free(sources);
        return LC_PIPEWIRE_NO_LIBRARY;
    }
    sources->loop = sources->pw.thread_loop_new("livecap sources", NULL);
    int result = -ENOMEM;
    if (sources->loop) {
        sources->pw.thread_loop_lock(sources->loop);
        result = sources->pw.thread_loop_start(sources->loop);
        if (result >= 0) result = connect(sources);
        sources->pw.thread_loop_unlock(sources->loop);
    }
    if (result < 0) {
        snprintf(why, room, "%s", strerror(-result));
        lc_pipewire_sources_close(sources);
        return LC_PIPEWIRE_NOT_RUNNING;
    }
    *made = sources;
    return LC_PIPEWIRE_OK;
}

bool lc_pipewire_sources_live(struct lc_pipewire_sources *sources) {
    sources->pw.thread_loop_lock(sources->loop);
    bool is_live = !sources->is_lost;
    sources->pw.thread_loop_unlock(sources->loop);
    return is_live;
}

void lc_pipewire_sources_each(
    struct lc_pipewire_sources *sources, void (*each)(void *owner, const struct lc_pipewire_source *source),
    void *owner) {
    sources->pw.thread_loop_lock(sources->loop);
    for (struct followed *at = sources->is_lost ? NULL : sources->first; at; at = at->next) {
        if (!at->is_source || !*at->name) continue;
        struct lc_pipewire_source source = {at->name, at->description, at->serial, at->card, at->channels,
                                            !strcmp(at->name, sources->chosen)};
        each(owner, &source);
    }
    sources->pw.thread_loop_unlock(sources->loop);
}

void lc_pipewire_sources_close(struct lc_pipewire_sources *sources) {
    if (sources->loop) {
        sources->pw.thread_loop_stop(sources->loop);
        while (sources->first) remove_followed(sources, &sources->first);
        if (sources->registry) sources->pw.proxy_destroy(sources->registry);
        if (sources->core) sources->pw.core_disconnect(sources->core);
        if (sources->context) sources->pw.context_destroy(sources->context);
        sources->pw.thread_loop_destroy(sources->loop);
    }
    free(sources);
}
