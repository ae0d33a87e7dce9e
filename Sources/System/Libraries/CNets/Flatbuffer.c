// SPDX-License-Identifier: MIT
// Tables and vectors of a flatbuffer. Integers are little-endian, as on all machines livecap is built for.
#include "Flatbuffer.h"

#include <string.h>

/// Says whether `size` bytes lie at `at`, and else that the file is bad.
static bool holds(struct lc_flatbuffer *flat, size_t at, size_t size) {
    bool does = at <= flat->size && size <= flat->size - at;
    if (!does) flat->is_bad = true;
    return does;
}

static uint32_t word(struct lc_flatbuffer *flat, size_t at) {
    uint32_t value = 0;
    if (holds(flat, at, sizeof value)) memcpy(&value, flat->bytes + at, sizeof value);
    return value;
}

static uint16_t half_word(struct lc_flatbuffer *flat, size_t at) {
    uint16_t value = 0;
    if (holds(flat, at, sizeof value)) memcpy(&value, flat->bytes + at, sizeof value);
    return value;
}

static struct lc_flat_table table_at(struct lc_flatbuffer *flat, size_t at) {
    int64_t fields = (int64_t)at - (int32_t)word(flat, at);
    if (fields < 0) flat->is_bad = true;
    if (flat->is_bad) return (struct lc_flat_table){0};
    // The list of fields: its own size, the table's, and where each field lies in it.
    size_t size = half_word(flat, (size_t)fields), table_size = half_word(flat, (size_t)fields + 2);
    if (size < 4 || table_size < 4 || !holds(flat, (size_t)fields, size) || !holds(flat, at, table_size))
        flat->is_bad = true;
    if (flat->is_bad) return (struct lc_flat_table){0};
    return (struct lc_flat_table){at, table_size, (size_t)fields + 4, (size - 4) / 2};
}

/// Where a field of `width` bytes lies; 0 if it is absent.
static size_t place(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field, size_t width) {
    if (flat->is_bad || field >= table.field_count) return 0;
    size_t offset = half_word(flat, table.fields + 2 * (size_t)field);
    if (offset == 0) return 0;
    if (offset < 4 || offset + width > table.size) {
        flat->is_bad = true;
        return 0;
    }
    return table.at + offset;
}

struct lc_flat_table lc_flat_root(struct lc_flatbuffer *flat) { return table_at(flat, word(flat, 0)); }

struct lc_flat_table lc_flat_child(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field) {
    size_t at = place(flat, table, field, 4);
    return at ? table_at(flat, at + word(flat, at)) : (struct lc_flat_table){0};
}

struct lc_flat_vector lc_flat_vector(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field,
                                     size_t width) {
    size_t at = place(flat, table, field, 4);
    if (!at) return (struct lc_flat_vector){0};
    at += word(flat, at);
    uint64_t count = word(flat, at);
    if (flat->is_bad || !holds(flat, at + 4, count * width)) return (struct lc_flat_vector){0};
    return (struct lc_flat_vector){at + 4, count};
}

struct lc_flat_table lc_flat_element(struct lc_flatbuffer *flat, struct lc_flat_vector vector, size_t index) {
    if (index >= vector.count) flat->is_bad = true;
    if (flat->is_bad) return (struct lc_flat_table){0};
    size_t at = vector.at + 4 * index;
    return table_at(flat, at + word(flat, at));
}

int64_t lc_flat_integer(struct lc_flatbuffer *flat, struct lc_flat_vector vector, size_t index, size_t width) {
    if (index >= vector.count) flat->is_bad = true;
    if (flat->is_bad) return 0;
    size_t at = vector.at + width * index;
    return width == 1 ? flat->bytes[at] : width == 2 ? half_word(flat, at) : (int32_t)word(flat, at);
}

int32_t lc_flat_int32(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field, int32_t otherwise) {
    size_t at = place(flat, table, field, 4);
    return at ? (int32_t)word(flat, at) : otherwise;
}

uint8_t lc_flat_byte(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field) {
    size_t at = place(flat, table, field, 1);
    return at ? flat->bytes[at] : 0;
}
