// SPDX-License-Identifier: MIT
// Runs nets by Debian's XNNPACK.
#include "XNNPACKTypes.h"

#include <stdlib.h>

#define LC_ENTRY(name, parameters) {"xnn_" #name, offsetof(struct lc_xnnpack, name)},
static const struct lc_nets_entry entries[] = {LC_XNN_FUNCTIONS(LC_ENTRY)};

static enum lc_nets_status meaning(enum lc_xnn_status status) {
    switch (status) {
    case LC_XNN_SUCCESS: return LC_NETS_OK;
    case LC_XNN_INVALID_PARAMETER:
    case LC_XNN_UNSUPPORTED_PARAMETER: return LC_NETS_BAD_MODEL;
    case LC_XNN_OUT_OF_MEMORY: return LC_NETS_NO_MEMORY;
    default: return LC_NETS_FAILED;
    }
}

/// Finds where the parts of an output go: one behind the other.
static size_t place_parts(const struct lc_tflite *model, int32_t output, float *values, struct lc_xnn_place *places) {
    const struct lc_tflite_operator *operator = model->operators;
    while (operator->kind != LC_TFLITE_CONCATENATION || operator->output != output) operator++;
    for (size_t k = 0; k < operator->input_count; k++) {
        places[operator->inputs[k]] = (struct lc_xnn_place){values, LC_XNN_EXTERNAL_OUTPUT};
        values += model->tensors[operator->inputs[k]].count;
    }
    return operator->input_count;
}

/// Finds where the values of all inputs and outputs are. Returns their number.
static size_t place_externals(const struct lc_tflite *model, const struct lc_net *net, struct lc_xnn_place *places) {
    size_t count = 1;
    places[model->input] = (struct lc_xnn_place){net->input.values, LC_XNN_EXTERNAL_INPUT};
    for (size_t i = 0; i < model->output_count; i++) {
        int32_t output = model->outputs[i];
        if (model->tensors[output].is_assembled) {
            count += place_parts(model, output, net->outputs[i].values, places);
        } else {
            places[output] = (struct lc_xnn_place){net->outputs[i].values, LC_XNN_EXTERNAL_OUTPUT};
            count++;
        }
    }
    return count;
}

static enum lc_nets_status open_net(struct lc_nets *nets, struct lc_tflite *model, struct lc_net *net) {
    const struct lc_xnnpack *xnn = (struct lc_xnnpack *)nets;
    enum lc_nets_status unpacked = lc_tflite_unpack(model);
    if (unpacked) return unpacked;
    struct lc_xnn_place *places = calloc(model->tensor_count, sizeof *places);
    if (!places) return LC_NETS_NO_MEMORY;
    struct lc_xnn_external externals[1 + LC_TFLITE_MOST_OUTPUTS * LC_TFLITE_MOST_INPUTS];
    size_t count = place_externals(model, net, places);
    lc_xnn_graph graph;
    enum lc_xnn_status status = lc_xnn_make_graph(xnn, model, places, externals, count, &graph);
    // The runtime has its own copy of the weights, in another order. Without a pool of threads, it uses the caller's.
    if (!status) status = xnn->create_runtime_v2(graph, NULL, 0, &net->made);
    if (!status) status = xnn->setup_runtime(net->made, count, externals);
    if (graph) xnn->delete_subgraph(graph);
    free(places);
    return meaning(status);
}

static enum lc_nets_status run_net(struct lc_net *net) {
    const struct lc_xnnpack *xnn = (struct lc_xnnpack *)net->nets;
    return xnn->invoke_runtime(net->made) ? LC_NETS_FAILED : LC_NETS_OK;
}

static void close_net(struct lc_net *net) {
    const struct lc_xnnpack *xnn = (struct lc_xnnpack *)net->nets;
    xnn->delete_runtime(net->made);
}

static void free_nets(struct lc_nets *nets) { free(nets); }

enum lc_nets_status lc_nets_open_xnnpack(struct lc_nets **nets) {
    *nets = NULL;
    struct lc_xnnpack *xnn = calloc(1, sizeof *xnn);
    if (!xnn) return LC_NETS_NO_MEMORY;
    xnn->nets = (struct lc_nets){open_net, run_net, close_net, free_nets};
    lc_nets_enter();
    enum lc_nets_status status = lc_nets_load("libXNNPACK.so.0", entries, sizeof entries / sizeof *entries, xnn);
    // It has no way back that other users of the library would survive.
    if (!status && xnn->initialize(NULL)) status = LC_NETS_OTHER_LIBRARY;
    lc_nets_leave();
    if (status)
        free(xnn);
    else
        *nets = &xnn->nets;
    return status;
}
