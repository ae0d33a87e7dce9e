// SPDX-License-Identifier: MIT
// The functions of libpipewire, which is loaded when it is first needed, and stays.

#ifndef LIVECAP_PIPEWIRE_LIBRARY_H
#define LIVECAP_PIPEWIRE_LIBRARY_H

#include "PipeWireTypes.h"

#include <stdbool.h>
#include <stddef.h>

/// Loads and prepares the library. False if it is missing or lacks a function: `why` says which.
bool lc_pw_load(const char *library, struct lc_pw *pw, char *why, size_t room);

/// Copies a text without what would end it in a list of properties.
void lc_pw_copy_plain(char *to, size_t room, const char *from);

#endif
