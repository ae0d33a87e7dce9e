// SPDX-License-Identifier: MIT
// Checks that operators fit their tensors. XNNPACK computes sizes of its own and writes as much as they say.
#include "TFLite.h"

#include <string.h>

enum { BATCH, HEIGHT, WIDTH, CHANNELS };

typedef const struct lc_tflite_tensor *tensor_of;

// MARK: Inputs

/// Takes a tensor to run an operator on; NULL if `index` is none.
static tensor_of take(struct lc_tflite *model, int32_t index) {
    if (index < 0) return NULL;
    struct lc_tflite_tensor *tensor = &model->tensors[index];
    tensor->is_used = true;
    return tensor->is_computed && !tensor->is_assembled ? tensor : NULL;
}

/// A constant of floats; NULL if `index` is none.
static tensor_of weights(const struct lc_tflite *model, int32_t index) {
    if (index < 0) return NULL;
    tensor_of tensor = &model->tensors[index];
    bool is_float = tensor->type == LC_TFLITE_FLOAT32 || tensor->type == LC_TFLITE_FLOAT16;
    return tensor->bytes && is_float ? tensor : NULL;
}

/// Reads a constant of `count` integers.
static bool read_integers(const struct lc_tflite *model, int32_t index, int32_t *values, size_t count) {
    if (index < 0) return false;
    tensor_of tensor = &model->tensors[index];
    bool is_fit = tensor->bytes && tensor->type == LC_TFLITE_INT32 && !tensor->sparsity.at && tensor->count == count &&
        tensor->size == count * sizeof *values;
    if (is_fit) memcpy(values, tensor->bytes, tensor->size);
    return is_fit;
}

static bool are_alike(tensor_of one, tensor_of other) {
    return one->rank == other->rank && memcmp(one->dimensions, other->dimensions, sizeof one->dimensions) == 0;
}

static bool is_step(int32_t value) { return value >= 1 && value <= LC_TFLITE_LONGEST_STEP; }

/// Counts what an operator takes that multiplies each pixel of its result's kernel by `depth` values.
static bool spend(struct lc_tflite *model, const struct lc_tflite_operator *operator, tensor_of output, size_t depth) {
    uint64_t kernel = (uint64_t)operator->kernel_height * (uint64_t)operator->kernel_width;
    uint64_t channels = output->dimensions[output->rank - 1];
    model->taps += output->count / channels * kernel;
    model->padded_weights += (channels + 15) / 16 * 16 * kernel * depth;
    if (model->taps > LC_TFLITE_MOST_TAPS || model->padded_weights > LC_TFLITE_MOST_BYTES / sizeof(float)) return false;
    model->work += output->count * kernel * depth;
    return model->work <= LC_TFLITE_MOST_WORK;
}

// MARK: Kernels

/// Says how long a dimension becomes under a kernel; 0 if it is too short.
static size_t length_after(size_t length, int32_t kernel, int32_t stride, bool pads_to_same) {
    size_t taken = pads_to_same ? 1 : (size_t)kernel;
    return length < taken ? 0 : (length - taken) / (size_t)stride + 1;
}

static bool fits_kernel(const struct lc_tflite_operator *operator, tensor_of input, tensor_of output) {
    if (!is_step(operator->kernel_height) || !is_step(operator->kernel_width)) return false;
    if (!is_step(operator->stride_height) || !is_step(operator->stride_width)) return false;
    if (input->rank != 4 || output->rank != 4 || input->dimensions[BATCH] != output->dimensions[BATCH]) return false;
    size_t height = length_after(input->dimensions[HEIGHT], operator->kernel_height, operator->stride_height,
                                 operator->pads_to_same);
    size_t width = length_after(input->dimensions[WIDTH], operator->kernel_width, operator->stride_width,
                                operator->pads_to_same);
    return height == output->dimensions[HEIGHT] && width == output->dimensions[WIDTH];
}

/// Whether the filter has four dimensions, the first of `outer` and the last of `inner` channels, and the bias fits it.
/// Takes the size of the kernel from the filter.
static bool fits_filter(const struct lc_tflite *model, struct lc_tflite_operator *operator, size_t outer, size_t inner,
                        size_t bias_count) {
    tensor_of filter = weights(model, operator->inputs[1]), bias = weights(model, operator->inputs[2]);
    if (!filter || filter->rank != 4) return false;
    if (operator->inputs[2] >= 0 && (!bias || bias->rank != 1 || bias->count != bias_count)) return false;
    operator->kernel_height = (int32_t)filter->dimensions[HEIGHT];
    operator->kernel_width = (int32_t)filter->dimensions[WIDTH];
    return filter->dimensions[0] == outer && filter->dimensions[3] == inner;
}

static bool fits_convolution(struct lc_tflite *model, struct lc_tflite_operator *operator, tensor_of input,
                             tensor_of output) {
    size_t from = input->dimensions[CHANNELS], to = output->dimensions[CHANNELS];
    return fits_filter(model, operator, to, from, to) && fits_kernel(operator, input, output) &&
        spend(model, operator, output, from);
}

