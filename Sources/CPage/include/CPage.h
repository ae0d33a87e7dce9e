// SPDX-License-Identifier: MIT
// The files of the page that browsers show, embedded into the program.
#pragma once

#include <stddef.h>

struct lc_page_file {
    /// Its path on the server, without a slash at its begin.
    const char *name;
    /// Its media type.
    const char *type;
    const unsigned char *bytes;
    size_t count;
};

/// The file of that name; NULL if there is none.
const struct lc_page_file *lc_page_file(const char *name);
