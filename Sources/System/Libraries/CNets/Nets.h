// SPDX-License-Identifier: MIT
// What the two libraries have in common: how each is asked to make, run and close a net.
#ifndef LIVECAP_NETS_H
#define LIVECAP_NETS_H

#include "TFLite.h"

struct lc_nets {
    /// Makes what runs `net`, whose input and outputs have their room already. If that fails, `close` is called.
    enum lc_nets_status (*open)(struct lc_nets *nets, struct lc_tflite *model, struct lc_net *net);
    enum lc_nets_status (*run)(struct lc_net *net);
    /// Frees what `open` made, as far as it got.
    void (*close)(struct lc_net *net);
    void (*free)(struct lc_nets *nets);
};

struct lc_net {
    struct lc_nets *nets;
    struct lc_net_tensor input, outputs[LC_TFLITE_MOST_OUTPUTS];
    size_t output_count;
    /// The library's.
    void *made;
};

/// A function's name in a library, and where its address goes.
struct lc_nets_entry {
    const char *name;
    size_t place;
};

/// Only one thread at a time opens or closes anything of a library: from `enter` to `leave`.
void lc_nets_enter(void);
void lc_nets_leave(void);

/// Loads a library, which stays, and finds its functions.
enum lc_nets_status lc_nets_load(const char *path, const struct lc_nets_entry *entries, size_t count, void *functions);

#endif
