// SPDX-License-Identifier: MIT
// Parameters of PipeWire's objects, such as formats, made word by word.

#ifndef LIVECAP_PIPEWIRE_PARAMETERS_H
#define LIVECAP_PIPEWIRE_PARAMETERS_H

#include "PipeWireTypes.h"

#include <string.h>

/// An object of PipeWire's parameters ("pod"): a header, then properties, all in 32-bit words.
struct object {
    uint32_t words[64];
    uint32_t count;
};

static inline void begin(struct object *object, uint32_t type, uint32_t id) {
    *object = (struct object){.count = 0};
    uint32_t words[] = {0, LC_PW_TYPE_OBJECT, type, id};
    memcpy(object->words, words, sizeof words);
    object->count = 4;
}

/// Adds a property of one or two words; values are padded to eight bytes.
static inline void add(struct object *object, uint32_t key, uint32_t type, int words, uint32_t first, uint32_t second) {
    uint32_t property[] = {key, 0, 4 * (uint32_t)words, type, first, words > 1 ? second : 0};
    memcpy(object->words + object->count, property, sizeof property);
    object->count += 6;
    // The size of what follows it and the type.
    object->words[0] = 4 * (object->count - 2);
}

static inline void add_id(struct object *object, uint32_t key, uint32_t value) {
    add(object, key, LC_PW_TYPE_ID, 1, value, 0);
}

static inline void add_int(struct object *object, uint32_t key, uint32_t value) {
    add(object, key, LC_PW_TYPE_INT, 1, value, 0);
}

/// Adds a property with a choice of `count` values, the preferred one first. Each takes `words` words.
static inline void add_choice(struct object *object, uint32_t key, uint32_t choice, uint32_t type, uint32_t words,
                       const uint32_t *values, uint32_t count) {
    uint32_t size = 4 * words * count;
    uint32_t property[] = {key, 0, 16 + size, LC_PW_TYPE_CHOICE, choice, 0, 4 * words, type};
    memcpy(object->words + object->count, property, sizeof property);
    memcpy(object->words + object->count + 8, values, size);
    object->count += 8 + (size + 7) / 8 * 2;
    object->words[0] = 4 * (object->count - 2);
}

/// Adds a property that is a list of `count` values, each of one word.
static inline void add_list(struct object *object, uint32_t key, uint32_t type, const uint32_t *values,
                            uint32_t count) {
    uint32_t property[] = {key, 0, 8 + 4 * count, LC_PW_TYPE_ARRAY, 4, type};
    memcpy(object->words + object->count, property, sizeof property);
    memcpy(object->words + object->count + 6, values, 4 * count);
    object->count += 6 + (count + 1) / 2 * 2;
    object->words[0] = 4 * (object->count - 2);
}

#endif
