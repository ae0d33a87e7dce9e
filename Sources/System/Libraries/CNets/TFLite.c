// SPDX-License-Identifier: MIT
// Reads a .tflite model: its tensors, its operators and their options.
#include "TFLite.h"

#include <stdlib.h>
#include <string.h>

// Fields of the tables of tflite's schema, which never change their numbers.
enum { MODEL_CODES = 1, MODEL_GRAPHS = 2, MODEL_BUFFERS = 4, MODEL_SIGNATURES = 7 };
enum { GRAPH_TENSORS = 0, GRAPH_INPUTS = 1, GRAPH_OUTPUTS = 2, GRAPH_OPERATORS = 3 };
enum { TENSOR_SHAPE = 0, TENSOR_TYPE = 1, TENSOR_BUFFER = 2, TENSOR_SPARSITY = 6 };
enum { BUFFER_DATA = 0 };
enum { CODE_OLD_KIND = 0, CODE_NAME = 1, CODE_KIND = 3 };
enum { OPERATOR_CODE = 0, OPERATOR_INPUTS = 1, OPERATOR_OUTPUTS = 2, OPERATOR_OPTIONS = 4, OPERATOR_CUSTOM = 5 };

static const char transposed_convolution[] = "Convolution2DTransposeBias";

// MARK: Tensors

static bool read_tensor(struct lc_flatbuffer *file, struct lc_flat_vector buffers, struct lc_flat_table table,
                        struct lc_tflite_tensor *tensor) {
    struct lc_flat_vector shape = lc_flat_vector(file, table, TENSOR_SHAPE, 4);
    if (shape.count > LC_TFLITE_MOST_DIMENSIONS) return false;
    tensor->rank = (uint32_t)shape.count;
    tensor->count = 1;
    for (size_t i = 0; i < LC_TFLITE_MOST_DIMENSIONS; i++) {
        int64_t length = i < shape.count ? lc_flat_integer(file, shape, i, 4) : 1;
        if (length < 1 || length > LC_TFLITE_LONGEST_DIMENSION) return false;
        tensor->dimensions[i] = (size_t)length;
        tensor->count *= (size_t)length;
        if (tensor->count > LC_TFLITE_MOST_BYTES / sizeof(float)) return false;
    }
    tensor->type = lc_flat_byte(file, table, TENSOR_TYPE);
    int32_t buffer = lc_flat_int32(file, table, TENSOR_BUFFER, 0);
    if (buffer < 0) return false;
    struct lc_flat_vector data = lc_flat_vector(file, lc_flat_element(file, buffers, (size_t)buffer), BUFFER_DATA, 1);
    if (data.count) tensor->bytes = file->bytes + data.at;
    tensor->size = data.count;
    tensor->sparsity = lc_flat_child(file, table, TENSOR_SPARSITY);
    return !file->is_bad;
}

static enum lc_nets_status read_tensors(struct lc_tflite *model, struct lc_flat_table root,
                                        struct lc_flat_table graph) {
    struct lc_flatbuffer *file = &model->file;
    struct lc_flat_vector buffers = lc_flat_vector(file, root, MODEL_BUFFERS, 4);
    struct lc_flat_vector tensors = lc_flat_vector(file, graph, GRAPH_TENSORS, 4);
    if (tensors.count < 1 || tensors.count > LC_TFLITE_MOST_TENSORS) return LC_NETS_BAD_MODEL;
    model->tensors = calloc(tensors.count, sizeof *model->tensors);
    if (!model->tensors) return LC_NETS_NO_MEMORY;
    model->tensor_count = tensors.count;
    size_t count = 0;
    for (size_t i = 0; i < tensors.count; i++) {
        struct lc_tflite_tensor *tensor = &model->tensors[i];
        if (!read_tensor(file, buffers, lc_flat_element(file, tensors, i), tensor)) return LC_NETS_BAD_MODEL;
        count += tensor->count;
        if (count > LC_TFLITE_MOST_BYTES / sizeof(float)) return LC_NETS_BAD_MODEL;
    }
    return LC_NETS_OK;
}

/// Reads the index of a tensor that a model takes or gives; -1 if it is none of floats with a batch of one.
static int32_t read_end(struct lc_tflite *model, struct lc_flat_vector list, size_t at) {
    int64_t index = lc_flat_integer(&model->file, list, at, 4);
    if (index < 0 || (uint64_t)index >= model->tensor_count) return -1;
    const struct lc_tflite_tensor *tensor = &model->tensors[index];
    bool is_fit = tensor->type == LC_TFLITE_FLOAT32 && !tensor->bytes && tensor->dimensions[0] == 1;
    return is_fit ? (int32_t)index : -1;
}

