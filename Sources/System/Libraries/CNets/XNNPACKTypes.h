// SPDX-License-Identifier: MIT
// The functions and numbers of Debian's libXNNPACK.so.0 (of February 2022) that are used, declared by us.
#ifndef LIVECAP_XNNPACK_TYPES_H
#define LIVECAP_XNNPACK_TYPES_H

#include "Nets.h"

enum lc_xnn_status {
    LC_XNN_SUCCESS = 0,
    LC_XNN_INVALID_PARAMETER = 2,
    LC_XNN_UNSUPPORTED_PARAMETER = 4,
    LC_XNN_OUT_OF_MEMORY = 6,
};

enum { LC_XNN_FLOAT32 = 1 };
enum { LC_XNN_EXTERNAL_INPUT = 1, LC_XNN_EXTERNAL_OUTPUT = 2 };
/// Of convolutions and pooling.
enum { LC_XNN_SAME_PADDING = 4 };
/// Of resizing.
enum { LC_XNN_LEGACY_MODE = 4, LC_XNN_ALIGN_CORNERS = 8 };

#define LC_XNN_NO_VALUE UINT32_MAX

struct lc_xnn_external {
    uint32_t id;
    void *values;
};

typedef void *lc_xnn_graph;

/// Padding above, to the right, below, to the left.
#define LC_XNN_PADDING uint32_t, uint32_t, uint32_t, uint32_t
/// Height and width.
#define LC_XNN_SIZE uint32_t, uint32_t
/// The least and the greatest result.
#define LC_XNN_RANGE float, float

/// Each function's name without `xnn_`, and its parameters. Values are given by number: inputs, then the output.
/// The last parameter of those that define an operator are its flags. All return an lc_xnn_status.
#define LC_XNN_FUNCTIONS(FUNCTION) \
    FUNCTION(initialize, (const void *)) \
    FUNCTION(create_subgraph, (uint32_t, uint32_t, lc_xnn_graph *)) \
    FUNCTION(delete_subgraph, (lc_xnn_graph)) \
    FUNCTION(define_tensor_value, \
             (lc_xnn_graph, int, size_t, const size_t *, const void *, uint32_t, uint32_t, uint32_t *)) \
    FUNCTION(define_convolution_2d, \
             (lc_xnn_graph, LC_XNN_PADDING, LC_XNN_SIZE, LC_XNN_SIZE, LC_XNN_SIZE, uint32_t, size_t, size_t, \
              LC_XNN_RANGE, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_depthwise_convolution_2d, \
             (lc_xnn_graph, LC_XNN_PADDING, LC_XNN_SIZE, LC_XNN_SIZE, LC_XNN_SIZE, uint32_t, size_t, LC_XNN_RANGE, \
              uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_deconvolution_2d, \
             (lc_xnn_graph, LC_XNN_PADDING, LC_XNN_SIZE, LC_XNN_SIZE, LC_XNN_SIZE, LC_XNN_SIZE, uint32_t, size_t, \
              size_t, LC_XNN_RANGE, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_fully_connected, \
             (lc_xnn_graph, LC_XNN_RANGE, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_max_pooling_2d, \
             (lc_xnn_graph, LC_XNN_PADDING, LC_XNN_SIZE, LC_XNN_SIZE, LC_XNN_SIZE, LC_XNN_RANGE, uint32_t, uint32_t, \
              uint32_t)) \
    FUNCTION(define_global_average_pooling_2d, (lc_xnn_graph, LC_XNN_RANGE, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_add2, (lc_xnn_graph, LC_XNN_RANGE, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_multiply2, (lc_xnn_graph, LC_XNN_RANGE, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_clamp, (lc_xnn_graph, LC_XNN_RANGE, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_sigmoid, (lc_xnn_graph, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_hardswish, (lc_xnn_graph, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_prelu, (lc_xnn_graph, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_static_constant_pad, \
             (lc_xnn_graph, const size_t *, const size_t *, float, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_static_reshape, (lc_xnn_graph, size_t, const size_t *, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_static_resize_bilinear_2d, (lc_xnn_graph, size_t, size_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(define_depth_to_space, (lc_xnn_graph, uint32_t, uint32_t, uint32_t, uint32_t)) \
    FUNCTION(create_runtime_v2, (lc_xnn_graph, void *, uint32_t, void **)) \
    FUNCTION(setup_runtime, (void *, size_t, const struct lc_xnn_external *)) \
    FUNCTION(invoke_runtime, (void *)) \
    FUNCTION(delete_runtime, (void *))

struct lc_xnnpack {
    struct lc_nets nets;
#define LC_MEMBER(name, parameters) enum lc_xnn_status(*name) parameters;
    LC_XNN_FUNCTIONS(LC_MEMBER)
#undef LC_MEMBER
};

/// Where the values of a tensor are that come from outside or go there; NULL for others.
struct lc_xnn_place {
    float *values;
    uint32_t flags;
};

/// Makes a graph of a model with its weights unpacked. `places` has one for each of its tensors. Writes the values of
/// those that have one to `externals`. The graph has to be deleted even after a failure, unless it is NULL.
enum lc_xnn_status lc_xnn_make_graph(const struct lc_xnnpack *xnn, const struct lc_tflite *model,
                                     const struct lc_xnn_place *places, struct lc_xnn_external *externals,
                                     size_t external_count, lc_xnn_graph *graph);

#endif
