// SPDX-License-Identifier: MIT
// What a .tflite model describes, checked: whatever is read can be built and run without going out of bounds.
#ifndef LIVECAP_TFLITE_H
#define LIVECAP_TFLITE_H

#include <stdbool.h>

#include "CNets.h"
#include "Flatbuffer.h"

enum {
    LC_TFLITE_MOST_TENSORS = 4096,
    LC_TFLITE_MOST_OPERATORS = 4096,
    LC_TFLITE_MOST_DIMENSIONS = 4,
    LC_TFLITE_MOST_INPUTS = 4,
    LC_TFLITE_MOST_OUTPUTS = 8,
    /// Of the model, and of all its tensors as floats.
    LC_TFLITE_MOST_BYTES = 64 << 20,
    LC_TFLITE_LONGEST_DIMENSION = 1 << 16,
    /// Of kernels, strides and blocks.
    LC_TFLITE_LONGEST_STEP = 64,
    /// Pixels of kernels times pixels of their results, of all operators. XNNPACK may keep a pointer for each.
    LC_TFLITE_MOST_TAPS = 8 << 20,
};

/// Multiplications of a run.
static const uint64_t LC_TFLITE_MOST_WORK = 1ull << 32;

/// Types of tensors, with the numbers of the file. Others are kept, but nothing can use them.
enum lc_tflite_type { LC_TFLITE_FLOAT32 = 0, LC_TFLITE_FLOAT16 = 1, LC_TFLITE_INT32 = 2 };

/// Operators, with the numbers of the file.
enum lc_tflite_kind {
    LC_TFLITE_ADD = 0,
    LC_TFLITE_CONCATENATION = 2,
    LC_TFLITE_CONVOLUTION = 3,
    LC_TFLITE_DEPTHWISE_CONVOLUTION = 4,
    LC_TFLITE_DEPTH_TO_SPACE = 5,
    LC_TFLITE_DEQUANTIZE = 6,
    LC_TFLITE_FULLY_CONNECTED = 9,
    LC_TFLITE_LOGISTIC = 14,
    LC_TFLITE_MAX_POOLING = 17,
    LC_TFLITE_MULTIPLY = 18,
    LC_TFLITE_RELU = 19,
    LC_TFLITE_RESHAPE = 22,
    LC_TFLITE_RESIZE_BILINEAR = 23,
    /// Of an operator's own kind. Mediapipe's `Convolution2DTransposeBias` is the one that is read.
    LC_TFLITE_CUSTOM = 32,
    LC_TFLITE_PAD = 34,
    LC_TFLITE_MEAN = 40,
    LC_TFLITE_PRELU = 54,
    LC_TFLITE_HARD_SWISH = 117,
    LC_TFLITE_DENSIFY = 124,
};

enum lc_tflite_activation { LC_TFLITE_NO_ACTIVATION, LC_TFLITE_TO_RELU, LC_TFLITE_TO_RELU1, LC_TFLITE_TO_RELU6 };

struct lc_tflite_tensor {
    int type;
    uint32_t rank;
    /// Those from `rank` on are 1.
    size_t dimensions[LC_TFLITE_MOST_DIMENSIONS];
    size_t count;
    /// A constant's bytes in the file, which need not be aligned. NULL if the tensor is computed.
    const uint8_t *bytes;
    size_t size;
    /// How a sparse constant's bytes are spread. At 0: they are all there.
    struct lc_flat_table sparsity;
    /// The input, or the output of an operator.
    bool is_computed;
    /// An output, or one that an operator is run on.
    bool is_used;
    /// An output put together from other tensors. No operator takes it.
    bool is_assembled;
    /// One that such a tensor is put together from.
    bool is_part;
    /// A constant's values, once they are unpacked.
    float *weights;
};

/// An operator that computes something. Those that only unpack constants are resolved in reading.
struct lc_tflite_operator {
    int kind;
    /// Indices of tensors; those from `input_count` on, and absent ones, are -1.
    int32_t inputs[LC_TFLITE_MOST_INPUTS];
    size_t input_count;
    int32_t output;
    int activation;
    bool pads_to_same;
    bool aligns_corners, has_half_pixels;
    int32_t stride_height, stride_width;
    int32_t kernel_height, kernel_width;
    int32_t block;
    int32_t axis;
    /// Before and after each dimension.
    size_t before[LC_TFLITE_MOST_DIMENSIONS], after[LC_TFLITE_MOST_DIMENSIONS];
};

struct lc_tflite {
    struct lc_flatbuffer file;
    struct lc_tflite_tensor *tensors;
    size_t tensor_count;
    struct lc_tflite_operator *operators;
    size_t operator_count;
    int32_t input;
    int32_t outputs[LC_TFLITE_MOST_OUTPUTS];
    size_t output_count;
    /// What running it takes, in taps, multiplications, and floats of weights as XNNPACK pads them.
    uint64_t taps, work, padded_weights;
};

/// Reads a model, whose bytes must stay. Returns LC_NETS_OK, LC_NETS_BAD_MODEL or LC_NETS_NO_MEMORY. Has to be freed
/// in any case.
enum lc_nets_status lc_tflite_read(struct lc_tflite *model, const uint8_t *bytes, size_t size);

/// Unpacks the weights of all operators.
enum lc_nets_status lc_tflite_unpack(struct lc_tflite *model);

void lc_tflite_free(struct lc_tflite *model);

/// Finds out what an operator leaves to its tensors, and checks that they fit it and each other. Its inputs must have
/// been computed before, or be constants.
bool lc_tflite_settle(struct lc_tflite *model, struct lc_tflite_operator *operator);

/// Makes floats of a constant's bytes.
enum lc_nets_status lc_tflite_unpack_tensor(struct lc_flatbuffer *file, struct lc_tflite_tensor *tensor);

#endif
