// SPDX-License-Identifier: MIT
// Runs small neural nets on the calling thread, by LiteRT or by XNNPACK. Either library is loaded when it is asked for;
// neither is needed to build, nor to start. A net is a .tflite model of floats with one input, of the operators that
// the reader knows (TFLite.h). Both libraries take the same models and give the same outputs in the same order.
#ifndef LIVECAP_CNETS_H
#define LIVECAP_CNETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lc_nets_status {
    LC_NETS_OK,
    LC_NETS_NO_LIBRARY,
    /// The library lacks a function that is needed, or does not start: another version, or unfit for this machine.
    LC_NETS_OTHER_LIBRARY,
    /// The model is damaged, exceeds a limit, or is of a kind that is not supported.
    LC_NETS_BAD_MODEL,
    LC_NETS_NO_MEMORY,
    LC_NETS_FAILED,
};

/// A library that runs nets. Its nets may run on several threads at once; opening and closing them takes turns.
struct lc_nets;

/// A net, ready to run. Used by one thread at a time.
struct lc_net;

/// Loads LiteRT 2.3.0, of which no other version may be expected to work. `path` may be `/proc/self/fd/N`. The library
/// stays until the process ends. Opened again, also under another path, it is the same one.
enum lc_nets_status lc_nets_open_litert(const char *path, struct lc_nets **nets);

/// Loads Debian's `libXNNPACK.so.0`, which stays until the process ends.
enum lc_nets_status lc_nets_open_xnnpack(struct lc_nets **nets);

/// Frees what was opened. None of its nets may be left.
void lc_nets_close(struct lc_nets *nets);

/// Makes a net of a model, whose bytes must stay as they are until the net is closed. Any bytes are safe with XNNPACK.
/// LiteRT trusts much of a model: give it only bytes whose hash is known.
enum lc_nets_status lc_net_open(struct lc_nets *nets, const uint8_t *model, size_t bytes, struct lc_net **net);

/// Says whether a net can be made of the bytes, whatever they are. Loads no library.
bool lc_net_is_model(const uint8_t *model, size_t bytes);

/// Values of a net, which belong to it, row by row with the channels innermost. They lie at the same place until it is
/// closed.
struct lc_net_tensor {
    float *values;
    size_t count;
    /// Batch, height, width, channels. Of tensors with fewer dimensions, the first ones are 1.
    int32_t dimensions[4];
};

/// What the net is to be run on. A run leaves it unchanged.
struct lc_net_tensor lc_net_input(const struct lc_net *net);

size_t lc_net_output_count(const struct lc_net *net);

/// What the last run wrote. Outputs are in the order in which the model lists them.
struct lc_net_tensor lc_net_output(const struct lc_net *net, size_t index);

/// Runs the net on its input, wholly on the calling thread.
enum lc_nets_status lc_net_run(struct lc_net *net);

void lc_net_close(struct lc_net *net);

#endif
