// SPDX-License-Identifier: MIT
// Reads tables and vectors of a flatbuffer. Any bytes are safe: every access is checked.
#ifndef LIVECAP_FLATBUFFER_H
#define LIVECAP_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What lies outside the bytes, or has no valid form, sets `is_bad` and reads as absent.
struct lc_flatbuffer {
    const uint8_t *bytes;
    size_t size;
    bool is_bad;
};

/// A table whose bounds have been checked. At 0 is none, all fields of which are absent.
struct lc_flat_table {
    size_t at, size;
    size_t fields, field_count;
};

/// A vector whose bounds have been checked.
struct lc_flat_vector {
    size_t at, count;
};

struct lc_flat_table lc_flat_root(struct lc_flatbuffer *flat);

/// A field that is a table.
struct lc_flat_table lc_flat_child(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field);

/// A field that is a vector of elements of `width` bytes.
struct lc_flat_vector lc_flat_vector(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field,
                                     size_t width);

/// An element of a vector of tables.
struct lc_flat_table lc_flat_element(struct lc_flatbuffer *flat, struct lc_flat_vector vector, size_t index);

/// An element of a vector of integers of `width` bytes: 1 and 2 without a sign, 4 with one.
int64_t lc_flat_integer(struct lc_flatbuffer *flat, struct lc_flat_vector vector, size_t index, size_t width);

int32_t lc_flat_int32(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field, int32_t otherwise);
uint8_t lc_flat_byte(struct lc_flatbuffer *flat, struct lc_flat_table table, unsigned field);

#endif