static bool read_ends(struct lc_tflite *model, struct lc_flat_table graph) {
    struct lc_flat_vector inputs = lc_flat_vector(&model->file, graph, GRAPH_INPUTS, 4);
    struct lc_flat_vector outputs = lc_flat_vector(&model->file, graph, GRAPH_OUTPUTS, 4);
    if (inputs.count != 1 || outputs.count < 1 || outputs.count > LC_TFLITE_MOST_OUTPUTS) return false;
    model->input = read_end(model, inputs, 0);
    if (model->input < 0) return false;
    model->tensors[model->input].is_computed = true;
    model->output_count = outputs.count;
    for (size_t i = 0; i < outputs.count; i++) {
        model->outputs[i] = read_end(model, outputs, i);
        if (model->outputs[i] < 0 || model->outputs[i] == model->input) return false;
        for (size_t j = 0; j < i; j++)
            if (model->outputs[j] == model->outputs[i]) return false;
        model->tensors[model->outputs[i]].is_used = true;
    }
    return true;
}

// MARK: Operators

/// Reads what is alike in the options of convolutions and pooling, at the front.
static void read_steps(struct lc_flatbuffer *file, struct lc_flat_table options, struct lc_tflite_operator *operator) {
    operator->pads_to_same = lc_flat_byte(file, options, 0) == 0;
    operator->stride_width = lc_flat_int32(file, options, 1, 0);
    operator->stride_height = lc_flat_int32(file, options, 2, 0);
}

/// Says whether a convolution takes neighbouring pixels, which is the only kind supported.
static bool is_dense(struct lc_flatbuffer *file, struct lc_flat_table options, unsigned field) {
    return lc_flat_int32(file, options, field, 1) == 1 && lc_flat_int32(file, options, field + 1, 1) == 1;
}

static bool read_options(struct lc_flatbuffer *file, struct lc_flat_table options,
                         struct lc_tflite_operator *operator) {
    switch (operator->kind) {
    case LC_TFLITE_CONVOLUTION:
        read_steps(file, options, operator);
        operator->activation = lc_flat_byte(file, options, 3);
        return is_dense(file, options, 4);
    case LC_TFLITE_DEPTHWISE_CONVOLUTION:
        read_steps(file, options, operator);
        operator->activation = lc_flat_byte(file, options, 4);
        return is_dense(file, options, 5);
    case LC_TFLITE_MAX_POOLING:
        read_steps(file, options, operator);
        operator->kernel_width = lc_flat_int32(file, options, 3, 0);
        operator->kernel_height = lc_flat_int32(file, options, 4, 0);
        operator->activation = lc_flat_byte(file, options, 5);
        return true;
    case LC_TFLITE_ADD:
    case LC_TFLITE_MULTIPLY:
        operator->activation = lc_flat_byte(file, options, 0);
        return true;
    case LC_TFLITE_FULLY_CONNECTED:
        operator->activation = lc_flat_byte(file, options, 0);
        return lc_flat_byte(file, options, 1) == 0;
    case LC_TFLITE_CONCATENATION:
        operator->axis = lc_flat_int32(file, options, 0, 0);
        return lc_flat_byte(file, options, 1) == LC_TFLITE_NO_ACTIVATION;
    case LC_TFLITE_RESIZE_BILINEAR:
        operator->aligns_corners = lc_flat_byte(file, options, 2);
        operator->has_half_pixels = lc_flat_byte(file, options, 3);
        return true;
    case LC_TFLITE_DEPTH_TO_SPACE:
        operator->block = lc_flat_int32(file, options, 0, 0);
        return true;
    default:
        return true;
    }
}

/// Reads the options of the one custom operator: three integers.
static bool read_custom(struct lc_flatbuffer *file, struct lc_flat_table code, struct lc_flat_table table,
                        struct lc_tflite_operator *operator) {
    enum { SAME = 1, VALID = 2 };
    struct lc_flat_vector name = lc_flat_vector(file, code, CODE_NAME, 1);
    struct lc_flat_vector options = lc_flat_vector(file, table, OPERATOR_CUSTOM, 1);
    size_t length = sizeof transposed_convolution - 1;
    int32_t values[3];
    if (name.count != length || memcmp(file->bytes + name.at, transposed_convolution, length)) return false;
    if (options.count < sizeof values) return false;
    memcpy(values, file->bytes + options.at, sizeof values);
    operator->pads_to_same = values[0] == SAME;
    operator->stride_width = values[1];
    operator->stride_height = values[2];
    return values[0] == SAME || values[0] == VALID;
}

