// SPDX-License-Identifier: MIT
// Runs nets by LiteRT 2.3.0, which has no stable interface: what is declared here is that of this one version.
#include <stdlib.h>
#include <string.h>

#include "Hush.h"
#include "Nets.h"

struct layout {
    unsigned rank : 7;
    bool has_strides : 1;
    int32_t dimensions[8];
    uint32_t strides[8];
};

struct tensor_type {
    int element;
    struct layout layout;
};

struct environment_option {
    int tag;
    struct {
        int type;
        int64_t value;
    } value;
};

enum { TYPE_FLOAT32 = 1 };
enum { OPTION_ACCELERATORS = 24, OPTION_LEAST_SEVERITY = 25 };
enum { VALUE_INTEGER = 2, ON_PROCESSOR = 1, SILENT = 4 };

/// Each function's result, its name without `LiteRt`, and its parameters. Those with a result return 0 if they succeed.
#define LC_LITERT_FUNCTIONS(FUNCTION) \
    FUNCTION(int, CreateEnvironment, (int, const struct environment_option *, void **)) \
    FUNCTION(void, DestroyEnvironment, (void *)) \
    FUNCTION(int, CreateModelFromBuffer, (void *, const void *, size_t, void **)) \
    FUNCTION(void, DestroyModel, (void *)) \
    FUNCTION(int, CreateOptions, (void **)) \
    FUNCTION(void, DestroyOptions, (void *)) \
    FUNCTION(int, SetOptionsHardwareAccelerators, (void *, int)) \
    FUNCTION(int, CreateOpaqueOptions, (const char *, void *, void (*)(void *), void **)) \
    FUNCTION(void, DestroyOpaqueOptions, (void *)) \
    FUNCTION(int, AddOpaqueOptions, (void *, void *)) \
    FUNCTION(int, CreateCompiledModel, (void *, void *, void *, void **)) \
    FUNCTION(void, DestroyCompiledModel, (void *)) \
    FUNCTION(int, GetCompiledModelInputTensorLayout, (void *, size_t, size_t, struct layout *)) \
    FUNCTION(int, GetCompiledModelOutputTensorLayouts, (void *, size_t, size_t, struct layout *, bool)) \
    FUNCTION(int, CreateTensorBufferFromHostMemory, \
             (const struct tensor_type *, void *, size_t, void (*)(void *), void **)) \
    FUNCTION(void, DestroyTensorBuffer, (void *)) \
    FUNCTION(int, RunCompiledModel, (void *, size_t, size_t, void **, size_t, void **))

struct litert {
    struct lc_nets nets;
    void *environment;
#define LC_MEMBER(result, name, parameters) result(*name) parameters;
    LC_LITERT_FUNCTIONS(LC_MEMBER)
#undef LC_MEMBER
};

#define LC_ENTRY(result, name, parameters) {"LiteRt" #name, offsetof(struct litert, name)},
static const struct lc_nets_entry entries[] = {LC_LITERT_FUNCTIONS(LC_ENTRY)};

/// What LiteRT keeps of a net. Members are NULL as long as they are not made.
struct made {
    void *model, *compiled;
    void *input, *outputs[LC_TFLITE_MOST_OUTPUTS];
};

/// Compiles the model for the calling thread alone.
static enum lc_nets_status compile(const struct litert *rt, struct made *made) {
    void *options = NULL, *threads = NULL;
    char *one = strdup("num_threads = 1\n");
    if (!one) return LC_NETS_NO_MEMORY;
    enum lc_nets_status status = LC_NETS_FAILED;
    if (rt->CreateOptions(&options) || rt->SetOptionsHardwareAccelerators(options, ON_PROCESSOR)) {
        free(one);
    } else if (rt->CreateOpaqueOptions("xnnpack", one, free, &threads)) {
        free(one);
    } else if (rt->AddOpaqueOptions(options, threads)) {
        rt->DestroyOpaqueOptions(threads);
    } else if (rt->CreateCompiledModel(rt->environment, made->model, options, &made->compiled) == 0) {
        status = LC_NETS_OK;
    }
    if (options) rt->DestroyOptions(options);
    return status;
}

