// SPDX-License-Identifier: MIT
// Nets of either library: their tensors' room, and the way to the library.
#include "Nets.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A library and standard error (Hush.h) belong to the whole process, and so does the right to use them.
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

void lc_nets_enter(void) { pthread_mutex_lock(&door); }
void lc_nets_leave(void) { pthread_mutex_unlock(&door); }

enum lc_nets_status lc_nets_load(const char *path, const struct lc_nets_entry *entries, size_t count, void *functions) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return LC_NETS_NO_LIBRARY;
    enum lc_nets_status status = LC_NETS_OK;
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, entries[i].name);
        if (!function) status = LC_NETS_OTHER_LIBRARY;
        memcpy((char *)functions + entries[i].place, &function, sizeof function);
    }
    dlclose(library);
    return status;
}

void lc_nets_close(struct lc_nets *nets) {
    if (!nets) return;
    lc_nets_enter();
    nets->free(nets);
    lc_nets_leave();
}

/// Makes room for a tensor's values, aligned as LiteRT wants it. Libraries may read a little beyond the end.
static enum lc_nets_status make_room(const struct lc_tflite_tensor *tensor, struct lc_net_tensor *room) {
    enum { ALIGNMENT = 64 };
    size_t size = (tensor->count * sizeof(float) + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    room->values = aligned_alloc(ALIGNMENT, size);
    if (!room->values) return LC_NETS_NO_MEMORY;
    memset(room->values, 0, size);
    room->count = tensor->count;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t missing = 4 - tensor->rank;
        room->dimensions[i] = i < missing ? 1 : (int32_t)tensor->dimensions[i - missing];
    }
    return LC_NETS_OK;
}

static enum lc_nets_status open_net(struct lc_tflite *model, struct lc_net *net) {
    enum lc_nets_status status = make_room(&model->tensors[model->input], &net->input);
    for (size_t i = 0; i < model->output_count && !status; i++) {
        status = make_room(&model->tensors[model->outputs[i]], &net->outputs[i]);
        net->output_count++;
    }
    if (status) return status;
    lc_nets_enter();
    status = net->nets->open(net->nets, model, net);
    lc_nets_leave();
    return status;
}

enum lc_nets_status lc_net_open(struct lc_nets *nets, const uint8_t *model, size_t bytes, struct lc_net **net) {
    *net = NULL;
    struct lc_net *made = calloc(1, sizeof *made);
    if (!made) return LC_NETS_NO_MEMORY;
    made->nets = nets;
    struct lc_tflite description;
    enum lc_nets_status status = lc_tflite_read(&description, model, bytes);
    if (!status) status = open_net(&description, made);
    lc_tflite_free(&description);
    if (status)
        lc_net_close(made);
    else
        *net = made;
    return status;
}

bool lc_net_is_model(const uint8_t *model, size_t bytes) {
    struct lc_tflite description;
    enum lc_nets_status status = lc_tflite_read(&description, model, bytes);
    if (!status) status = lc_tflite_unpack(&description);
    lc_tflite_free(&description);
    return !status;
}

struct lc_net_tensor lc_net_input(const struct lc_net *net) { return net->input; }

size_t lc_net_output_count(const struct lc_net *net) { return net->output_count; }

struct lc_net_tensor lc_net_output(const struct lc_net *net, size_t index) {
    return index < net->output_count ? net->outputs[index] : (struct lc_net_tensor){0};
}

enum lc_nets_status lc_net_run(struct lc_net *net) { return net->nets->run(net); }

void lc_net_close(struct lc_net *net) {
    if (!net) return;
    lc_nets_enter();
    if (net->made) net->nets->close(net);
    lc_nets_leave();
    free(net->input.values);
    for (size_t i = 0; i < net->output_count; i++) free(net->outputs[i].values);
    free(net);
}
