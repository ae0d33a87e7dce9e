// SPDX-License-Identifier: MIT
// A camera among PipeWire's: a node of class Video/Source that gives YUY2 pictures of one size. libpipewire is loaded
// when it is asked for; what is needed of it is declared here and in PipeWireTypes.h.

#ifndef LIVECAP_CPIPEWIRE_H
#define LIVECAP_CPIPEWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A node. Its functions may be called by one thread at a time.
struct lc_pipewire_node;

/// What a node is.
struct lc_pipewire_settings {
    /// The library's file, such as libpipewire-0.3.so.0.
    const char *library;
    /// The node's name for programs and for people. Quotation marks and backslashes are left out.
    const char *name;
    const char *description;
    uint32_t width, height;
    uint32_t rate_numerator, rate_denominator;
    /// Called by PipeWire's thread when programs begin or cease to take pictures, and when PipeWire has gone, until
    /// lc_pipewire_close returns. Must not wait, or call functions that take the node.
    void (*changed)(void *owner, bool is_watched, bool has_failed);
    void *owner;
};

/// What became of lc_pipewire_open.
enum lc_pipewire_result {
    LC_PIPEWIRE_OK,
    /// The library is missing, or lacks a function: `why` says which.
    LC_PIPEWIRE_NO_LIBRARY,
    /// PipeWire does not run for this user, or refused: `why` says what it reports.
    LC_PIPEWIRE_NOT_RUNNING,
};

/// Connects to PipeWire and makes a node.
enum lc_pipewire_result lc_pipewire_open(
    const struct lc_pipewire_settings *settings, struct lc_pipewire_node **node, char *why, size_t room);

/// Gives a picture to those who watch: `height` rows of (width + 1) / 2 * 4 bytes, taken at `time_ns` on
/// CLOCK_MONOTONIC. It is copied.
void lc_pipewire_put(struct lc_pipewire_node *node, const void *picture, int64_t time_ns);

/// Removes the node.
void lc_pipewire_close(struct lc_pipewire_node *node);

#endif
