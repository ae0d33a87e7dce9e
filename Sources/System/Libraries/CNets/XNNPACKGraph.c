// SPDX-License-Identifier: MIT
// Makes a graph of XNNPACK's of a model, operator by operator.
#include "XNNPACKTypes.h"

#include <math.h>
#include <stdlib.h>

struct maker {
    const struct lc_xnnpack *xnn;
    const struct lc_tflite *model;
    lc_xnn_graph graph;
    /// XNNPACK's number of each tensor.
    uint32_t *ids;
};

/// An operator with its tensors, XNNPACK's numbers of them, and the range that its activation leaves.
struct step {
    const struct lc_tflite_operator *operator;
    const struct lc_tflite_tensor *from, *to;
    uint32_t inputs[LC_TFLITE_MOST_INPUTS], output;
    float least, greatest;
};

// MARK: Values

static enum lc_xnn_status define_value(struct maker *maker, size_t index, uint32_t external, uint32_t flags) {
    const struct lc_tflite_tensor *tensor = &maker->model->tensors[index];
    return maker->xnn->define_tensor_value(maker->graph, LC_XNN_FLOAT32, tensor->rank, tensor->dimensions,
                                           tensor->weights, external, flags, &maker->ids[index]);
}

static enum lc_xnn_status define_externals(struct maker *maker, const struct lc_xnn_place *places,
                                           struct lc_xnn_external *externals) {
    uint32_t count = 0;
    for (size_t i = 0; i < maker->model->tensor_count; i++) {
        maker->ids[i] = LC_XNN_NO_VALUE;
        if (!places[i].values) continue;
        enum lc_xnn_status status = define_value(maker, i, count, places[i].flags);
        if (status) return status;
        externals[count] = (struct lc_xnn_external){maker->ids[i], places[i].values};
        count++;
    }
    return LC_XNN_SUCCESS;
}

/// Gives the number of a tensor, which is defined when it is first used. Constants that are no weights have none.
static enum lc_xnn_status find(struct maker *maker, int32_t index, uint32_t *id) {
    *id = LC_XNN_NO_VALUE;
    if (index < 0) return LC_XNN_SUCCESS;
    const struct lc_tflite_tensor *tensor = &maker->model->tensors[index];
    if (!tensor->weights && tensor->bytes) return LC_XNN_SUCCESS;
    enum lc_xnn_status status = LC_XNN_SUCCESS;
    if (maker->ids[index] == LC_XNN_NO_VALUE) status = define_value(maker, (size_t)index, LC_XNN_NO_VALUE, 0);
    *id = maker->ids[index];
    return status;
}

static enum lc_xnn_status prepare(struct maker *maker, const struct lc_tflite_operator *operator, struct step *step) {
    static const float least[] = {-INFINITY, 0, -1, 0}, greatest[] = {INFINITY, INFINITY, 1, 6};
    *step = (struct step){
        .operator = operator,
        .from = &maker->model->tensors[operator->inputs[0]],
        .to = &maker->model->tensors[operator->output],
        .least = least[operator->activation],
        .greatest = greatest[operator->activation],
    };
    for (size_t i = 0; i < LC_TFLITE_MOST_INPUTS; i++) {
        enum lc_xnn_status status = find(maker, operator->inputs[i], &step->inputs[i]);
        if (status) return status;
    }
    return find(maker, operator->output, &step->output);
}

// MARK: Operators

static enum lc_xnn_status define_convolution(const struct maker *maker, const struct step *step) {
    const struct lc_tflite_operator *by = step->operator;
    return maker->xnn->define_convolution_2d(
        maker->graph, 0, 0, 0, 0, (uint32_t)by->kernel_height, (uint32_t)by->kernel_width, (uint32_t)by->stride_height,
        (uint32_t)by->stride_width, 1, 1, 1, step->from->dimensions[3], step->to->dimensions[3], step->least,
        step->greatest, step->inputs[0], step->inputs[1], step->inputs[2], step->output,
        by->pads_to_same ? LC_XNN_SAME_PADDING : 0);
}

static enum lc_xnn_status define_depthwise(const struct maker *maker, const struct step *step) {
    const struct lc_tflite_operator *by = step->operator;
    size_t channels = step->from->dimensions[3];
    return maker->xnn->define_depthwise_convolution_2d(
        maker->graph, 0, 0, 0, 0, (uint32_t)by->kernel_height, (uint32_t)by->kernel_width, (uint32_t)by->stride_height,
        (uint32_t)by->stride_width, 1, 1, (uint32_t)(step->to->dimensions[3] / channels), channels, step->least,
        step->greatest, step->inputs[0], step->inputs[1], step->inputs[2], step->output,
        by->pads_to_same ? LC_XNN_SAME_PADDING : 0);
}

/// What a transposed convolution takes away from its result in all, and what it adds at its end.
static void trim(size_t from, size_t to, int32_t kernel, int32_t stride, uint32_t *padding, uint32_t *added) {
    int64_t excess = (int64_t)(from - 1) * stride + kernel - (int64_t)to;
    *padding = excess > 0 ? (uint32_t)excess : 0;
    *added = excess < 0 ? (uint32_t)-excess : 0;
}

static enum lc_xnn_status define_transposed(const struct maker *maker, const struct step *step) {
    const struct lc_tflite_operator *by = step->operator;
    const size_t *from = step->from->dimensions, *to = step->to->dimensions;
    uint32_t tall, wide, more_rows, more_columns;
    trim(from[1], to[1], by->kernel_height, by->stride_height, &tall, &more_rows);
    trim(from[2], to[2], by->kernel_width, by->stride_width, &wide, &more_columns);
    return maker->xnn->define_deconvolution_2d(
        maker->graph, tall / 2, wide - wide / 2, tall - tall / 2, wide / 2, more_rows, more_columns,
        (uint32_t)by->kernel_height, (uint32_t)by->kernel_width, (uint32_t)by->stride_height,
        (uint32_t)by->stride_width, 1, 1, 1, from[3], to[3], step->least, step->greatest, step->inputs[0],
        step->inputs[1], step->inputs[2], step->output, 0);
}