static bool fits_depthwise(struct lc_tflite *model, struct lc_tflite_operator *operator, tensor_of input,
                           tensor_of output) {
    size_t from = input->dimensions[CHANNELS], to = output->dimensions[CHANNELS];
    return to % from == 0 && fits_filter(model, operator, 1, to, to) && fits_kernel(operator, input, output) &&
        spend(model, operator, output, 1);
}

/// A convolution that enlarges: what it gives, convolved with the same steps, would have the input's size.
static bool fits_transposed(struct lc_tflite *model, struct lc_tflite_operator *operator, tensor_of input,
                            tensor_of output) {
    size_t from = input->dimensions[CHANNELS], to = output->dimensions[CHANNELS];
    if (!fits_filter(model, operator, to, from, to) || !fits_kernel(operator, output, input)) return false;
    // Of the sizes of which that is true, one is meant.
    size_t height = input->dimensions[HEIGHT] * (size_t)operator->stride_height;
    size_t width = input->dimensions[WIDTH] * (size_t)operator->stride_width;
    if (!operator->pads_to_same) {
        height += (size_t)(operator->kernel_height - operator->stride_height);
        width += (size_t)(operator->kernel_width - operator->stride_width);
    }
    return output->dimensions[HEIGHT] == height && output->dimensions[WIDTH] == width &&
        spend(model, operator, output, from);
}

static bool fits_pooling(struct lc_tflite *model, struct lc_tflite_operator *operator, tensor_of input,
                         tensor_of output) {
    return fits_kernel(operator, input, output) && operator->kernel_height * operator->kernel_width > 1 &&
        input->dimensions[CHANNELS] == output->dimensions[CHANNELS] && spend(model, operator, output, 1);
}

static bool fits_fully_connected(struct lc_tflite *model, struct lc_tflite_operator *operator, tensor_of input,
                                 tensor_of output) {
    tensor_of filter = weights(model, operator->inputs[1]), bias = weights(model, operator->inputs[2]);
    if (!filter || filter->rank != 2 || input->rank != 2 || output->rank != 2) return false;
    if (operator->inputs[2] >= 0 && (!bias || bias->rank != 1 || bias->count != output->dimensions[1])) return false;
    operator->kernel_height = operator->kernel_width = 1;
    return input->dimensions[0] == output->dimensions[0] && filter->dimensions[0] == output->dimensions[1] &&
        filter->dimensions[1] == input->dimensions[1] && spend(model, operator, output, input->dimensions[1]);
}

// MARK: Others

/// Adds or multiplies two tensors; where one has a length of 1, its values are repeated.
static bool fits_pair(struct lc_tflite *model, const struct lc_tflite_operator *operator, tensor_of input,
                      tensor_of output) {
    tensor_of other = take(model, operator->inputs[1]);
    if (!other || input->rank < 1 || input->rank != other->rank || input->rank != output->rank) return false;
    for (size_t i = 0; i < LC_TFLITE_MOST_DIMENSIONS; i++) {
        size_t one = input->dimensions[i], two = other->dimensions[i];
        if (one != two && one != 1 && two != 1) return false;
        if (output->dimensions[i] != (one > two ? one : two)) return false;
    }
    return true;
}

static bool fits_depth_to_space(const struct lc_tflite_operator *operator, tensor_of input, tensor_of output) {
    size_t block = (size_t)operator->block;
    return operator->block > 1 && is_step(operator->block) && input->rank == 4 && output->rank == 4 &&
        input->dimensions[BATCH] == output->dimensions[BATCH] &&
        input->dimensions[HEIGHT] * block == output->dimensions[HEIGHT] &&
        input->dimensions[WIDTH] * block == output->dimensions[WIDTH] &&
        input->dimensions[CHANNELS] == output->dimensions[CHANNELS] * block * block;
}

static bool fits_resize(const struct lc_tflite *model, const struct lc_tflite_operator *operator, tensor_of input,
                        tensor_of output) {
    int32_t size[2];
    return read_integers(model, operator->inputs[1], size, 2) && input->rank == 4 && output->rank == 4 &&
        !(operator->aligns_corners && operator->has_half_pixels) && size[0] > 0 && size[1] > 0 &&
        (size_t)size[0] == output->dimensions[HEIGHT] && (size_t)size[1] == output->dimensions[WIDTH] &&
        input->dimensions[BATCH] == output->dimensions[BATCH] &&
        input->dimensions[CHANNELS] == output->dimensions[CHANNELS];
}

static bool fits_pad(const struct lc_tflite *model, struct lc_tflite_operator *operator, tensor_of input,
                     tensor_of output) {
    int32_t pads[2 * LC_TFLITE_MOST_DIMENSIONS] = {0};
    if (input->rank < 1 || input->rank != output->rank) return false;
    if (!read_integers(model, operator->inputs[1], pads, 2 * (size_t)input->rank)) return false;
    for (size_t i = 0; i < input->rank; i++) {
        if (pads[2 * i] < 0 || pads[2 * i + 1] < 0) return false;
        operator->before[i] = (size_t)pads[2 * i];
        operator->after[i] = (size_t)pads[2 * i + 1];
        if (operator->before[i] + input->dimensions[i] + operator->after[i] != output->dimensions[i]) return false;
    }
    return true;
}

