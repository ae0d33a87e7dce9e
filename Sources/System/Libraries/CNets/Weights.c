// SPDX-License-Identifier: MIT
// Unpacks constants: floats of 32 or 16 bits, all of them or, if they are sparse, those that are not zero.
#include "TFLite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float half(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, fraction = bits & 0x3ff;
    if (exponent == 0) return ldexpf(sign ? -(float)fraction : (float)fraction, -24);
    uint32_t wide = sign | (exponent == 31 ? 0xffu : (uint32_t)exponent + 127 - 15) << 23 | fraction << 13;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static float value_at(const struct lc_tflite_tensor *tensor, size_t at) {
    uint16_t bits;
    float value;
    if (tensor->type == LC_TFLITE_FLOAT16) {
        memcpy(&bits, tensor->bytes + at * sizeof bits, sizeof bits);
        return half(bits);
    }
    memcpy(&value, tensor->bytes + at * sizeof value, sizeof value);
    return value;
}

// MARK: Sparse

enum { SPARSITY_ORDER = 0, SPARSITY_BLOCKS = 1, SPARSITY_LEVELS = 2 };
enum { LEVEL_FORMAT = 0, LEVEL_SIZE = 1, LEVEL_STARTS_TYPE = 2, LEVEL_PLACES_TYPE = 4 };
enum { MOST_LEVELS = 2 * LC_TFLITE_MOST_DIMENSIONS };

/// A dimension of a sparse tensor, or of the blocks it is made of, in the order in which they are nested.
struct level {
    /// How many places there are, and how far they are apart in the dense tensor.
    size_t size, step;
    bool is_dense;
    /// If it is not dense: where the places of each place of the level above start, and the places.
    struct lc_flat_vector starts, places;
    size_t start_width, place_width;
};

struct spread {
    struct lc_flatbuffer *file;
    const struct lc_tflite_tensor *tensor;
    size_t value_count;
    struct level levels[MOST_LEVELS];
    size_t level_count;
};

/// Reads a vector of integers. The field before it says how wide they are.
static struct lc_flat_vector read_integers(struct lc_flatbuffer *file, struct lc_flat_table level, unsigned type_field,
                                           size_t *width) {
    // A union of tables with one vector each: of 32, 16 and 8 bits.
    static const size_t widths[] = {0, 4, 2, 1};
    uint8_t type = lc_flat_byte(file, level, type_field);
    *width = type < 4 ? widths[type] : 0;
    if (*width == 0) {
        file->is_bad = true;
        return (struct lc_flat_vector){0};
    }
    return lc_flat_vector(file, lc_flat_child(file, level, type_field + 1), 0, *width);
}

/// Finds how many places a level has, and how far they are apart.
static bool measure(const struct lc_tflite_tensor *tensor, int64_t dimension, const int64_t *blocked,
                    const size_t *block_sizes, struct level *level) {
    bool is_inner = dimension >= tensor->rank;
    size_t at = (size_t)(is_inner ? blocked[dimension - tensor->rank] : dimension);
    level->step = is_inner ? 1 : block_sizes[at];
    level->size = is_inner ? block_sizes[at] : tensor->dimensions[at] / block_sizes[at];
    for (size_t i = at + 1; i < tensor->rank; i++) level->step *= tensor->dimensions[i];
    return tensor->dimensions[at] % block_sizes[at] == 0;
}

static bool read_levels(struct spread *spread) {
    struct lc_flatbuffer *file = spread->file;
    const struct lc_tflite_tensor *tensor = spread->tensor;
    struct lc_flat_vector order = lc_flat_vector(file, tensor->sparsity, SPARSITY_ORDER, 4);
    struct lc_flat_vector blocks = lc_flat_vector(file, tensor->sparsity, SPARSITY_BLOCKS, 4);
    struct lc_flat_vector levels = lc_flat_vector(file, tensor->sparsity, SPARSITY_LEVELS, 4);
    spread->level_count = levels.count;
    if (blocks.count > tensor->rank || levels.count != tensor->rank + blocks.count || order.count != levels.count)
        return false;

    // Which level is which dimension, and how large the blocks are. Each must be there once.
    int64_t dimensions[MOST_LEVELS], blocked[LC_TFLITE_MOST_DIMENSIONS];
    size_t block_sizes[LC_TFLITE_MOST_DIMENSIONS] = {1, 1, 1, 1};
    unsigned seen = 0, seen_blocked = 0;
    for (size_t i = 0; i < blocks.count; i++) {
        blocked[i] = lc_flat_integer(file, blocks, i, 4);
        if (blocked[i] < 0 || blocked[i] >= tensor->rank || seen_blocked & 1u << blocked[i]) return false;
        seen_blocked |= 1u << blocked[i];
    }
    for (size_t i = 0; i < levels.count; i++) {
        dimensions[i] = lc_flat_integer(file, order, i, 4);
        if (dimensions[i] < 0 || dimensions[i] >= (int64_t)levels.count || seen & 1u << dimensions[i]) return false;
        seen |= 1u << dimensions[i];
        if (dimensions[i] < tensor->rank) continue;
        int32_t size = lc_flat_int32(file, lc_flat_element(file, levels, i), LEVEL_SIZE, 0);
        if (size < 1) return false;
        block_sizes[blocked[dimensions[i] - tensor->rank]] = (size_t)size;
    }
    for (size_t i = 0; i < levels.count; i++) {
        struct level *level = &spread->levels[i];
        struct lc_flat_table table = lc_flat_element(file, levels, i);
        if (!measure(tensor, dimensions[i], blocked, block_sizes, level)) return false;
        level->is_dense = lc_flat_byte(file, table, LEVEL_FORMAT) == 0;
        if (level->is_dense) {
            if ((size_t)lc_flat_int32(file, table, LEVEL_SIZE, 0) != level->size) return false;
        } else {
            level->starts = read_integers(file, table, LEVEL_STARTS_TYPE, &level->start_width);
            level->places = read_integers(file, table, LEVEL_PLACES_TYPE, &level->place_width);
        }
    }
    return !file->is_bad;
}