static enum lc_xnn_status define_pooling(const struct maker *maker, const struct step *step) {
    const struct lc_tflite_operator *by = step->operator;
    return maker->xnn->define_max_pooling_2d(
        maker->graph, 0, 0, 0, 0, (uint32_t)by->kernel_height, (uint32_t)by->kernel_width, (uint32_t)by->stride_height,
        (uint32_t)by->stride_width, 1, 1, step->least, step->greatest, step->inputs[0], step->output,
        by->pads_to_same ? LC_XNN_SAME_PADDING : 0);
}

/// XNNPACK keeps height and width as 1; they are taken off where the model wants that.
static enum lc_xnn_status define_mean(const struct maker *maker, const struct step *step) {
    const struct lc_xnnpack *xnn = maker->xnn;
    uint32_t mean = step->output;
    enum lc_xnn_status status = LC_XNN_SUCCESS;
    if (step->to->rank != 4) {
        const size_t shape[] = {step->from->dimensions[0], 1, 1, step->from->dimensions[3]};
        status = xnn->define_tensor_value(maker->graph, LC_XNN_FLOAT32, 4, shape, NULL, LC_XNN_NO_VALUE, 0, &mean);
    }
    if (!status)
        status = xnn->define_global_average_pooling_2d(maker->graph, step->least, step->greatest, step->inputs[0],
                                                       mean, 0);
    if (status || step->to->rank == 4) return status;
    return xnn->define_static_reshape(maker->graph, step->to->rank, step->to->dimensions, mean, step->output, 0);
}

static enum lc_xnn_status define_resize(const struct maker *maker, const struct step *step) {
    uint32_t flags = step->operator->aligns_corners ? LC_XNN_ALIGN_CORNERS
        : step->operator->has_half_pixels           ? 0
                                                    : LC_XNN_LEGACY_MODE;
    return maker->xnn->define_static_resize_bilinear_2d(maker->graph, step->to->dimensions[1],
                                                        step->to->dimensions[2], step->inputs[0], step->output, flags);
}

static enum lc_xnn_status define(const struct maker *maker, const struct step *step) {
    const struct lc_xnnpack *xnn = maker->xnn;
    lc_xnn_graph graph = maker->graph;
    const struct lc_tflite_operator *by = step->operator;
    uint32_t input = step->inputs[0], other = step->inputs[1], output = step->output;
    float least = step->least, greatest = step->greatest;
    switch (by->kind) {
    case LC_TFLITE_CONVOLUTION: return define_convolution(maker, step);
    case LC_TFLITE_DEPTHWISE_CONVOLUTION: return define_depthwise(maker, step);
    case LC_TFLITE_CUSTOM: return define_transposed(maker, step);
    case LC_TFLITE_MAX_POOLING: return define_pooling(maker, step);
    case LC_TFLITE_MEAN: return define_mean(maker, step);
    case LC_TFLITE_RESIZE_BILINEAR: return define_resize(maker, step);
    case LC_TFLITE_FULLY_CONNECTED:
        return xnn->define_fully_connected(graph, least, greatest, input, other, step->inputs[2], output, 0);
    case LC_TFLITE_ADD: return xnn->define_add2(graph, least, greatest, input, other, output, 0);
    case LC_TFLITE_MULTIPLY: return xnn->define_multiply2(graph, least, greatest, input, other, output, 0);
    case LC_TFLITE_RELU: return xnn->define_clamp(graph, 0, INFINITY, input, output, 0);
    case LC_TFLITE_LOGISTIC: return xnn->define_sigmoid(graph, input, output, 0);
    case LC_TFLITE_HARD_SWISH: return xnn->define_hardswish(graph, input, output, 0);
    case LC_TFLITE_PRELU: return xnn->define_prelu(graph, input, other, output, 0);
    case LC_TFLITE_PAD: return xnn->define_static_constant_pad(graph, by->before, by->after, 0, input, output, 0);
    case LC_TFLITE_RESHAPE:
        return xnn->define_static_reshape(graph, step->to->rank, step->to->dimensions, input, output, 0);
    case LC_TFLITE_DEPTH_TO_SPACE: return xnn->define_depth_to_space(graph, input, output, (uint32_t)by->block, 0);
    default: return LC_XNN_UNSUPPORTED_PARAMETER;
    }
}

enum lc_xnn_status lc_xnn_make_graph(const struct lc_xnnpack *xnn, const struct lc_tflite *model,
                                     const struct lc_xnn_place *places, struct lc_xnn_external *externals,
                                     size_t external_count, lc_xnn_graph *graph) {
    *graph = NULL;
    struct maker maker = {.xnn = xnn, .model = model, .ids = calloc(model->tensor_count, sizeof(uint32_t))};
    if (!maker.ids) return LC_XNN_OUT_OF_MEMORY;
    enum lc_xnn_status status = xnn->create_subgraph((uint32_t)external_count, 0, graph);
    maker.graph = *graph;
    if (!status) status = define_externals(&maker, places, externals);
    for (size_t i = 0; i < model->operator_count && !status; i++) {
        // The parts write what this one would put together.
        if (model->operators[i].kind == LC_TFLITE_CONCATENATION) continue;
        struct step step;
        status = prepare(&maker, &model->operators[i], &step);
        if (!status) status = define(&maker, &step);
    }
    free(maker.ids);
    return status;
}