static bool read_operator(struct lc_tflite *model, struct lc_flat_vector codes, struct lc_flat_table table,
                          struct lc_tflite_operator *operator) {
    struct lc_flatbuffer *file = &model->file;
    int32_t code_index = lc_flat_int32(file, table, OPERATOR_CODE, 0);
    if (code_index < 0) return false;
    struct lc_flat_table code = lc_flat_element(file, codes, (size_t)code_index);
    // The old field holds one byte, and 127 if the number does not fit.
    int old_kind = lc_flat_byte(file, code, CODE_OLD_KIND);
    operator->kind = lc_flat_int32(file, code, CODE_KIND, 0);
    if (old_kind > operator->kind) operator->kind = old_kind;

    struct lc_flat_vector inputs = lc_flat_vector(file, table, OPERATOR_INPUTS, 4);
    struct lc_flat_vector outputs = lc_flat_vector(file, table, OPERATOR_OUTPUTS, 4);
    if (inputs.count < 1 || inputs.count > LC_TFLITE_MOST_INPUTS || outputs.count != 1) return false;
    operator->input_count = inputs.count;
    for (size_t i = 0; i < LC_TFLITE_MOST_INPUTS; i++) {
        int64_t index = i < inputs.count ? lc_flat_integer(file, inputs, i, 4) : -1;
        if (index < -1 || index >= (int64_t)model->tensor_count) return false;
        operator->inputs[i] = (int32_t)index;
    }
    int64_t output = lc_flat_integer(file, outputs, 0, 4);
    if (output < 0 || output >= (int64_t)model->tensor_count || operator->inputs[0] < 0) return false;
    operator->output = (int32_t)output;

    bool is_known = operator->kind == LC_TFLITE_CUSTOM
        ? read_custom(file, code, table, operator)
        : read_options(file, lc_flat_child(file, table, OPERATOR_OPTIONS), operator);
    return is_known && !file->is_bad;
}

/// Lets the output of an operator that unpacks a constant stand for the constant, which is unpacked where it is used.
static bool pass_constant(struct lc_tflite *model, const struct lc_tflite_operator *operator) {
    const struct lc_tflite_tensor *packed = &model->tensors[operator->inputs[0]];
    struct lc_tflite_tensor *unpacked = &model->tensors[operator->output];
    bool is_fit = packed->bytes && !unpacked->bytes && !unpacked->is_computed && packed->rank == unpacked->rank &&
        memcmp(packed->dimensions, unpacked->dimensions, sizeof packed->dimensions) == 0;
    if (is_fit) *unpacked = *packed;
    return is_fit;
}

static enum lc_nets_status read_operators(struct lc_tflite *model, struct lc_flat_table root,
                                          struct lc_flat_table graph) {
    struct lc_flatbuffer *file = &model->file;
    struct lc_flat_vector codes = lc_flat_vector(file, root, MODEL_CODES, 4);
    struct lc_flat_vector operators = lc_flat_vector(file, graph, GRAPH_OPERATORS, 4);
    if (operators.count < 1 || operators.count > LC_TFLITE_MOST_OPERATORS) return LC_NETS_BAD_MODEL;
    model->operators = calloc(operators.count, sizeof *model->operators);
    if (!model->operators) return LC_NETS_NO_MEMORY;
    for (size_t i = 0; i < operators.count; i++) {
        struct lc_tflite_operator *operator = &model->operators[model->operator_count];
        *operator = (struct lc_tflite_operator){0};
        if (!read_operator(model, codes, lc_flat_element(file, operators, i), operator)) return LC_NETS_BAD_MODEL;
        if (operator->kind == LC_TFLITE_DEQUANTIZE || operator->kind == LC_TFLITE_DENSIFY) {
            if (!pass_constant(model, operator)) return LC_NETS_BAD_MODEL;
        } else {
            if (!lc_tflite_settle(model, operator)) return LC_NETS_BAD_MODEL;
            model->operator_count++;
        }
    }
    return LC_NETS_OK;
}

enum lc_nets_status lc_tflite_read(struct lc_tflite *model, const uint8_t *bytes, size_t size) {
    *model = (struct lc_tflite){.file = {.bytes = bytes, .size = size}};
    struct lc_flatbuffer *file = &model->file;
    if (size < 8 || size > LC_TFLITE_MOST_BYTES || memcmp(bytes + 4, "TFL3", 4)) return LC_NETS_BAD_MODEL;
    struct lc_flat_table root = lc_flat_root(file);
    struct lc_flat_vector graphs = lc_flat_vector(file, root, MODEL_GRAPHS, 4);
    // Signatures have an order of outputs of their own.
    if (graphs.count != 1 || lc_flat_vector(file, root, MODEL_SIGNATURES, 4).count) return LC_NETS_BAD_MODEL;
    struct lc_flat_table graph = lc_flat_element(file, graphs, 0);
    enum lc_nets_status status = read_tensors(model, root, graph);
    if (status) return status;
    if (!read_ends(model, graph)) return LC_NETS_BAD_MODEL;
    status = read_operators(model, root, graph);
    if (status) return status;
    for (size_t i = 0; i < model->output_count; i++)
        if (!model->tensors[model->outputs[i]].is_computed) return LC_NETS_BAD_MODEL;
    // XNNPACK ends the process over results that nobody uses.
    for (size_t i = 0; i < model->operator_count; i++)
        if (!model->tensors[model->operators[i].output].is_used) return LC_NETS_BAD_MODEL;
    return file->is_bad ? LC_NETS_BAD_MODEL : LC_NETS_OK;
}

void lc_tflite_free(struct lc_tflite *model) {
    for (size_t i = 0; i < model->tensor_count; i++) free(model->tensors[i].weights);
    free(model->tensors);
    free(model->operators);
    *model = (struct lc_tflite){0};
}