/// Writes the values below a place of the level above, which is its `parent`th, to `offset` in the dense tensor. There
/// are never more places than the dense tensor has, as those of each parent have to rise.
static void spread_out(struct spread *spread, size_t depth, size_t parent, size_t offset) {
    struct lc_flatbuffer *file = spread->file;
    if (depth == spread->level_count) {
        if (parent < spread->value_count)
            spread->tensor->weights[offset] = value_at(spread->tensor, parent);
        else
            file->is_bad = true;
        return;
    }
    const struct level *level = &spread->levels[depth];
    if (level->is_dense) {
        for (size_t i = 0; i < level->size && !file->is_bad; i++)
            spread_out(spread, depth + 1, parent * level->size + i, offset + i * level->step);
        return;
    }
    int64_t start = lc_flat_integer(file, level->starts, parent, level->start_width);
    int64_t end = lc_flat_integer(file, level->starts, parent + 1, level->start_width);
    int64_t last = -1;
    if (start < 0) file->is_bad = true;
    for (int64_t i = start; i < end && !file->is_bad; i++) {
        int64_t place = lc_flat_integer(file, level->places, (size_t)i, level->place_width);
        if (place <= last || place >= (int64_t)level->size) file->is_bad = true;
        last = place;
        if (!file->is_bad) spread_out(spread, depth + 1, (size_t)i, offset + (size_t)place * level->step);
    }
}

// MARK: All

enum lc_nets_status lc_tflite_unpack_tensor(struct lc_flatbuffer *file, struct lc_tflite_tensor *tensor) {
    if (tensor->weights) return LC_NETS_OK;
    bool is_wide = tensor->type == LC_TFLITE_FLOAT32;
    if (!tensor->bytes || (!is_wide && tensor->type != LC_TFLITE_FLOAT16)) return LC_NETS_BAD_MODEL;
    size_t value_count = tensor->size / (is_wide ? 4 : 2);
    if (!tensor->sparsity.at && value_count != tensor->count) return LC_NETS_BAD_MODEL;
    // Libraries may read a little beyond the end.
    tensor->weights = calloc(tensor->count + 16, sizeof(float));
    if (!tensor->weights) return LC_NETS_NO_MEMORY;
    if (tensor->sparsity.at) {
        struct spread spread = {.file = file, .tensor = tensor, .value_count = value_count};
        if (!read_levels(&spread)) return LC_NETS_BAD_MODEL;
        spread_out(&spread, 0, 0, 0);
        return file->is_bad ? LC_NETS_BAD_MODEL : LC_NETS_OK;
    }
    for (size_t i = 0; i < value_count; i++) tensor->weights[i] = value_at(tensor, i);
    return LC_NETS_OK;
}

enum lc_nets_status lc_tflite_unpack(struct lc_tflite *model) {
    for (size_t i = 0; i < model->operator_count; i++) {
        const struct lc_tflite_operator *operator = &model->operators[i];
        for (size_t k = 1; k < operator->input_count; k++) {
            if (operator->inputs[k] < 0) continue;
            struct lc_tflite_tensor *tensor = &model->tensors[operator->inputs[k]];
            // Integers, such as sizes, have been read with the operator.
            if (!tensor->bytes || tensor->type == LC_TFLITE_INT32) continue;
            enum lc_nets_status status = lc_tflite_unpack_tensor(&model->file, tensor);
            if (status) return status;
        }
    }
    return LC_NETS_OK;
}
