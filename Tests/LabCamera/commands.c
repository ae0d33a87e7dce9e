// SPDX-License-Identifier: MIT
// The protocol with tests: one command per line, one answer per line ("ok ..." or "error ...").
//
//   add NAME [port=N] [model=TEXT] [serial=TEXT] [vendor=HEX] [product=HEX] [bulk] [tableless] [fixed]
//      [infrared | depth | h264 [refresh] [uncropped]] [microphone [ppm=N]] [flash=N]
//                                   `fixed`: contrast can only be read. The true rate of the microphone is N millionths
//                                   above the one it claims. The first frame of every N ms is white, and the sound
//                                   clicks at that instant. `h264`: the only format; with `refresh`, parts
//                                   of pictures are refreshed instead of key frames; `uncropped`: it does not say
//                                   which lines only fill up blocks. Setting the vendor's control asks it for a key
//                                   frame
//   plug NAME [port=N]              as soon as the port is free
//   unplug NAME [at=N] [percent=N]  now, or in frame N, when a part of it has been sent (default: 0)
//   fault NAME FAULT [at=N] [count=N] [every=N] [value=N]    see faults.c; endless without a count
//   clear NAME [FAULT]              ends one fault, or all
//   state NAME                      counters and controls
//
// Underscores in a model's name stand for spaces.

#include "camera.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct camera cameras[MAX_CAMERAS];
unsigned camera_count;

/// The words after a command and a name.
static char *words[16];
static unsigned word_count;

/// The value of `key=value`; NULL if it is not given.
static const char *text(const char *key) {
    size_t length = strlen(key);
    for (unsigned i = 0; i < word_count; i++)
        if (strncmp(words[i], key, length) == 0 && words[i][length] == '=') return words[i] + length + 1;
    return NULL;
}

static uint32_t number(const char *key, int base, uint32_t fallback) {
    const char *value = text(key);
    return value ? (uint32_t)strtoul(value, NULL, base) : fallback;
}

static bool has(const char *flag) {
    for (unsigned i = 0; i < word_count; i++)
        if (strcmp(words[i], flag) == 0) return true;
    return false;
}

static struct camera *camera_named(const char *name) {
    for (unsigned i = 0; i < camera_count; i++)
        if (strcmp(cameras[i].name, name) == 0) return &cameras[i];
    return NULL;
}

static void add(const char *name) {
    if (camera_named(name) || camera_count == MAX_CAMERAS) {
        puts("error: the name is taken, or there are too many cameras");
        return;
    }
    struct camera *camera = &cameras[camera_count];
    *camera = (struct camera){.socket = -1, .port = (int)number("port", 10, camera_count)};
    camera->index = (uint8_t)camera_count++;
    camera->vendor = (uint16_t)number("vendor", 16, 0x1d6b);
    camera->product = (uint16_t)number("product", 16, 0x0102);
    camera->kind = has("infrared") ? INFRARED : has("depth") ? DEPTH : COLOUR;
    camera->video.exists = has("h264");
    camera->video.refreshes = has("refresh");
    camera->video.is_uncropped = has("uncropped");
    camera->is_bulk = has("bulk");
    camera->is_tableless = has("tableless");
    camera->has_fixed_contrast = has("fixed");
    camera->sound.exists = has("microphone");
    camera->sound.is_inverted = camera->index % 2 == 1;
    camera->sound.ppm = (int32_t)number("ppm", 10, 0);
    camera->flash_interval = (int64_t)number("flash", 10, 0) * 1000000;
    snprintf(camera->name, sizeof camera->name, "%s", name);
    snprintf(camera->model, sizeof camera->model, "%s", text("model") ? text("model") : "Lab_Camera");
    snprintf(camera->serial, sizeof camera->serial, "%s", text("serial") ? text("serial") : "");
    for (char *at = camera->model; *at; at++)
        if (*at == '_') *at = ' ';
    puts("ok");
}

static void plug(struct camera *camera) {
    if (camera->socket >= 0 || camera->is_plugging) {
        puts("error: it is plugged in");
        return;
    }
    camera->port = (int)number("port", 10, (uint32_t)camera->port);
    camera->is_plugging = true;
    try_to_plug(camera);
    puts("ok");
}

static void unplug_command(struct camera *camera) {
    camera->unplug_at = number("at", 10, 0);
    camera->unplug_percent = number("percent", 10, 0);
    camera->has_unplug = text("at") != NULL;
    if (!camera->has_unplug) unplug(camera);
    puts("ok");
}

static void fault(struct camera *camera) {
    enum fault fault = word_count > 0 ? fault_named(words[0]) : FAULTS;
    uint32_t value = number("value", 10, 5), every = number("every", 10, 1);
    if (fault == FAULTS || value == 0 || every == 0) {
        puts("error: no such fault");
        return;
    }
    camera->faults[fault] = (struct fault_state){
        .is_on = true,
        .at = number("at", 10, 0),
        .remaining = number("count", 10, 0),
        .is_endless = number("count", 10, 0) == 0,
        .every = every,
        .value = value,
    };
    puts("ok");
}

static void clear(struct camera *camera) {
    enum fault only = word_count > 0 ? fault_named(words[0]) : FAULTS;
    for (unsigned fault = 0; fault < FAULTS; fault++)
        if (word_count == 0 || fault == only) camera->faults[fault].is_on = false;
    puts("ok");
}

static void state(const struct camera *camera) {
    printf(
        "ok connected=%d port=%d number=%u plugs=%u commits=%u waiting=%u unplugged=%lld flashes=%u clicks=%u "
        "samples=%lld keys=%u",
        camera->socket >= 0, camera->port, camera->number, camera->plugs, camera->commits, camera->stream.queue.count,
        (long long)camera->unplugged, camera->flashes, camera->sound.clicks,
        (long long)camera->sound.samples, camera->video.keys);
    for (unsigned id = 0; id < CONTROLS; id++) printf(" %s=%d", controls[id].name, camera->values[id][0]);
    puts("");
}

void command(char *line) {
    char *rest = NULL, *verb = strtok_r(line, " ", &rest), *name = strtok_r(NULL, " ", &rest), *word;
    word_count = 0;
    while ((word = strtok_r(NULL, " ", &rest)) && word_count < sizeof words / sizeof *words)
        words[word_count++] = word;
    if (!verb || !name) {
        puts("error: a command and a camera are needed");
        return;
    }
    if (strcmp(verb, "add") == 0) {
        add(name);
        return;
    }
    struct camera *camera = camera_named(name);
    if (!camera) puts("error: no such camera");
    else if (strcmp(verb, "plug") == 0) plug(camera);
    else if (strcmp(verb, "unplug") == 0) unplug_command(camera);
    else if (strcmp(verb, "fault") == 0) fault(camera);
    else if (strcmp(verb, "clear") == 0) clear(camera);
    else if (strcmp(verb, "state") == 0) state(camera);
    else puts("error: no such command");
}