/// Makes a buffer of a tensor's room, if LiteRT's layout of it is ours.
static enum lc_nets_status bind(const struct litert *rt, const struct lc_tflite_tensor *tensor, struct layout layout,
                                const struct lc_net_tensor *room, void **buffer) {
    bool is_alike = layout.rank == tensor->rank;
    for (uint32_t i = 0; i < tensor->rank && is_alike; i++)
        is_alike = layout.dimensions[i] > 0 && (size_t)layout.dimensions[i] == tensor->dimensions[i];
    if (!is_alike) return LC_NETS_BAD_MODEL;
    struct tensor_type type = {TYPE_FLOAT32, layout};
    size_t size = room->count * sizeof(float);
    return rt->CreateTensorBufferFromHostMemory(&type, room->values, size, NULL, buffer) ? LC_NETS_FAILED : LC_NETS_OK;
}

/// The order of LiteRT's inputs and outputs is the file's, as the model has no signatures.
static enum lc_nets_status bind_all(const struct litert *rt, const struct lc_tflite *model, const struct lc_net *net) {
    struct made *made = net->made;
    // It leaves `has_strides` as it finds it.
    struct layout input = {0}, outputs[LC_TFLITE_MOST_OUTPUTS] = {0};
    if (rt->GetCompiledModelInputTensorLayout(made->compiled, 0, 0, &input) ||
        rt->GetCompiledModelOutputTensorLayouts(made->compiled, 0, net->output_count, outputs, false))
        return LC_NETS_FAILED;
    enum lc_nets_status status = bind(rt, &model->tensors[model->input], input, &net->input, &made->input);
    for (size_t i = 0; i < net->output_count && !status; i++)
        status = bind(rt, &model->tensors[model->outputs[i]], outputs[i], &net->outputs[i], &made->outputs[i]);
    return status;
}

static enum lc_nets_status open_net(struct lc_nets *nets, struct lc_tflite *model, struct lc_net *net) {
    const struct litert *rt = (struct litert *)nets;
    struct made *made = net->made = calloc(1, sizeof *made);
    if (!made) return LC_NETS_NO_MEMORY;
    const struct lc_flatbuffer *file = &model->file;
    if (rt->CreateModelFromBuffer(rt->environment, file->bytes, file->size, &made->model)) return LC_NETS_BAD_MODEL;
    // It announces itself with the process's first net, whatever its options say.
    static bool is_announced;
    struct lc_hush hush = is_announced ? lc_no_hush : lc_hush_begin();
    enum lc_nets_status status = compile(rt, made);
    lc_hush_end(hush, "INFO: Created TensorFlow Lite");
    is_announced = true;
    return status ? status : bind_all(rt, model, net);
}

static enum lc_nets_status run_net(struct lc_net *net) {
    const struct litert *rt = (struct litert *)net->nets;
    struct made *made = net->made;
    bool has_failed = rt->RunCompiledModel(made->compiled, 0, 1, &made->input, net->output_count, made->outputs);
    return has_failed ? LC_NETS_FAILED : LC_NETS_OK;
}

static void close_net(struct lc_net *net) {
    const struct litert *rt = (struct litert *)net->nets;
    struct made *made = net->made;
    if (made->input) rt->DestroyTensorBuffer(made->input);
    for (size_t i = 0; i < net->output_count; i++)
        if (made->outputs[i]) rt->DestroyTensorBuffer(made->outputs[i]);
    if (made->compiled) rt->DestroyCompiledModel(made->compiled);
    if (made->model) rt->DestroyModel(made->model);
    free(made);
}

static void free_nets(struct lc_nets *nets) {
    struct litert *rt = (struct litert *)nets;
    rt->DestroyEnvironment(rt->environment);
    free(rt);
}

enum lc_nets_status lc_nets_open_litert(const char *path, struct lc_nets **nets) {
    *nets = NULL;
    struct litert *rt = calloc(1, sizeof *rt);
    if (!rt) return LC_NETS_NO_MEMORY;
    rt->nets = (struct lc_nets){open_net, run_net, close_net, free_nets};
    lc_nets_enter();
    enum lc_nets_status status = lc_nets_load(path, entries, sizeof entries / sizeof *entries, rt);
    const struct environment_option options[] = {
        {OPTION_LEAST_SEVERITY, {VALUE_INTEGER, SILENT}},
        {OPTION_ACCELERATORS, {VALUE_INTEGER, ON_PROCESSOR}},
    };
    if (!status && rt->CreateEnvironment(2, options, &rt->environment)) status = LC_NETS_OTHER_LIBRARY;
    lc_nets_leave();
    if (status)
        free(rt);
    else
        *nets = &rt->nets;
    return status;
}