/// The mean over height and width.
static bool fits_mean(const struct lc_tflite *model, const struct lc_tflite_operator *operator, tensor_of input,
                      tensor_of output) {
    int32_t axes[2];
    if (!read_integers(model, operator->inputs[1], axes, 2) || input->rank != 4) return false;
    bool is_usual = (axes[0] == HEIGHT && axes[1] == WIDTH) || (axes[0] == WIDTH && axes[1] == HEIGHT);
    return is_usual && (output->rank == 4 || output->rank == 2) &&
        output->dimensions[BATCH] == input->dimensions[BATCH] &&
        output->dimensions[output->rank - 1] == input->dimensions[CHANNELS] &&
        output->count == input->dimensions[BATCH] * input->dimensions[CHANNELS];
}

static bool fits_prelu(const struct lc_tflite *model, const struct lc_tflite_operator *operator, tensor_of input,
                       tensor_of output) {
    tensor_of slopes = weights(model, operator->inputs[1]);
    return slopes && input->rank > 0 && slopes->rank > 0 && are_alike(input, output) &&
        slopes->dimensions[slopes->rank - 1] == input->dimensions[input->rank - 1] &&
        slopes->count == input->dimensions[input->rank - 1];
}

static bool is_output(const struct lc_tflite *model, int32_t index) {
    for (size_t i = 0; i < model->output_count; i++)
        if (model->outputs[i] == index) return true;
    return false;
}

/// Puts an output together from tensors that lie one behind the other in it, and belong to no other.
static bool fits_concatenation(struct lc_tflite *model, const struct lc_tflite_operator *operator, tensor_of output) {
    int32_t axis = operator->axis < 0 ? operator->axis + (int32_t)output->rank : operator->axis;
    if (axis < 0 || axis >= (int32_t)output->rank || !is_output(model, operator->output)) return false;
    for (int32_t i = 0; i < axis; i++)
        if (output->dimensions[i] != 1) return false;
    size_t length = 0;
    for (size_t k = 0; k < operator->input_count; k++) {
        tensor_of part = take(model, operator->inputs[k]);
        if (!part || part->rank != output->rank || part->is_part) return false;
        if (operator->inputs[k] == model->input || is_output(model, operator->inputs[k])) return false;
        for (int32_t i = 0; i < (int32_t)output->rank; i++)
            if (i != axis && part->dimensions[i] != output->dimensions[i]) return false;
        length += part->dimensions[axis];
        model->tensors[operator->inputs[k]].is_part = true;
    }
    model->tensors[operator->output].is_assembled = true;
    return length == output->dimensions[axis];
}

// MARK: All

static bool fits(struct lc_tflite *model, struct lc_tflite_operator *operator, tensor_of input, tensor_of output) {
    switch (operator->kind) {
    case LC_TFLITE_ADD:
    case LC_TFLITE_MULTIPLY: return fits_pair(model, operator, input, output);
    case LC_TFLITE_CONCATENATION: return fits_concatenation(model, operator, output);
    case LC_TFLITE_CONVOLUTION: return fits_convolution(model, operator, input, output);
    case LC_TFLITE_DEPTHWISE_CONVOLUTION: return fits_depthwise(model, operator, input, output);
    case LC_TFLITE_CUSTOM: return fits_transposed(model, operator, input, output);
    case LC_TFLITE_DEPTH_TO_SPACE: return fits_depth_to_space(operator, input, output);
    case LC_TFLITE_FULLY_CONNECTED: return fits_fully_connected(model, operator, input, output);
    case LC_TFLITE_HARD_SWISH:
    case LC_TFLITE_LOGISTIC:
    case LC_TFLITE_RELU: return input->rank > 0 && are_alike(input, output);
    case LC_TFLITE_MAX_POOLING: return fits_pooling(model, operator, input, output);
    case LC_TFLITE_MEAN: return fits_mean(model, operator, input, output);
    case LC_TFLITE_PAD: return fits_pad(model, operator, input, output);
    case LC_TFLITE_PRELU: return fits_prelu(model, operator, input, output);
    case LC_TFLITE_RESHAPE: return input->count == output->count && output->rank > 0;
    case LC_TFLITE_RESIZE_BILINEAR: return fits_resize(model, operator, input, output);
    default: return false;
    }
}

bool lc_tflite_settle(struct lc_tflite *model, struct lc_tflite_operator *operator) {
    tensor_of input = take(model, operator->inputs[0]);
    struct lc_tflite_tensor *output = &model->tensors[operator->output];
    if (!input || output->bytes || output->is_computed || output->type != LC_TFLITE_FLOAT32) return false;
    if (operator->activation < LC_TFLITE_NO_ACTIVATION || operator->activation > LC_TFLITE_TO_RELU6) return false;
    if (!fits(model, operator, input, output)) return false;
    output->is_computed = true;
    return true;
}
